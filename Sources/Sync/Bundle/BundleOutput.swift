import Core
import Glibc

/// Writes the frames of a bundle to an open file and hashes them.
final class BundleOutput {
  private let descriptor: Int32
  private let path: String
  private var digest = SHA256()
  private var buffer: [UInt8] = []
  /// Bytes of the bundle so far.
  private(set) var count = 0

  /// Starts a bundle in an open file, which is not closed here; `path` is its name in errors.
  init(descriptor: Int32, path: String) throws(BundleError) {
    self.descriptor = descriptor
    self.path = path
    buffer.reserveCapacity(BundleFormat.pieceSize + 4_096)
    try add(Array("\(BundleFormat.magic)\(BundleFormat.version)\n".utf8))
  }

  /// Writes a frame whose content is at hand.
  func write(_ kind: BundleFormat.Kind, _ content: [UInt8] = []) throws(BundleError) {
    try begin(kind, length: content.count)
    try add(content)
    try end()
  }

  /// Starts a frame of so many bytes, given piece by piece to `add`.
  func begin(_ kind: BundleFormat.Kind, length: Int) throws(BundleError) {
    try add(Array("\(kind.rawValue) \(length)\n".utf8))
  }

  /// Adds bytes.
  func add(_ bytes: [UInt8]) throws(BundleError) {
    buffer += bytes
    if buffer.count >= BundleFormat.pieceSize { try flush() }
  }

  /// Ends a frame.
  func end() throws(BundleError) { try add([UInt8(ascii: "\n")]) }

  /// Writes the last line; nothing may follow.
  func finish() throws(BundleError) {
    try flush()
    let line = BundleFormat.trailer + hexadecimal(digest.finish()) + "\n"
    try pass(Array(line.utf8))
  }

  private func flush() throws(BundleError) {
    digest.update(buffer)
    try pass(buffer)
    buffer.removeAll(keepingCapacity: true)
  }

  private func pass(_ bytes: [UInt8]) throws(BundleError) {
    var written = 0
    while written < bytes.count {
      let result = bytes.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress.map { $0 + written }, bytes.count - written)
      }
      if result < 0 {
        if errno == EINTR { continue }
        throw .io(operation: "write", path: path, code: errno)
      }
      written += result
    }
    count += written
  }
}
