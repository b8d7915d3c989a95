import Glibc

extension StoreDirectory {
  /// Makes a store from a backup.
  ///
  /// The store gets a new uuid: it is another copy, and must not pass for the one whose
  /// replications it remembers. It appears under its name only when everything was verified.
  ///
  /// - Parameters:
  ///   - name: the new store.
  ///   - path: names the archive in errors.
  ///   - input: fills a buffer with the archive's next bytes and returns how many; 0 at the end.
  ///   - progress: told now and then how many bytes were read.
  /// - Returns: what was restored.
  /// - Throws: `StoreError.storeExists`, `.damagedBackup` when it is cut short or altered, `.locked`
  ///   and `.wrongKey` when it is encrypted, or what `input` throws.
  public func restore(
    _ name: String, from path: String,
    input: (UnsafeMutableRawBufferPointer) throws -> Int,
    progress: ((_ bytes: Int) -> Void)? = nil
  ) throws -> BackupReport {
    try checkNew(name)
    try Folder(self.path).create()
    let target = folder(of: name)
    let draft = Folder(target.path + ".restore-\(getpid())")
    try draft.create()
    do {
      let report = try withoutActuallyEscaping(input) { input in
        var reader = BackupReader(path: path, draft: draft, input: input, progress: progress)
        return try reader.run()
      }
      try adopt(draft, as: name, path: path)
      guard rename(draft.path, target.path) == 0 else {
        let code = errno
        if code == EEXIST || code == ENOTEMPTY { throw StoreError.storeExists(name: name) }
        throw StoreError(errno: code, operation: "create store", path: target.path)
      }
      try Folder(self.path).synchronize()
      return report
    } catch {
      try? draft.removeTree()
      throw error
    }
  }

  /// Checks the database that came out of the archive and makes it a store of its own.
  private func adopt(_ draft: Folder, as name: String, path: String) throws {
    let secrets = try LocalStore.unlock(name, draft, keys)
    let connection = try Connection(
      path: draft.appending(BackupManifest.databaseName), mode: .readWrite,
      cipher: secrets?.cipher())
    try Schema.open(connection)
    let check = try connection.first("PRAGMA integrity_check(1)") { $0.text(0) }
    guard check == "ok" else {
      throw StoreError.damagedBackup(path: path, detail: check ?? "its database cannot be read")
    }
    try connection.execute("PRAGMA journal_mode = WAL")
    try connection.run(
      "INSERT OR REPLACE INTO info VALUES('uuid', ?)", .text(RandomIdentifier.uuid()))
  }
}

/// Takes a backup apart into a folder.
private struct BackupReader: ~Copyable {
  private let path: String
  private let draft: Folder
  private let input: (UnsafeMutableRawBufferPointer) throws -> Int
  private let progress: ((Int) -> Void)?
  private var sha256 = SHA256()
  private var buffer = [UInt8](repeating: 0, count: 1 << 18)
  private var count = 0
  private var blobCount = 0
  private var isEncrypted = false

  init(
    path: String, draft: Folder, input: @escaping (UnsafeMutableRawBufferPointer) throws -> Int,
    progress: ((Int) -> Void)?
  ) {
    self.path = path
    self.draft = draft
    self.input = input
    self.progress = progress
  }

  mutating func run() throws -> BackupReport {
    let blobs = BlobStore(draft.subfolder(LocalStore.blobFolderName))
    try blobs.folder.create()
    while true {
      let block = try bytes(TarHeader.blockSize)
      guard let header = TarHeader(block) else { throw damaged("it is not a backup of a store") }
      if header.name == BackupManifest.memberName { return try finish(header) }
      sha256.update(block)
      if header.name == BackupManifest.databaseName {
        try readDatabase(header)
      } else if header.name.hasPrefix(BackupManifest.blobPrefix) {
        try readBlob(header, into: blobs)
      } else {
        throw damaged("it holds '\(header.name)', which is no part of a backup")
      }
      sha256.update(try bytes(TarHeader.padding(after: header.size)))
    }
  }

  private mutating func finish(_ header: TarHeader) throws -> BackupReport {
    guard header.size < 1 << 16 else { throw damaged("its last part is too long") }
    let manifest = try BackupManifest(parsing: try bytes(header.size), path: path)
    guard manifest.sha256 == hexadecimal(sha256.finish()), manifest.blobs == blobCount else {
      throw damaged("its content does not match its checksum")
    }
    // What follows is padding; a pipe's writer wants it read.
    _ = try? bytes(TarHeader.padding(after: header.size) + 2 * TarHeader.blockSize)
    return BackupReport(
      store: manifest.store, documents: manifest.documents, blobs: blobCount, bytes: count)
  }

  private mutating func readDatabase(_ header: TarHeader) throws {
    let file = try OpenFile(
      draft.appending(BackupManifest.databaseName), O_WRONLY | O_CREAT | O_EXCL)
    try forEachPart(of: header.size) { try file.write($0) }
    try file.synchronize()
    if case .encrypted = try DatabaseFile.kind(of: file.path) { isEncrypted = true }
  }

  private mutating func readBlob(_ header: TarHeader, into blobs: BlobStore) throws {
    if isEncrypted { return try readSealedBlob(header, into: blobs) }
    let writer = try blobs.writer()
    try forEachPart(of: header.size) { try writer.append($0) }
    let staged = try writer.finish()
    guard staged.blob.hex == header.name.dropFirst(BackupManifest.blobPrefix.count) else {
      throw damaged("an attachment does not match its checksum")
    }
    blobCount += 1
  }

  /// The file of an encrypted store's blob goes as it is to where its name says; its codes, and the
  /// backup's checksum, tell whether it is whole.
  private mutating func readSealedBlob(_ header: TarHeader, into blobs: BlobStore) throws {
    let hex = String(header.name.dropFirst(BackupManifest.blobPrefix.count))
    guard let name = BlobID(hex: hex) else { throw damaged("an attachment has no proper name") }
    let temporary = blobs.folder.appending("restored")
    let file = try OpenFile(temporary, O_WRONLY | O_CREAT | O_TRUNC)
    try forEachPart(of: header.size) { try file.write($0) }
    try file.synchronize()
    try blobs.place(temporary, asFile: name)
    blobCount += 1
  }

  private mutating func forEachPart(
    of size: Int, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var rest = size
    while rest > 0 {
      let read = try fill(min(rest, buffer.count))
      try buffer.withUnsafeBytes { bytes in
        let part = UnsafeRawBufferPointer(rebasing: bytes[..<read])
        sha256.update(part)
        try body(part)
      }
      rest -= read
    }
  }

  private mutating func bytes(_ wanted: Int) throws -> [UInt8] {
    var result: [UInt8] = []
    while result.count < wanted {
      let read = try fill(min(wanted - result.count, buffer.count))
      result += buffer[..<read]
    }
    return result
  }

  private mutating func fill(_ wanted: Int) throws -> Int {
    let input = input
    let read = try buffer.withUnsafeMutableBytes { bytes in
      try input(UnsafeMutableRawBufferPointer(rebasing: bytes[..<wanted]))
    }
    guard read > 0 else { throw damaged("it ends too early") }
    count += read
    progress?(count)
    return read
  }

  private func damaged(_ detail: String) -> StoreError {
    .damagedBackup(path: path, detail: detail)
  }
}
