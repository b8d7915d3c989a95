import Glibc
import TestSupport
import Testing

@testable import Core

@Suite struct EncryptedStoreTests {
  static let mark = "MARKED-PLAINTEXT"

  private func fill(_ store: LocalStore, _ count: Int = 20) throws {
    for number in 0..<count {
      try store.put(
        Document(
          id: "\(Self.mark)-id-\(number)",
          body: try DocumentBody([
            "text": .string("\(Self.mark)-body-\(number)"), "number": .integer(Int64(number)),
          ])))
    }
  }

  @Test("an encrypted store is opened by its key and by nothing else, and nothing is written")
  func keys() throws {
    try withStores { stores in
      try fill(try stores.create("s", key: rawKey(1)))
      let path = stores.folder(of: "s").appending("store.db")
      let before = try readBytes(path)
      var stores = stores
      #expect(throws: StoreError.locked(store: "s")) { try stores.open("s") }
      stores.keys = FixedKey(key: nil)
      #expect(throws: StoreError.locked(store: "s")) { try stores.open("s") }
      for wrong in [rawKey(2), passphrase("wrong")] {
        stores.keys = FixedKey(key: wrong)
        #expect(throws: StoreError.wrongKey(store: "s")) { try stores.open("s") }
      }
      #expect(try readBytes(path) == before)
      stores.keys = FixedKey(key: rawKey(1))
      let store = try stores.open("s")
      #expect(try store.info().documentCount == 20)
      #expect(try store.info().keySource == .caller)
      #expect(try store.verify().problems == [])
    }
  }

  @Test("a passphrase opens the store that it was made with")
  func passphrases() throws {
    try withStores { stores in
      var stores = stores
      try fill(try stores.create("s", key: passphrase("correct horse é")), 1)
      stores.keys = FixedKey(key: passphrase("correct horse é"))
      #expect(try stores.open("s").info().documentCount == 1)
    }
  }

  @Test("a wrong key does not touch the log that a killed process left")
  func wrongKeyAndLog() throws {
    try withEncryptedStores { stores in
      let store = try stores.create("s", key: rawKey(1))
      try fill(store)
      try copyAsKilled(stores, "s", as: "copy")
      let log = stores.folder(of: "copy").appending("store.db-wal")
      let before = try readBytes(log)
      try #require(!before.isEmpty)
      var wrong = stores
      wrong.keys = FixedKey(key: rawKey(2))
      #expect(throws: StoreError.wrongKey(store: "copy")) { try wrong.open("copy") }
      #expect(try readBytes(log) == before)
      #expect(try stores.open("copy").info().documentCount == 20)
    }
  }

  @Test("text, pictures and zeros are not taken for an encrypted store")
  func foreign() throws {
    try withEncryptedStores { stores in
      let folder = stores.folder(of: "s")
      try folder.create()
      let path = folder.appending("store.db")
      for bytes in [
        [UInt8](repeating: 0, count: 8_192),
        Array(String(repeating: "lorem ipsum ", count: 1_024).utf8).prefix(8_192).map { $0 },
        [UInt8](repeating: 7, count: 4_095),
      ] {
        try writeBytes(bytes, to: path)
        #expect(throws: StoreError.notAStore(path: path)) { try stores.open("s") }
        #expect(try readBytes(path) == bytes)
      }
    }
  }

  @Test(
    "no text of a document, id, index or attachment stands in the folder, nor in a killed one's")
  func plaintext() throws {
    try withEncryptedStores { stores in
      let store = try stores.create("s", key: rawKey(1))
      try store.createIndex(try IndexDefinition(json: ["index": ["fields": ["text"]]]))
      try store.createIndex(
        try IndexDefinition(json: [
          "index": ["fields": [["name": "text", "type": "string"]]], "type": "text",
        ]))
      try fill(store, 300)
      let content = Array(String(repeating: Self.mark, count: 9_000).utf8)
      var document = Document(id: "with-file")
      document.attachments = [
        Attachment(
          name: "\(Self.mark).txt", contentType: "text/plain",
          content: .staged(try store.blobs.stage(content)))
      ]
      try store.put(document)
      let unfinished = try store.makeAttachment()
      try unfinished.append(content)
      #expect(try files(below: stores.path, holding: Self.mark).isEmpty)
      try copyAsKilled(stores, "s", as: "copy")
      let log = stores.folder(of: "copy").appending("store.db-wal")
      try #require(try readBytes(log).count > 100_000)
      let copy = try stores.open("copy")
      #expect(try copy.info().documentCount == 301)
      #expect(try copy.verify().problems == [])
      #expect(try copy.attachment(named: "\(Self.mark).txt", of: "with-file").bytes() == content)
      _ = try copy.compact()
      #expect(try files(below: stores.path, holding: Self.mark).isEmpty)
      #expect(try files(below: stores.path, holding: "SQLite format").isEmpty)
    }
  }

  @Test("a backup of an encrypted store is encrypted, and is restored with the key")
  func backup() throws {
    try withEncryptedStores { stores in
      let store = try stores.create("s", key: rawKey(1))
      try fill(store)
      var document = Document(id: "with-file")
      let content = Array(Self.mark.utf8)
      document.attachments = [
        Attachment(name: "a", contentType: "text/plain", content: .inline(content))
      ]
      try store.put(document)
      var archive: [UInt8] = []
      _ = try store.backup(to: { archive += $0 })
      #expect(!contains(archive, content))
      func restore(_ name: String, _ stores: StoreDirectory) throws {
        var rest = archive[...]
        _ = try stores.restore(name, from: "archive") { buffer in
          let part = rest.prefix(buffer.count)
          buffer.copyBytes(from: part)
          rest = rest.dropFirst(part.count)
          return part.count
        }
      }
      var locked = stores
      locked.keys = nil
      #expect(throws: StoreError.locked(store: "again")) { try restore("again", locked) }
      try restore("again", stores)
      let again = try stores.open("again")
      #expect(try again.verify().problems == [])
      #expect(try again.attachment(named: "a", of: "with-file").bytes() == content)
      #expect(again.identity != store.identity)
    }
  }

  @Test("random work gives the same answers on an encrypted and a plain store")
  func workload() throws {
    try withEncryptedStores { stores in
      var generator = SeededGenerator(for: "the same work on two stores")
      var pair = [try stores.create("plain"), try stores.create("sealed", key: rawKey(1))]
      for round in 0..<400 {
        let id = "d\(Int.random(in: 0..<60, using: &generator))"
        let text = String(repeating: "x", count: Int.random(in: 0..<9_000, using: &generator))
        let choice = Int.random(in: 0..<20, using: &generator)
        for (index, store) in pair.enumerated() {
          switch choice {
          case 0: _ = try store.compact()
          case 1: pair[index] = try stores.open(store.name)
          case 2...5:
            if let present = try? store.document(id) {
              _ = try store.delete(id, revision: present.revision)
            }
          default:
            let present = try? store.document(id)
            try store.put(
              Document(
                id: id, revision: present?.revision,
                body: try DocumentBody(["text": .string(text), "round": .integer(Int64(round))])))
          }
        }
      }
      let changes = try pair.map { try $0.changes().rows.map { "\($0.id) \($0.sequence)" } }
      #expect(changes[0] == changes[1])
      for id in (0..<60).map({ "d\($0)" }) {
        // Few of the ids may never have been drawn.
        #expect((try? pair[0].history(of: id)) == (try? pair[1].history(of: id)))
        let bodies = pair.map { try? $0.document(id).body }
        #expect(bodies[0] == bodies[1])
      }
      for store in pair { #expect(try store.verify().problems == []) }
    }
  }
}
