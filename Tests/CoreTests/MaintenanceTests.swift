import Glibc
import Testing

@testable import Core

@Suite struct ConflictResolutionTests {
  private func conflicted(_ stores: StoreDirectory) throws -> LocalStore {
    let store = try stores.create("c")
    let base = try store.put(Document(id: "d", body: try DocumentBody(["n": "base"])))
    for name in ["left", "right", "third"] {
      let hash = String(
        repeating: name.first == "l" ? "a" : name.first == "r" ? "b" : "c", count: 32)
      let revision = RevisionID(generation: 2, hash: hash)
      _ = try store.write(
        [
          Document(
            id: "d", revision: revision, body: try DocumentBody(["n": .string(name)]),
            history: [revision, base])
        ], mode: .revisions)
    }
    return store
  }

  @Test("keeping a leaf tombstones the others, and the document is no longer listed")
  func keep() throws {
    try withStores { stores in
      let store = try conflicted(stores)
      #expect(try store.conflictedDocuments() == ["d"])
      #expect(try store.document("d").body.members["n"] == "third")
      let left = RevisionID(generation: 2, hash: String(repeating: "a", count: 32))
      try store.resolve("d", keeping: left)
      #expect(try store.document("d").body.members["n"] == "left")
      #expect(try store.conflictedDocuments().isEmpty)
      #expect(try store.history(of: "d").filter { $0.isLeaf && !$0.isDeleted }.count == 1)
    }
  }

  @Test("a merged body becomes the winner, one generation after the kept leaf")
  func merge() throws {
    try withStores { stores in
      let store = try conflicted(stores)
      #expect(try store.commonAncestor(of: "d")?.body.members["n"] == "base")
      let merged = try store.resolve("d", merged: try DocumentBody(["n": "all"]))
      #expect(merged.generation == 3)
      #expect(try store.document("d").body.members["n"] == "all")
      #expect(try store.conflictedDocuments().isEmpty)
    }
  }

  @Test("the ancestor of an open conflict survives compaction, and goes when it is resolved")
  func ancestorKept() throws {
    try withStores { stores in
      let store = try conflicted(stores)
      _ = try store.compact()
      #expect(try store.commonAncestor(of: "d")?.body.members["n"] == "base")
      try store.resolve("d")
      _ = try store.compact()
      #expect(
        try store.history(of: "d").first { $0.revision.generation == 1 }?.isAvailable == false)
      #expect(try store.verify().problems == [])
    }
  }

  @Test("an unknown revision or a replaced one cannot be kept, and nothing changes")
  func refusal() throws {
    try withStores { stores in
      let store = try conflicted(stores)
      let before = try store.history(of: "d")
      let unknown = RevisionID(generation: 2, hash: "nope")
      #expect(throws: StoreError.documentNotFound(id: "d", .missing)) {
        try store.resolve("d", keeping: unknown)
      }
      let base = try #require(before.first { $0.revision.generation == 1 }?.revision)
      #expect(throws: StoreError.self) { try store.resolve("d", keeping: base) }
      #expect(try store.history(of: "d") == before)
    }
  }
}

@Suite struct PurgeTests {
  @Test("a purged document is gone without a tombstone, and its sequence is not given again")
  func document() throws {
    try withStores { stores in
      let store = try stores.create("p")
      try store.put(Document(id: "a"))
      try store.put(Document(id: "b"))
      let last = try store.lastSequence()
      #expect(try store.purge("b"))
      #expect(try !store.purge("b"))
      #expect(try store.changes().rows.map(\.id) == ["a"])
      try store.put(Document(id: "c"))
      #expect(try store.lastSequence() == last + 1)
      #expect(try store.info().purgeSequence == 1)
      #expect(try store.verify().problems == [])
    }
  }

  @Test("purging the winning leaf brings the losing one back")
  func leaf() throws {
    try withStores { stores in
      let store = try stores.create("p")
      let names = ["a", "b"].map {
        RevisionID(generation: 1, hash: String(repeating: $0, count: 32))
      }
      for name in names {
        _ = try store.write(
          [
            Document(id: "d", revision: name, body: try DocumentBody(["n": .string(name.hashText)]))
          ],
          mode: .revisions)
      }
      let result = try store.purge([("d", [names[1]]), ("nope", [names[0]])])
      #expect(result.map(\.purged) == [[names[1]], []])
      #expect(try store.document("d").revision == names[0])
      #expect(try store.conflictedDocuments().isEmpty)
      #expect(try store.verify().problems == [])
    }
  }
}

@Suite struct CompactionTests {
  @Test("old bodies and their attachments go, what is current stays")
  func compaction() throws {
    try withStores { stores in
      let store = try stores.create("k")
      func file(_ text: String) -> Core.Attachment {
        Core.Attachment(name: "f", contentType: "a/b", content: .inline(Array(text.utf8)))
      }
      let first = try store.put(Document(id: "d", attachments: [file("one")]))
      try store.put(Document(id: "d", revision: first, attachments: [file("two")]))
      #expect(
        try store.attachment(named: "f", of: "d", revision: first).bytes() == Array("one".utf8))
      let report = try store.compact()
      #expect(report.revisions == 1)
      #expect(report.blobs == 1 && report.blobBytes == 3)
      #expect(!report.skippedBlobs && !report.skippedVacuum)
      #expect(try store.attachment(named: "f", of: "d").bytes() == Array("two".utf8))
      #expect(throws: StoreError.documentNotFound(id: "d", .missing)) {
        try store.document("d", ReadOptions(revision: first))
      }
      #expect(try store.verify().isSound)
    }
  }

  @Test("pouchdb#4372: the file shrinks when most of it was deleted")
  func shrinking() throws {
    try withStores { stores in
      let store = try stores.create("k")
      let text = JSON.string(String(repeating: "x", count: 2_000))
      for index in 0..<500 {
        try store.put(Document(id: "d\(index)", body: try DocumentBody(["t": text])))
      }
      for row in try store.allDocuments().rows { try store.delete(row.id, revision: row.revision) }
      let report = try store.compact()
      #expect(report.sizeAfter < report.sizeBefore / 4)
    }
  }

  @Test("a blob that waits to be named is not removed")
  func stagedBlob() throws {
    try withStores { stores in
      let store = try stores.create("k")
      let other = try stores.open("k")
      let writer = try store.makeAttachment()
      try writer.append(Array("waiting".utf8))
      let staged = try writer.finish()
      #expect(try other.compact().skippedBlobs)
      let file = Core.Attachment(name: "f", contentType: "a/b", content: .staged(staged))
      try store.put(Document(id: "d", attachments: [file]))
      #expect(try other.attachment(named: "f", of: "d").bytes() == Array("waiting".utf8))
    }
  }

  @Test("what an interrupted writer left is removed")
  func leftovers() throws {
    try withStores { stores in
      let store = try stores.create("k")
      do { _ = try store.makeAttachment() }
      let incoming = store.folder.subfolder("blobs").subfolder("incoming")
      #expect(try incoming.names().isEmpty)
      _ = try OpenFile(incoming.appending("1-abandoned"), O_WRONLY | O_CREAT)
      #expect(try store.compact().blobs == 1)
      #expect(try incoming.names().isEmpty)
    }
  }
}

@Suite struct VerificationTests {
  /// A store with a document, an attachment, a conflict and a tombstone.
  private func filled(_ stores: StoreDirectory) throws -> LocalStore {
    let store = try stores.create("v")
    let file = Core.Attachment(name: "f", contentType: "a/b", content: .inline(Array("bytes".utf8)))
    try store.put(Document(id: "d", body: try DocumentBody(["n": 1]), attachments: [file]))
    for hash in ["a", "b"] {
      let revision = RevisionID(generation: 1, hash: String(repeating: hash, count: 32))
      _ = try store.write([Document(id: "c", revision: revision)], mode: .revisions)
    }
    try store.delete("gone", revision: try store.put(Document(id: "gone")))
    return store
  }

  @Test("a sound store has no problems, and says what was proven")
  func sound() throws {
    try withStores { stores in
      let report = try filled(stores).verify()
      #expect(report.isSound)
      #expect(report.documents == 3 && report.attachments == 1 && report.blobs == 1)
      #expect(report.proven == 2)
    }
  }

  @Test(
    "each kind of damage inside the file is found",
    arguments: [
      "UPDATE docs SET body = '{\"n\":2}' WHERE id = 'd'",
      "UPDATE docs SET body = '{ \"n\":1}' WHERE id = 'd'",
      "UPDATE docs SET body = '{\"_n\":1}' WHERE id = 'd'",
      "UPDATE docs SET body = 'x' WHERE id = 'c'",
      "UPDATE docs SET rev = x'02' || randomblob(16) WHERE id = 'd'",
      "UPDATE docs SET flags = flags | 2 WHERE id = 'd'",
      "UPDATE docs SET flags = 0 WHERE id = 'c'",
      "UPDATE docs SET tree = x'00' WHERE id = 'c'",
      "DELETE FROM revisions WHERE id = 'c'",
      "INSERT INTO revisions VALUES('d', x'02' || randomblob(16), '{}')",
      "DELETE FROM attachments",
      "UPDATE attachments SET blob = randomblob(32)",
      "UPDATE attachments SET stored_length = 4",
      "UPDATE attachments SET md5 = randomblob(16)",
      "UPDATE attachments SET rev = x'02' || randomblob(16)",
    ])
  func damage(_ sql: String) throws {
    try withStores { stores in
      let store = try filled(stores)
      try store.access { try $0.execute(sql) }
      #expect(try !store.verify().isSound)
    }
  }

  @Test("a changed byte and a missing file of an attachment are found")
  func blobs() throws {
    try withStores { stores in
      let store = try filled(stores)
      let blob = try #require(
        try store.access { try $0.first("SELECT blob FROM attachments") { $0.array(0) } })
      let path = store.blobs.path(of: BlobID(digest: blob))
      do {
        let file = try OpenFile(path, O_WRONLY)
        try [UInt8("B".utf8.first ?? 0)].withUnsafeBytes { try file.write($0) }
      }
      #expect(try store.verify().problems.map(\.kind) == [.attachment])
      unlink(path)
      #expect(try !store.verify().isSound)
      #expect(throws: StoreError.damagedAttachment(name: "f", detail: "its bytes are gone")) {
        _ = try store.attachment(named: "f", of: "d")
      }
    }
  }
}
