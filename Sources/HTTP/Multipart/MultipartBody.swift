/// Writes the frame of a multipart body, for writers that do not know their parts beforehand.
///
///     let frame = MultipartFrame()
///     try await writer.write(frame.begin(["Content-Type": "application/json"]))
///     try await writer.write(json)
///     …
///     try await writer.write(frame.end)
public struct MultipartFrame: Sendable {
  /// The boundary, without dashes.
  public let boundary: String

  /// A frame with a boundary of 128 random bits, or a given one.
  public init(boundary: String? = nil) {
    self.boundary =
      boundary
      ?? [UInt64.random(in: 0 ... .max), .random(in: 0 ... .max)].map {
        let digits = String($0, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
      }.joined()
  }

  /// The `Content-Type` of the whole; `subtype` is `related`, `mixed` or `form-data`.
  public func contentType(_ subtype: String) -> String {
    "multipart/\(subtype); boundary=\"\(boundary)\""
  }

  /// The delimiter and the head of a part.
  ///
  /// With `isFirst` there is no line end before it, as in a body that begins with its first part.
  public func begin(_ headers: HTTPHeaders, isFirst: Bool = false) -> [UInt8] {
    var text = isFirst ? "--\(boundary)\r\n" : "\r\n--\(boundary)\r\n"
    for field in headers { text += "\(field.name): \(cleanFieldValue(field.value))\r\n" }
    return Array((text + "\r\n").utf8)
  }

  /// The closing delimiter; after no part at all it begins the body.
  public var end: [UInt8] { Array("\r\n--\(boundary)--".utf8) }
}

/// A multipart body of known parts, with its length when every part's is known.
public struct MultipartBody: Sendable {
  /// One part.
  public struct Part: Sendable {
    /// Its headers.
    public var headers: HTTPHeaders
    /// Its bytes.
    public var body: HTTPBody

    /// Makes a part.
    public init(headers: HTTPHeaders, body: HTTPBody) {
      self.headers = headers
      self.body = body
    }
  }

  /// The boundary and the delimiters.
  public let frame: MultipartFrame
  /// The parts in order.
  public let parts: [Part]

  /// A body of these parts.
  public init(_ parts: [Part], frame: MultipartFrame = MultipartFrame()) {
    self.parts = parts
    self.frame = frame
  }

  /// The length of the whole in bytes; nil when a part's is not known.
  public var length: Int64? {
    var sum = Int64(frame.end.count)
    for (index, part) in parts.enumerated() {
      guard let length = part.body.length else { return nil }
      sum += Int64(frame.begin(part.headers, isFirst: index == 0).count) + length
    }
    return sum
  }

  /// The whole as a stream.
  public var body: HTTPBody { HTTPBody(Chunks(base: self), length: length) }

  private struct Chunks: AsyncSequence, Sendable {
    typealias Element = [UInt8]
    let base: MultipartBody

    func makeAsyncIterator() -> Iterator { Iterator(base: base) }
  }

  private struct Iterator: AsyncIteratorProtocol {
    let base: MultipartBody
    var index = -1
    var part: HTTPBody.Iterator?
    var isAtEnd = false

    mutating func next() async throws -> [UInt8]? {
      if let chunk = try await part?.next() { return chunk }
      guard !isAtEnd else { return nil }
      index += 1
      guard index < base.parts.count else {
        part = nil
        isAtEnd = true
        return base.frame.end
      }
      part = base.parts[index].body.makeAsyncIterator()
      return base.frame.begin(base.parts[index].headers, isFirst: index == 0)
    }
  }
}
