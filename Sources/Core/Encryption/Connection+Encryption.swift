import CSQLite

extension Connection {
  /// The most damaged pages that are listed.
  private static let damageLimit = 20

  /// Compares every page of an encrypted file with its authentication code, also those that hold
  /// nothing now; empty for a plain file.
  ///
  /// Call it in a transaction: the file then does not shrink meanwhile.
  func damagedPages() throws(StoreError) -> [PageCipher.Damage] {
    guard let cipher else { return [] }
    _ = cipher.takeDamage()
    var pointer: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &pointer)
    guard code == SQLITE_OK, let file = pointer, let methods = file.pointee.pMethods else {
      throw error(code)
    }
    var size: Int64 = 0
    let sized = methods.pointee.xFileSize(file, &size)
    guard sized == SQLITE_OK else { throw error(sized) }
    var found: [PageCipher.Damage] = []
    var page = [UInt8](repeating: 0, count: PageCipher.pageSize)
    for offset in stride(from: 0, to: size, by: PageCipher.pageSize) {
      // Another process that moves pages out of its log may be writing this one just now.
      for attempt in 1...3 {
        let code = methods.pointee.xRead(file, &page, Int32(page.count), offset)
        guard code & 0xff == SQLITE_CORRUPT || code == SQLITE_NOTADB else { break }
        if let damage = cipher.takeDamage(), attempt == 3 { found.append(damage) }
      }
      if found.count == Self.damageLimit { break }
    }
    return found
  }

  /// Copies the database into a new file.
  ///
  /// - Parameters:
  ///   - path: the new file; it must not exist, or be empty.
  ///   - cipher: the keys of the copy; nil makes a plain one. Between a plain and an encrypted file
  ///     the connection must be one that names files.
  /// - Throws: what SQLite says.
  func copy(to path: String, cipher: PageCipher?) throws {
    guard cipher != nil || self.cipher != nil else {
      return try run("VACUUM INTO ?", .text(path))
    }
    var reserved = Int32(cipher == nil ? 0 : PageCipher.reservedSize)
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved)
    guard code == SQLITE_OK else { throw error(code) }
    let fileSystem =
      if cipher == nil {
        sqlite3_vfs_find(nil).flatMap { String(cString: $0.pointee.zName) } ?? "unix"
      } else {
        try PageCipher.fileSystem(path: path)
      }
    let query = ["vfs=\(fileSystem)", cipher?.uriQuery].compactMap { $0 }
    try run("VACUUM INTO ?", .text(Self.uri(path, query)))
  }
}
