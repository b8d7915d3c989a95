import CSQLite
import Core
import Foundation

/// Single writes a second, one transaction each: the store against SQLite's own C interface
/// committing rows of the same columns.
struct PutBenchmark {
  private static let rounds = 5

  private let folder: String
  private let documents: [(id: String, json: JSON, body: [UInt8])]

  init(path: String, folder: String, count: Int) throws {
    self.folder = folder
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let lines = bytes.split(separator: 10, maxSplits: count).prefix(count)
    documents = try lines.map { line in
      var json = try JSON(parsing: Array(line))
      let id = json["_id"]?.stringValue ?? ""
      json["_id"] = nil
      return (id, json, json.serializedBytes(.canonical))
    }
  }

  func run() throws -> [(String, Double)] {
    var rounds = Rounds()
    for round in 0..<Self.rounds {
      for (name, pragma) in [("normal", "NORMAL"), ("full", "FULL")] {
        let file = "\(folder)/sqlite-\(name)-\(round).db"
        let rows = try SQLiteRows(path: file, synchronous: pragma)
        try rounds.time("sqlite.\(name)") {
          for document in documents { try rows.commit(id: document.id, body: document.body) }
        }
        rows.close()
        let store = try StoreDirectory(path: folder, durability: name == "full" ? .full : .normal)
          .create("\(name)-\(round)")
        try rounds.time("tote.\(name)") {
          for document in documents {
            try store.put(Document(json: document.json, id: document.id))
          }
        }
      }
    }
    return rounds.rates(of: Double(documents.count))
  }
}

/// The reference: a table of the same columns, prepared statements, one transaction a row.
final class SQLiteRows {
  private var handle: OpaquePointer?
  private var statements: [OpaquePointer?] = []

  init(path: String, synchronous: String) throws {
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    try check(sqlite3_open_v2(path, &handle, flags, nil))
    let setup = """
      PRAGMA journal_mode = WAL; PRAGMA synchronous = \(synchronous);
      CREATE TABLE docs(seq INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, rev BLOB NOT NULL,
        flags INTEGER NOT NULL, tree BLOB, body TEXT NOT NULL);
      """
    try check(sqlite3_exec(handle, setup, nil, nil, nil))
    let insert = "INSERT INTO docs(id, rev, flags, body) VALUES(?, ?, 0, ?)"
    for sql in ["BEGIN IMMEDIATE", insert, "COMMIT"] {
      var statement: OpaquePointer?
      try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
      statements.append(statement)
    }
  }

  func commit(id: String, body: [UInt8]) throws {
    let revision = [UInt8](repeating: 7, count: 17)
    try step(0)
    sqlite3_bind_text(statements[1], 1, id, -1, tote_sqlite_transient())
    sqlite3_bind_blob(statements[1], 2, revision, 17, tote_sqlite_transient())
    _ = body.withUnsafeBytes {
      sqlite3_bind_text(
        statements[1], 3, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count),
        tote_sqlite_transient())
    }
    try step(1)
    try step(2)
  }

  func close() {
    for statement in statements { sqlite3_finalize(statement) }
    sqlite3_close(handle)
  }

  private func step(_ index: Int) throws {
    guard sqlite3_step(statements[index]) == SQLITE_DONE else {
      throw Failure(code: sqlite3_errcode(handle))
    }
    sqlite3_reset(statements[index])
  }

  private func check(_ code: Int32) throws {
    guard code == SQLITE_OK else { throw Failure(code: code) }
  }

  struct Failure: Error {
    var code: Int32
  }
}
