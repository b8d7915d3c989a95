import Glibc

extension LocalStore {
  /// Writes a consistent copy of the store as a tar archive, while other processes go on.
  ///
  /// The archive holds `store.db`, the attachments under `blobs/`, and last `tote-backup.json`, which
  /// proves it complete. Any tar reads it. The backup of an encrypted store is encrypted as that is.
  ///
  /// - Parameters:
  ///   - output: takes the archive's bytes, in order.
  ///   - progress: told now and then how many attachments of how many are done.
  /// - Returns: what the archive holds.
  /// - Throws: `StoreError`, or what `output` throws.
  public func backup(
    to output: (UnsafeRawBufferPointer) throws -> Void,
    progress: ((_ done: Int, _ total: Int) -> Void)? = nil
  ) throws -> BackupReport {
    // Held to the end: compaction must not remove what the copy names.
    let lease = try blobs.lease()
    defer { withExtendedLifetime(lease) {} }
    let copy = folder.appending("backup-\(getpid())-\(UInt32.random(in: 0...UInt32.max)).db")
    defer { unlink(copy) }
    _ = try OpenFile(copy, O_RDWR | O_CREAT | O_EXCL)
    try access { try $0.copy(to: copy, cipher: $0.cipher) }
    let connection = try Connection(path: copy, mode: .readOnly, cipher: secrets?.cipher())
    let documents = try connection.first("SELECT count(*) FROM docs") { $0.integer(0) } ?? 0
    let named = try connection.all("SELECT DISTINCT blob FROM attachments ORDER BY blob") {
      BlobID(digest: $0.array(0))
    }
    return try withoutActuallyEscaping(output) { output in
      var writer = TarWriter(output: output)
      try writer.add(file: OpenFile(copy, O_RDONLY), as: BackupManifest.databaseName)
      for (index, blob) in named.enumerated() {
        if index % 100 == 0 { progress?(index, named.count) }
        let file = blobs.fileName(of: blob)
        try writer.add(
          file: OpenFile(blobs.path(ofFile: file), O_RDONLY),
          as: BackupManifest.blobPrefix + file.hex)
      }
      let manifest = BackupManifest(
        store: name, documents: documents, blobs: named.count, sha256: writer.digestSoFar())
      try writer.add(manifest.json.serializedBytes(), as: BackupManifest.memberName)
      try writer.finish()
      return BackupReport(
        store: name, documents: documents, blobs: named.count, bytes: writer.count)
    }
  }
}

/// Writes a tar archive piece by piece and hashes what it wrote.
private struct TarWriter: ~Copyable {
  private let output: (UnsafeRawBufferPointer) throws -> Void
  private var sha256 = SHA256()
  private(set) var count = 0

  init(output: @escaping (UnsafeRawBufferPointer) throws -> Void) { self.output = output }

  mutating func add(file: consuming OpenFile, as name: String) throws {
    let size = try file.size()
    var status = stat()
    fstat(file.descriptor, &status)
    try write(TarHeader(name: name, size: size, modified: Int(status.st_mtim.tv_sec)).bytes)
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    var rest = size
    while rest > 0 {
      let read = try buffer.withUnsafeMutableBytes { bytes in
        try file.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes.prefix(rest)))
      }
      guard read > 0 else {
        throw StoreError.io(operation: "read", path: file.path, code: EIO)
      }
      try buffer.withUnsafeBytes { try write(UnsafeRawBufferPointer(rebasing: $0[..<read])) }
      rest -= read
    }
    try write([UInt8](repeating: 0, count: TarHeader.padding(after: size)))
  }

  mutating func add(_ bytes: [UInt8], as name: String) throws {
    try write(TarHeader(name: name, size: bytes.count, modified: Int(time(nil))).bytes)
    try write(bytes)
    try write([UInt8](repeating: 0, count: TarHeader.padding(after: bytes.count)))
  }

  /// Ends the archive: two blocks of zeros.
  mutating func finish() throws {
    try write([UInt8](repeating: 0, count: 2 * TarHeader.blockSize))
  }

  /// SHA-256 of everything written; can be asked once.
  mutating func digestSoFar() -> String { hexadecimal(sha256.finish()) }

  private mutating func write(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { try write($0) }
  }

  private mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
    try output(bytes)
    sha256.update(bytes)
    count += bytes.count
  }
}
