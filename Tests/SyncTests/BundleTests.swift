import Core
import Foundation
import Sync
import TestSupport
import Testing

/// Bundles: replication through a file.
struct BundleTests {
  @Test("a bundle carries every leaf, history, tombstone and attachment exactly")
  func exact() async throws {
    try await BundleWorld.run { world in
      try fill(world.source)
      let made = try #require(try await world.push())
      #expect(made.documents == 5)
      #expect(made.attachments == 1)
      let done = try await world.pull()
      #expect(done.written == 5)
      #expect(done.failures.isEmpty)
      #expect(try leaves(world.target) == leaves(world.source))
      #expect(
        try world.target.history(of: "milk").map(\.revision)
          == world.source.history(of: "milk").map(\.revision))
    }
  }

  @Test("applying a bundle again changes nothing")
  func repeated() async throws {
    try await BundleWorld.run { world in
      try fill(world.source)
      try await world.push()
      try await world.pull()
      let sequence = try world.target.lastSequence()
      let again = try await world.pull()
      #expect(again.written == 0)
      #expect(again.isRepeated)
      #expect(try world.target.lastSequence() == sequence)
    }
  }

  @Test("a dry run counts what would be written and writes nothing")
  func dryRun() async throws {
    try await BundleWorld.run { world in
      try fill(world.source)
      try await world.push()
      #expect(try await world.pull(dryRun: true).written == 5)
      #expect(try world.target.lastSequence() == 0)
      #expect(try world.target.localDocuments().isEmpty)
    }
  }

  @Test("an empty store makes a bundle of nothing; nothing new makes none")
  func empty() async throws {
    try await BundleWorld.run { world in
      let first = try await world.push()
      #expect(first?.documents == 0)
      let applied = try await world.pull()
      #expect(applied.written == 0)
      let second = try await world.push()
      #expect(second == nil)
    }
  }

  @Test("a bundle of some documents holds no others, and has a series of its own")
  func filtered() async throws {
    try await BundleWorld.run { world in
      try fill(world.source)
      var options = ReplicationOptions()
      options.ids = ["photo"]
      #expect(try await world.push(options: options)?.documents == 1)
      try world.move("b.totebundle", to: "photo")
      #expect(try await world.push()?.documents == 5)
      try await world.pull("photo")
      #expect(try world.target.changes().rows.map(\.id) == ["photo"])
    }
  }

  @Test("attachments that are stored compressed stay so")
  func encoded() async throws {
    try await BundleWorld.run { world in
      let gzip: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]
      var file = Core.Attachment(name: "t", contentType: "text/plain", content: .inline(gzip))
      file.encoding = "gzip"
      try world.source.put(Document(id: "a", attachments: [file]))
      try await world.push()
      try await world.pull()
      let (old, new) = (
        try world.source.document("a").attachments, try world.target.document("a").attachments
      )
      #expect(old == new)
      #expect(new.first?.encoding == "gzip")
    }
  }
}

/// Bundles that follow one another.
struct BundleSeriesTests {
  @Test("the next bundle holds only what changed")
  func incremental() async throws {
    try await BundleWorld.run { world in
      try fill(world.source)
      try await world.push()
      try world.move("b.totebundle", to: "1")
      try write("bread", "new", to: world.source)
      let second = try #require(try await world.push())
      #expect(second.documents == 1)
      #expect(second.header?.number == 2)
      try await world.pull("1")
      try await world.pull()
      #expect(try leaves(world.target) == leaves(world.source))
    }
  }

  @Test("a bundle that still lies there is replaced by one that holds its changes too")
  func cumulative() async throws {
    try await BundleWorld.run { world in
      try write("a", "1", to: world.source)
      try await world.push()
      try world.move("b.totebundle", to: "1")
      try write("b", "1", to: world.source)
      #expect(try await world.push()?.header?.number == 2)
      try write("c", "1", to: world.source)
      let both = try #require(try await world.push())
      #expect(both.header?.number == 2)
      #expect(both.documents == 2)
      try world.move("b.totebundle", to: "2")
      try write("d", "1", to: world.source)
      #expect(try await world.push()?.header?.number == 3)
      for name in ["1", "2", "b.totebundle"] { try await world.pull(name) }
      #expect(try leaves(world.target) == leaves(world.source))
    }
  }

  @Test("a missing bundle is detected and named, and nothing is applied")
  func gap() async throws {
    try await BundleWorld.run { world in
      for number in 1...3 {
        try write("doc\(number)", "x", to: world.source)
        try await world.push()
        try world.move("b.totebundle", to: "\(number)")
      }
      try await world.pull("1")
      let sequence = try world.target.lastSequence()
      await #expect(
        throws: BundleError.gap(path: world.path("3"), number: 3, missing: 2, applied: 1)
      ) { try await world.pull("3") }
      #expect(try world.target.lastSequence() == sequence)
      try await world.pull("2")
      try await world.pull("3")
      // Old ones may be applied again, in any order.
      try await world.pull("1")
      #expect(try leaves(world.target) == leaves(world.source))
    }
  }

  @Test("an edition of a bundle that was replaced does not hide what the new one added")
  func replacedEdition() async throws {
    try await BundleWorld.run { world in
      try write("a", "1", to: world.source)
      try await world.push()
      try await world.pull()
      try write("b", "1", to: world.source)
      try await world.push()
      try world.move("b.totebundle", to: "2")
      try write("c", "1", to: world.source)
      try await world.push()
      try await world.pull("2")
      #expect(throws: Never.self) { try world.target.document("a") }
      // 2 holds only what came after 1; 3 follows 2.
      try await world.pull()
      #expect(try leaves(world.target) == leaves(world.source))
    }
  }

  @Test("a bundle written by a run that was killed before noting it down is written anew")
  func unrecorded() async throws {
    try await BundleWorld.run { world in
      try write("a", "1", to: world.source)
      try await world.push()
      try world.move("b.totebundle", to: "1")
      try write("b", "1", to: world.source)
      try await world.push(records: false)
      let again = try #require(try await world.push())
      #expect(again.header?.number == 2)
      #expect(again.documents == 1)
      try await world.pull("1")
      try await world.pull()
      #expect(try leaves(world.target) == leaves(world.source))
    }
  }

  @Test("a bundle of another store or another place in the series is never written over")
  func inTheWay() async throws {
    try await BundleWorld.run { world in
      try write("a", "1", to: world.source)
      try await world.push()
      try world.move("b.totebundle", to: "1")
      try write("b", "1", to: world.source)
      try await world.push()
      try world.move("b.totebundle", to: "2")
      try world.move("1", to: "b.totebundle")
      await #expect(throws: BundleError.self) { try await world.push() }
      // Everything once more may take its place.
      #expect(try await world.push(anew: true)?.documents == 2)
      let other = BundleWorld(source: world.target, target: world.source, folder: world.folder)
      await #expect(throws: BundleError.self) { try await other.push() }
    }
  }

  @Test("a large attachment travels once in a series")
  func largeAttachments() async throws {
    try await BundleWorld.run { world in
      let big = String(repeating: "0123456789abcdef", count: 8_192)
      let first = try write("photo", "a", to: world.source, attachment: big)
      try await world.push()
      try world.move("b.totebundle", to: "1")
      var photo = try world.source.document("photo")
      #expect(photo.revision == first)
      photo.body = try DocumentBody(["text": "title"])
      try world.source.put(photo)
      let second = try #require(try await world.push())
      #expect(second.bytes < 10_000)
      try await world.pull("1")
      try await world.pull()
      #expect(try leaves(world.target) == leaves(world.source))
      // The replaced bundle takes what it carried with it.
      try write("new", "n", to: world.source, attachment: big + "!")
      try await world.push()
      try write("newer", "n", to: world.source)
      let merged = try #require(try await world.push())
      #expect(merged.bytes > big.utf8.count)
    }
  }

  @Test("an attachment that the target lost is named, and the bundle is not taken for applied")
  func lostAttachment() async throws {
    try await BundleWorld.run { world in
      let big = String(repeating: "0123456789abcdef", count: 8_192)
      try write("photo", "a", to: world.source, attachment: big)
      try await world.push()
      try world.move("b.totebundle", to: "1")
      var photo = try world.source.document("photo")
      photo.body = try DocumentBody(["text": "title"])
      try world.source.put(photo)
      try write("other", "x", to: world.source)
      try await world.push()
      try await world.pull("1")
      _ = try world.target.purge("photo")
      let report = try await world.pull()
      #expect(report.failures.map(\.id) == ["photo"])
      #expect(throws: Never.self) { try world.target.document("other") }
      #expect(try await !world.pull().isRepeated)
      try await world.push(anew: true)
      #expect(try await world.pull().failures.isEmpty)
      #expect(try leaves(world.target) == leaves(world.source))
    }
  }

  @Test("a damaged attachment is left out and named, and tried again by the next bundle")
  func damagedAttachment() async throws {
    try await BundleWorld.run { world in
      try write("photo", "a", to: world.source, attachment: "some bytes")
      try write("other", "x", to: world.source)
      let blobs = URL(fileURLWithPath: world.folder + "/home/left.store/blobs")
      let file = try #require(
        FileManager.default.enumerator(at: blobs, includingPropertiesForKeys: nil)?
          .compactMap { $0 as? URL }.first { $0.lastPathComponent.count == 64 })
      try Data("SOME bytes".utf8).write(to: file)
      let report = try #require(try await world.push())
      #expect(report.failures.map(\.id) == ["photo"])
      #expect(report.documents == 1)
      #expect(try await world.pull().written == 1)
      try Data("some bytes".utf8).write(to: file)
      #expect(try await world.push()?.failures.isEmpty == true)
      try await world.pull()
      #expect(try leaves(world.target) == leaves(world.source))
    }
  }
}

/// Files that are not what they should be.
struct BundleDamageTests {
  @Test("a bundle cut short anywhere is refused, and the store stays as it was")
  func truncation() async throws {
    try await BundleWorld.run { world in
      try fill(world.source)
      try await world.push()
      let whole = try world.bytes()
      for length in 0..<whole.count {
        try world.write(whole.prefix(length), to: "cut")
        await #expect(throws: BundleError.self, "\(length) bytes") { try await world.pull("cut") }
      }
      #expect(try world.target.lastSequence() == 0)
      #expect(try world.target.localDocuments().isEmpty)
    }
  }

  @Test("a byte that was altered anywhere is noticed before anything is applied")
  func flipped() async throws {
    try await BundleWorld.run { world in
      try fill(world.source)
      try await world.push()
      let whole = try world.bytes()
      for position in whole.indices {
        var bytes = whole
        bytes[position] ^= 0x04
        try world.write(bytes, to: "flipped")
        await #expect(throws: (any Error).self, "byte \(position)") {
          try await world.pull("flipped")
        }
      }
      #expect(try world.target.lastSequence() == 0)
      #expect(try world.target.localDocuments().isEmpty)
    }
  }

  @Test("bytes after the end are noticed")
  func appended() async throws {
    try await BundleWorld.run { world in
      try await world.push()
      try world.write(world.bytes() + [10], to: "long")
      await #expect(throws: BundleError.self) { try await world.pull("long") }
    }
  }

  @Test("a later format is named, and so is a file that is no bundle")
  func others() async throws {
    try await BundleWorld.run { world in
      try world.write("tote-bundle 2\nwhatever".utf8, to: "newer")
      #expect(
        throws: BundleError.newerFormat(path: world.path("newer"), found: 2, supported: 1)
      ) { try BundleFile(path: world.path("newer")) }
      try world.write("{\"_id\":\"a\"}\n".utf8, to: "json")
      #expect(throws: BundleError.notABundle(path: world.path("json"))) {
        try BundleFile(path: world.path("json"))
      }
      #expect(throws: BundleError.io(operation: "open", path: world.path("none"), code: ENOENT)) {
        try BundleFile(path: world.path("none"))
      }
      #expect(throws: BundleError.notABundle(path: world.folder)) {
        try BundleFile(path: world.folder)
      }
    }
  }
}
