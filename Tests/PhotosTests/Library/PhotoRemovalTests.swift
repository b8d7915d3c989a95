import Core
import Foundation
import TestSupport
import Testing

@testable import Photos

struct PhotoRemovalTests {
  @Test("a removed photo is gone from stream, numbers, hashes and disk; others cannot remove it")
  func remove() async throws {
    try await withLibrary { world in
      var fixture = PhotoFixture()
      (fixture.width, fixture.height) = (1800, 900)
      let bytes = fixture.jpeg()
      let photo = try await world.library.add(bytes).photo
      let kept = try await world.library.addPicture(by: "bob").photo
      _ = try await world.library.picture(.thumb, of: photo.id)
      #expect(world.blobFiles().count == 5)
      #expect(try await !world.library.remove(photo.id, by: "bob"))
      #expect(try await !world.library.remove(PhotoID.make(at: 1), by: nil))
      #expect(try await world.library.photo(photo.id) != nil)
      #expect(try await world.library.remove(photo.id, by: "ann"))
      #expect(try await world.library.newest(50).photos == [kept])
      #expect(try await world.library.newest(50, by: "ann").photos.isEmpty)
      #expect(try await world.library.photo(photo.id) == nil)
      #expect(try await world.library.photo(number: photo.number) == nil)
      #expect(try await world.library.upload(sentDigest: digest(bytes), by: "ann") == nil)
      for size in PictureSize.allCases {
        #expect(try await world.library.picture(size, of: photo.id) == nil)
      }
      #expect(world.blobFiles().count == 2)
      #expect(try await !world.library.remove(photo.id, by: "ann"))
      // An administrator may.
      #expect(try await world.library.remove(kept.id, by: nil))
      #expect(world.blobFiles().isEmpty)
    }
  }

  @Test("while somebody writes, the bytes wait; at the latest the next start removes them")
  func busyDisk() async throws {
    try await withLibrary { world in
      let photo = try await world.library.addPicture().photo
      do {
        // Another process is in the middle of an upload.
        let writer = try world.stores.open("photos").makeAttachment()
        try writer.append([1, 2, 3])
        #expect(try await world.library.remove(photo.id, by: "ann"))
        await world.library.close()
        #expect(world.blobFiles().count > 2)
        let busy = try await world.other()
        #expect(world.blobFiles().count > 2)
        await busy.close()
        try writer.append([4])
      }
      let next = try await world.other()
      #expect(world.blobFiles().isEmpty)
      await next.close()
    }
  }

  @Test("a photo removed by another process is no more shown from the cache a second later")
  func cachedElsewhere() async throws {
    let clock = FakeClock()
    var options = PhotoLibrary.Options()
    options.now = { clock.seconds * 1000 }
    try await withLibrary(options) { world in
      let photo = try await world.library.addPicture().photo
      #expect(try await world.library.picture(.thumb, of: photo.id) != nil)
      let other = try await world.other()
      #expect(try await other.remove(photo.id, by: "ann"))
      clock.advance(by: .seconds(2))
      #expect(try await world.library.picture(.thumb, of: photo.id) == nil)
      await other.close()
    }
  }

  @Test("what a killed process left in the middle of an upload is gone after the next start")
  func killedWhileAdding() async throws {
    try await withLibrary { world in
      let kept = try await world.library.addPicture().photo
      let before = Set(world.blobFiles())
      let blobs = world.stores.path + "/photos.store/blobs"
      // The note, a half-written picture, and one that was complete but not yet named.
      try FileManager.default.createDirectory(
        atPath: blobs + "/incoming", withIntermediateDirectories: true)
      try writeBytes([], to: blobs + "/incoming/note-1-abc")
      try writeBytes([0xff, 0xd8, 1], to: blobs + "/incoming/1-abc")
      do {
        let writer = try world.stores.open("photos").makeAttachment()
        try writer.append(Array("an orphan".utf8))
        _ = try writer.finish()
      }
      #expect(Set(world.blobFiles()) != before)
      let next = try await world.other()
      #expect(Set(world.blobFiles()) == before)
      #expect(try await next.newest(50).photos == [kept])
      #expect(try await next.picture(.full, of: kept.id) != nil)
      await next.close()
    }
  }

  @Test("an upload that is cancelled leaves nothing")
  func cancelled() async throws {
    try await withLibrary { world in
      var options = PhotoOptions()
      options.isCancelled = { true }
      var fixture = PhotoFixture()
      (fixture.width, fixture.height) = (1200, 1200)
      let bytes = fixture.jpeg()
      await #expect(throws: PhotoRefusal.cancelled) {
        try await world.library.add(
          .bytes(bytes), sentDigest: digest(bytes), title: "", by: "ann", options)
      }
      let task = Task { try await world.library.add(bytes) }
      task.cancel()
      _ = try? await task.value
      for photo in try await world.library.newest(50).photos {
        #expect(try await world.library.remove(photo.id, by: nil))
      }
      #expect(world.blobFiles().isEmpty)
    }
  }

  @Test("photos without their pictures, or with what no photo says, are not shown")
  func strangers() async throws {
    try await withLibrary { world in
      let id = PhotoID.make(at: 1_700_000_000_000)
      let body: JSONObject = [
        "@datatype": "Photo", "title": "\u{202e}x\u{1b}", "user": "ann", "width": 3, "height": 2,
        "number": 5,
      ]
      func picture(_ name: String) -> Core.Attachment {
        Core.Attachment(name: name, contentType: "image/jpeg", content: .inline([1]))
      }
      try world.store.put(
        Document(
          id: "photo:\(id)", body: try DocumentBody(body), attachments: [picture("full.jpg")]))
      try world.store.put(Document(id: "photo:zzz", body: try DocumentBody(body)))
      #expect(try await world.library.newest(50).photos.isEmpty)
      #expect(try await world.library.photo(id) == nil)
      #expect(try await world.library.photo(number: 5) == nil)
      let other = PhotoID.make(at: 1_700_000_000_001)
      try world.store.put(
        Document(
          id: "photo:\(other)", body: try DocumentBody(body),
          attachments: [picture("full.jpg"), picture("thumb.jpg")]))
      let photo = try #require(try await world.library.photo(other))
      #expect(photo.title == "x")
      // An administrator can remove the half one.
      #expect(try await world.library.remove(id, by: nil))
    }
  }
}
