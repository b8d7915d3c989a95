import Glibc
import Testing

@testable import Core

/// Makes a directory of stores that is removed afterwards.
func withStores<Result>(_ body: (StoreDirectory) throws -> Result) throws -> Result {
  let path = "/tmp/tote-core-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
  defer { try? Folder(path).removeTree() }
  return try body(StoreDirectory(path: path))
}

@Suite struct LocalStoreTests {
  @Test("a document goes through create, update, conflict, delete and re-creation")
  func lifecycle() throws {
    try withStores { stores in
      let store = try stores.create("notes")
      let first = try store.put(Document(id: "a", body: try DocumentBody(["n": 1])))
      #expect(first.generation == 1)
      #expect(throws: StoreError.conflict(id: "a", current: first)) {
        try store.put(Document(id: "a", body: try DocumentBody(["n": 2])))
      }
      let second = try store.put(
        Document(id: "a", revision: first, body: try DocumentBody(["n": 2])))
      #expect(try store.document("a").body.members == ["n": 2])
      #expect(try store.document("a", ReadOptions(revision: first)).body.members == ["n": 1])
      let tombstone = try store.delete("a", revision: second)
      #expect(throws: StoreError.documentNotFound(id: "a", .deleted)) { try store.document("a") }
      #expect(try store.document("a", ReadOptions(revision: tombstone)).isDeleted)
      let again = try store.put(Document(id: "a"))
      #expect(again.generation == 4)
      #expect(try store.info().documentCount == 1)
    }
  }

  @Test("a store that was closed has what was written, and its name is listed")
  func persistence() throws {
    try withStores { stores in
      try stores.create("a/b").put(Document(id: "x"))
      #expect(try stores.names() == ["a/b"])
      #expect(try stores.open("a/b").allDocuments().rows.map(\.id) == ["x"])
      #expect(throws: StoreError.storeExists(name: "a/b")) { try stores.create("a/b") }
      try stores.delete("a/b")
      #expect(throws: StoreError.storeNotFound(name: "a/b")) { try stores.open("a/b") }
    }
  }

  @Test("an attachment comes back as it was written, and once per content")
  func attachments() throws {
    try withStores { stores in
      let store = try stores.create("files")
      let writer = try store.makeAttachment()
      try writer.append(Array("hello".utf8))
      let staged = try writer.finish()
      #expect(staged.digest == "md5-XUFAKrxLKna5cZ2REBfFkg==")
      let file = Attachment(name: "a.txt", contentType: "text/plain", content: .staged(staged))
      let revision = try store.put(Document(id: "d", attachments: [file]))
      let reader = try store.attachment(named: "a.txt", of: "d")
      #expect(try reader.bytes() == Array("hello".utf8))
      #expect(reader.attachment.revisionPosition == revision.generation)
      let stub = Attachment(name: "a.txt", contentType: "")
      try store.put(Document(id: "d", revision: revision, attachments: [stub]))
      #expect(try store.document("d").attachments.first?.length == 5)
    }
  }
}
