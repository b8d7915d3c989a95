import Core
import Glibc

/// An open bundle file.
///
/// `verify` reads all of it once before anything is taken from it; `BundleInput` then reads it frame
/// by frame.
public final class BundleFile: Sendable {
  /// The path, as it was given.
  public let path: String
  /// Bytes in the file.
  public let size: Int
  /// What the bundle says about itself.
  public let header: BundleHeader
  private let file: OpenFile
  /// Where the frame after the header begins.
  private let start: Int

  /// Opens a bundle and reads its header.
  ///
  /// - Throws: `BundleError.notABundle`, `.newerFormat`, `.incomplete`, `.damaged` or `.io`.
  public init(path: String) throws {
    self.path = path
    do {
      file = try OpenFile(path, O_RDONLY)
      var status = stat()
      guard fstat(file.descriptor, &status) == 0 else { throw file.failure("read") }
      guard status.st_mode & S_IFMT == S_IFREG else { throw BundleError.notABundle(path: path) }
      size = Int(status.st_size)
    } catch StoreError.io(let operation, _, let code) {
      throw BundleError.io(operation: operation, path: path, code: code)
    }
    var input = BundleInput(file.descriptor, path: path, from: 0, to: size)
    try Self.checkVersion(&input, path)
    guard let frame = try input.nextFrame(), frame.kind == .header,
      let header = BundleHeader(json: try input.json(of: frame))
    else { throw BundleError.damaged(path: path, detail: "its header cannot be read") }
    self.header = header
    start = input.position
  }

  private static func checkVersion(_ input: inout BundleInput, _ path: String) throws {
    guard let line = try? input.line(), line.utf8.starts(with: BundleFormat.magic.utf8),
      let version = Int(line.dropFirst(BundleFormat.magic.utf8.count)), version > 0
    else { throw BundleError.notABundle(path: path) }
    guard version <= BundleFormat.version else {
      throw BundleError.newerFormat(path: path, found: version, supported: BundleFormat.version)
    }
  }

  /// Compares the whole file with the digest on its last line.
  ///
  /// - Parameter progress: told the bytes read so far; may throw to stop.
  /// - Throws: `BundleError.incomplete` without such a line, `.damaged` when the bytes differ.
  public func verify(progress: (Int) throws -> Void = { _ in }) throws {
    let length = size - BundleFormat.trailerLength
    guard length > start else { throw BundleError.incomplete(path: path) }
    var input = BundleInput(file.descriptor, path: path, from: 0, to: size)
    var digest = SHA256()
    var rest = length
    while rest > 0 {
      let piece = try input.bytes(min(rest, BundleFormat.pieceSize))
      digest.update(piece)
      rest -= piece.count
      try progress(length - rest)
    }
    let trailer = String(decoding: try input.bytes(BundleFormat.trailerLength), as: UTF8.self)
    guard trailer.utf8.starts(with: BundleFormat.trailer.utf8),
      trailer.utf8.last == UInt8(ascii: "\n")
    else { throw BundleError.incomplete(path: path) }
    let expected = trailer.dropFirst(BundleFormat.trailer.utf8.count).dropLast()
    guard utf8Equal(String(expected), hexadecimal(digest.finish())) else {
      throw BundleError.damaged(path: path, detail: "its bytes do not match its digest")
    }
  }

  /// The frames after the header.
  func frames() -> BundleInput {
    BundleInput(
      file.descriptor, path: path, from: start, to: size - BundleFormat.trailerLength)
  }
}
