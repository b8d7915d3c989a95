extension AttachmentReader {
  /// Reads the file from its start to its end, decompressed where the store holds it compressed, and
  /// checks it against its digest.
  ///
  /// Memory does not grow with the attachment.
  ///
  /// - Parameters:
  ///   - pieceSize: the most bytes handed over at a time.
  ///   - body: takes the next bytes, lent for the call.
  /// - Throws: `StoreError.damagedAttachment` when the bytes are not what the digest says, which shows
  ///   only at the end; what `body` throws; `TransferError.noCompression` without zlib.
  public consuming func readContent(
    pieceSize: Int = 1 << 20, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let attachment = attachment
    let stored = StoredBytes(self)
    let source: any ByteSource =
      attachment.encoding == "gzip" ? try GzipSource(stored, name: attachment.name) : stored
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 16)
    defer { buffer.deallocate() }
    do {
      while true {
        let count = try source.read(into: buffer)
        if count == 0 { break }
        try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
    } catch TransferError.damagedGzip(_, let detail) {
      throw stored.failure ?? StoreError.damagedAttachment(name: attachment.name, detail: detail)
    }
    if let failure = stored.failure { throw failure }
    guard stored.finishDigest() == attachment.digest else {
      throw StoreError.damagedAttachment(
        name: attachment.name, detail: "its bytes do not match its digest")
    }
  }
}

/// An attachment's bytes as they are stored, hashed while they are read.
private final class StoredBytes: ByteSource {
  private let reader: AttachmentReader
  private var md5 = MD5()
  private(set) var bytesRead = 0
  /// Why the end came too early: a source of bytes has no other way to say it.
  private(set) var failure: (any Error)?

  init(_ reader: consuming AttachmentReader) { self.reader = reader }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransferError) -> Int {
    do {
      let count = try reader.read(into: buffer, at: bytesRead)
      md5.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      bytesRead += count
      return count
    } catch {
      failure = error
      return 0
    }
  }

  /// The digest of all bytes, as CouchDB writes it; asked for once.
  func finishDigest() -> String {
    let (high, low) = md5.finish()
    return md5Text(withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) })
  }
}
