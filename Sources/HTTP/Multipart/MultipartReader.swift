/// One part of a multipart body.
public struct MultipartPart: Sendable {
  /// The part's headers.
  public let headers: HTTPHeaders
  /// The part's bytes; what is left of them is skipped when the next part is asked for.
  public let body: HTTPBody

  /// The `Content-Type`, taken apart; nil when there is none.
  public var contentType: MediaType? { headers["Content-Type"].map { MediaType($0) } }

  /// The `Content-Disposition`, taken apart; nil when there is none.
  public var disposition: ContentDisposition? {
    headers["Content-Disposition"].map { ContentDisposition($0) }
  }
}

/// Reads the parts of a multipart body, one after another and each as a stream.
///
///     let reader = try MultipartReader(request.body, contentType: request.contentType)
///     while let part = try await reader.nextPart() {
///       for try await chunk in part.body { … }
///     }
///
/// For multipart/related, multipart/mixed and multipart/form-data alike. A part that is a multipart
/// itself gets a reader over its own body. One task at a time may read.
public final class MultipartReader: @unchecked Sendable {
  // Invariant of `@unchecked`: one task reads the parts and their bodies, one after another. The
  // bodies refer back to the reader, so they could not be `Sendable` otherwise.
  private var iterator: HTTPBody.Iterator
  private var parser: MultipartParser
  private var events: [MultipartParser.Event] = []
  private var next = 0
  /// The number of the part that is being read; bodies of earlier ones have ended.
  private var current = 0
  private var isInPart = false

  /// - Throws: `HTTPError.protocolViolation` when the type is no multipart or names no boundary.
  public init(_ body: HTTPBody, contentType: MediaType?) throws(HTTPError) {
    guard let contentType, contentType.matches("multipart/*"),
      let boundary = contentType.parameters["boundary"], !boundary.isEmpty,
      boundary.utf8.count <= 200
    else { throw .protocolViolation(text: "no multipart type with a boundary") }
    iterator = body.makeAsyncIterator()
    parser = MultipartParser(boundary: boundary)
  }

  /// The next part, nil after the last one.
  ///
  /// - Throws: `HTTPError.protocolViolation` for a malformed or truncated body, and what reading the
  ///   body throws.
  public func nextPart() async throws -> MultipartPart? {
    while isInPart { _ = try await chunk(of: current) }
    guard let event = try await nextEvent() else { return nil }
    guard case .begin(let headers) = event else {
      preconditionFailure("between parts there is nothing but a beginning")
    }
    current += 1
    isInPart = true
    let number = current
    return MultipartPart(
      headers: headers,
      body: HTTPBody { [self] in
        try await chunk(of: number)
      })
  }

  /// Reads what is left of the body, so that a sender is heard to its end.
  public func drain() async throws {
    while try await nextPart() != nil {}
    while try await iterator.next() != nil {}
  }

  private func chunk(of number: Int) async throws -> [UInt8]? {
    guard isInPart, number == current else { return nil }
    switch try await nextEvent() {
    case .bytes(let bytes): return bytes
    default:
      isInPart = false
      return nil
    }
  }

  private func nextEvent() async throws -> MultipartParser.Event? {
    while next == events.count {
      events.removeAll(keepingCapacity: true)
      next = 0
      guard !parser.isComplete else { return nil }
      guard let bytes = try await iterator.next() else {
        try parser.finish()
        return nil
      }
      try parser.parse(bytes) { events.append($0) }
    }
    defer { next += 1 }
    return events[next]
  }
}
