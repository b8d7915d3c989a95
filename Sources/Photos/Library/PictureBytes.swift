public import HTTP

/// The bytes of one picture, in the form that is cheapest to send.
public struct PictureBytes: Sendable {
  /// Bytes and digest.
  public let picture: Photo.Picture
  /// Where the bytes are.
  public let content: Content

  /// Where a picture's bytes are.
  public enum Content: Sendable {
    /// In memory: small pictures.
    case memory([UInt8])
    /// A file that holds just these bytes.
    case file(HTTPFile)
    /// Read piece by piece, from an encrypted store; the closure takes the range that is wanted.
    case stream(@Sendable (Range<Int64>) -> HTTPBody)
  }

  /// All of it, as a body.
  public var body: HTTPBody { body(0..<picture.length) }

  /// A part of it, as a body; the range lies within the picture.
  public func body(_ range: Range<Int64>) -> HTTPBody {
    switch content {
    case .memory(let bytes): HTTPBody(Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
    case .file(let file): HTTPBody(file.part(range))
    case .stream(let part): part(range)
    }
  }
}
