import CPageCipher
import CSQLite

/// What a file that should be a database is, by its first page.
enum DatabaseFile: Equatable {
  /// SQLite's own format, or an empty file, which SQLite takes for an empty database.
  case plain
  /// Whole pages that look random, as an encrypted database does.
  case encrypted(salt: [UInt8])
  /// Something else.
  case foreign

  private static let plainHead = Array("SQLite format 3\0".utf8)

  // An encrypted page has 4,096 bytes that look random: each of the 256 values is then missing with
  // a probability of e⁻¹⁶. Texts, pictures and zeros have far fewer values.
  private static let leastDistinctValues = 240

  /// Looks at a file.
  static func kind(of path: String) throws(StoreError) -> DatabaseFile {
    let (page, size) = try bytes(of: path, count: PageCipher.pageSize)
    if size == 0 || page.starts(with: plainHead) { return .plain }
    guard size % PageCipher.pageSize == 0, Set(page).count >= leastDistinctValues else {
      return .foreign
    }
    return .encrypted(salt: Array(page[..<PageCipher.saltSize]))
  }

  /// Whether the keys fit the file: one of its first pages matches its authentication code.
  ///
  /// More than the first page is tried, so that a damaged one is not taken for a wrong key. SQLite
  /// must not open a file with a wrong key: it would find no valid record in its log and remove that.
  static func opens(_ path: String, with cipher: PageCipher) throws(StoreError) -> Bool {
    let tried = 8
    let (bytes, _) = try bytes(of: path, count: tried * PageCipher.pageSize)
    for index in 0..<tried {
      let page = Array(bytes[(index * PageCipher.pageSize)..<((index + 1) * PageCipher.pageSize)])
      // A page of zeros passes for one that was never written; it proves nothing.
      guard page.contains(where: { $0 != 0 }) else { continue }
      if cipher.decrypted(page, number: UInt32(index + 1)) != nil { return true }
    }
    return false
  }

  private static func bytes(
    of path: String, count: Int
  ) throws(StoreError) -> (bytes: [UInt8], size: Int) {
    var bytes = [UInt8](repeating: 0, count: count)
    var size: Int64 = 0
    let code = tote_database_read(path, &bytes, Int32(count), 0, &size)
    guard code == SQLITE_OK else {
      throw StoreError(sqlite: code, message: String(cString: sqlite3_errstr(code)), path: path)
    }
    return (bytes, Int(size))
  }
}
