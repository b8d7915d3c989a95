import Core
import Foundation

/// Rows into and out of a database in SQLCipher's format by our file system, for a comparison with
/// SQLCipher's own library in `sqlcipher_rows.py`: the same table, rows and settings.
struct PageBenchmark {
  private let folder: String
  private let rows: [(id: String, body: String)]

  init(path: String, folder: String) throws {
    self.folder = folder
    let text = try String(contentsOfFile: path, encoding: .utf8)
    rows = text.split(separator: "\n").enumerated().map { ("row-\($0.offset)", String($0.element)) }
  }

  /// Seconds for all rows in one transaction, and for reading them all back.
  func run() throws -> [(String, Double)] {
    let path = "\(folder)/rows.db"
    let salt = [UInt8](repeating: 5, count: PageCipher.saltSize)
    let key = SecretBytes(count: PageCipher.keySize) { $0.copyBytes(from: Array(100..<132)) }
    func open(_ mode: Connection.Mode) throws -> Connection {
      let connection = try Connection(
        path: path, mode: mode, cipher: PageCipher(key: key, salt: salt))
      try connection.execute("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16384")
      return connection
    }
    let insert = try time {
      let connection = try open(.create)
      try connection.execute("PRAGMA journal_mode = WAL")
      try connection.execute(
        "CREATE TABLE docs(seq INTEGER PRIMARY KEY, id TEXT UNIQUE, body TEXT)")
      try connection.transaction {
        for row in rows {
          try connection.run(
            "INSERT INTO docs(id, body) VALUES(?, ?)", .text(row.id), .text(row.body))
        }
      }
    }
    var bytes = 0
    let read = try time {
      let bodies = try open(.readWrite).all("SELECT id, body FROM docs") {
        ($0.text(0), $0.text(1))
      }
      bytes = bodies.reduce(0) { $0 + $1.1.utf8.count }
    }
    guard bytes == rows.reduce(0, { $0 + $1.body.utf8.count }) else { throw Mismatch() }
    return [("insert", insert), ("read", read)]
  }

  private struct Mismatch: Error {}

  private func time(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    return (ContinuousClock.now - start) / .seconds(1)
  }
}
