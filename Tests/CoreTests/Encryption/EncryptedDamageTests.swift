import Glibc
import TestSupport
import Testing

@testable import Core

/// Changed bytes in each file of an encrypted store: what is read is right, or it is an error.
@Suite struct EncryptedDamageTests {
  private func flip(_ sound: [UInt8], _ index: Int, _ path: String) throws {
    var bytes = sound
    bytes[index] ^= 0x10
    try writeBytes(bytes, to: path)
  }

  @Test("in the database: verify names the page")
  func database() throws {
    try withEncryptedStores { stores in
      let store = try stores.create("s", key: rawKey(1))
      for number in 0..<200 {
        try store.put(
          Document(
            id: "d\(number)",
            body: try DocumentBody(["t": .string(String(repeating: "t", count: 900))])))
      }
      for number in 0..<100 { try store.purge("d\(number)") }
      _ = try store.access { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
      try copyAsKilled(stores, "s", as: "copy")
      let path = stores.folder(of: "copy").appending("store.db")
      unlink(path + "-wal")
      let sound = try readBytes(path)
      var generator = SeededGenerator(for: "changed bytes of a database")
      for _ in 0..<60 {
        let index = Int.random(in: 0..<sound.count, using: &generator)
        try flip(sound, index, path)
        // Free pages among them: of these SQLite's own check reads nothing.
        let page = "page \(index / PageCipher.pageSize + 1) "
        do {
          let problems = try stores.open("copy").verify().problems
          #expect(problems.contains { $0.detail.contains(page) }, "byte \(index): \(problems)")
        } catch StoreError.damaged(_, let detail) {
          #expect(detail.contains(page), "byte \(index)")
        } catch StoreError.wrongKey {
          #expect(index < PageCipher.saltSize)
        }
      }
    }
  }

  @Test("in the log: an error, or the state of an earlier commit with a word about it")
  func log() throws {
    try withEncryptedStores { stores in
      let store = try stores.create("s", key: rawKey(1))
      for number in 0..<30 { try store.put(Document(id: "d\(number)")) }
      try copyAsKilled(stores, "s", as: "copy")
      let folder = stores.folder(of: "copy")
      let path = folder.appending("store.db")
      let (database, sound) = (try readBytes(path), try readBytes(path + "-wal"))
      try #require(sound.count > 32 + 10 * 4_120)
      var generator = SeededGenerator(for: "changed bytes of a log")
      let heads = (0..<32).map { $0 } + (0..<24).map { 32 + 5 * 4_120 + $0 }
      let random = (0..<60).map { _ in Int.random(in: 0..<sound.count, using: &generator) }
      for index in heads + random {
        for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
        try writeBytes(database, to: path)
        try flip(sound, index, path + "-wal")
        do {
          let copy = try stores.open("copy")
          #expect(try copy.cutLogRecord() == (index - 32) / 4_120 + 1, "byte \(index)")
          let ids = try copy.changes().rows.map(\.id)
          #expect(ids == (0..<ids.count).map { "d\($0)" }, "byte \(index)")
          #expect(try copy.verify().problems == [], "byte \(index)")
        } catch StoreError.damaged(_, let detail) {
          #expect(detail.contains("log"), "byte \(index)")
        }
      }
    }
  }

  @Test("in a page of the log that is in use: an error with the record's number")
  func openLog() throws {
    try withEncryptedStores { stores in
      let store = try stores.create("s", key: rawKey(1))
      for number in 0..<30 { try store.put(Document(id: "d\(number)")) }
      let path = stores.folder(of: "s").appending("store.db-wal")
      let file = try OpenFile(path, O_RDWR)
      let size = try file.size()
      for offset in stride(from: 32, to: size, by: 4_120) {
        try file.write([0, 0, 0, 0, 0, 0, 0, 0], at: offset + 1_000)
      }
      var found: [String] = []
      do {
        let other = try stores.open("s")
        _ = try other.changes()
      } catch StoreError.damaged(_, let detail) {
        found.append(detail)
      }
      #expect(found.count == 1 && found[0].hasPrefix("record "))
    }
  }

  // MARK: Rollback journal

  /// A database in the middle of a transaction whose pages did not all fit into memory.
  private func withHotJournal(
    _ body: (_ path: String, _ open: () throws -> Connection) throws -> Void
  ) throws {
    try withTemporaryDirectory { folder in
      let path = folder + "/a.db"
      let salt = [UInt8](repeating: 3, count: 16)
      func open(_ path: String, _ mode: Connection.Mode) throws -> Connection {
        try Connection(
          path: path, mode: mode, cipher: PageCipher(key: rawKey(1).pageKey(salt: salt), salt: salt)
        )
      }
      let connection = try open(path, .create)
      try connection.execute(
        """
        PRAGMA synchronous = FULL; PRAGMA cache_size = 10; PRAGMA cache_spill = 10;
        CREATE TABLE t(n INTEGER PRIMARY KEY, s TEXT);
        WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 2000)
        INSERT INTO t SELECT n, 'JOURNALLED ' || n || hex(zeroblob(60)) FROM c;
        BEGIN; UPDATE t SET s = 'CHANGED ' || n;
        """)
      let copy = folder + "/copy.db"
      try writeBytes(try readBytes(path), to: copy)
      try writeBytes(try readBytes(path + "-journal"), to: copy + "-journal")
      try body(copy) { try open(copy, .readWrite) }
    }
  }

  private static let question = "SELECT count(*) FROM t WHERE s LIKE 'JOURNALLED %'"

  @Test("a hot journal is encrypted, and is rolled back")
  func hotJournal() throws {
    try withHotJournal { path, open in
      for file in [path, path + "-journal"] {
        let bytes = try readBytes(file)
        #expect(bytes.count > 20_000)
        for text in ["JOURNALLED", "CHANGED", "SQLite format"] {
          #expect(!contains(bytes, Array(text.utf8)))
        }
      }
      let connection = try open()
      #expect(try connection.first(Self.question) { $0.integer(0) } == 2_000)
      #expect(try connection.first("PRAGMA integrity_check") { $0.text(0) } == "ok")
    }
  }

  @Test("a changed byte in a hot journal is an error, never half a transaction")
  func damagedJournal() throws {
    try withHotJournal { path, open in
      let (database, sound) = (try readBytes(path), try readBytes(path + "-journal"))
      var generator = SeededGenerator(for: "changed bytes of a journal")
      // The heads, each at the beginning of a sector: what follows them there means nothing.
      let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
      let heads = stride(from: 0, to: sound.count - 512, by: 512).filter {
        Array(sound[$0..<($0 + 8)]) == magic
      }
      try #require(heads.count > 1)
      let fields = heads.flatMap { head in (0..<28).map { head + $0 } }
      let random = (0..<80).map { _ in Int.random(in: 0..<sound.count, using: &generator) }
      var errors = 0
      for index in fields + random {
        try writeBytes(database, to: path)
        try flip(sound, index, path + "-journal")
        do {
          let connection = try open()
          #expect(try connection.first(Self.question) { $0.integer(0) } == 2_000, "byte \(index)")
          #expect(try connection.first("PRAGMA integrity_check") { $0.text(0) } == "ok")
          #expect(!fields.contains(index), "byte \(index)")
        } catch let error as StoreError {
          errors += 1
          guard case .damaged(_, let detail) = error else {
            Issue.record("byte \(index): \(error)")
            continue
          }
          #expect(detail.contains("journal"), "byte \(index)")
        }
      }
      #expect(errors > fields.count + 40)
    }
  }
}
