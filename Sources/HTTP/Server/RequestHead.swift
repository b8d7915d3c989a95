/// The checked head of a request.
///
/// libmicrohttpd 0.9.75 lets pass what two readers may understand differently (request smuggling,
/// RFC 9112 §11.2): it is refused here, and the connection closed.
struct RequestHead {
  /// Why a request is answered by the server itself.
  struct Refusal: Error {
    var status: Int
    var reason: String
  }

  let method: HTTPMethod
  let headers: HTTPHeaders
  /// nil for a chunked body.
  let contentLength: Int64?
  let expectsContinue: Bool

  var hasBody: Bool { contentLength != 0 }

  init(
    method: String, target: String?, version: String, headers: HTTPHeaders,
    options: HTTPServer.Options
  ) throws(Refusal) {
    self.headers = headers
    self.method = HTTPMethod(rawValue: method)
    try Self.checkSizes(target, headers, options.limits)
    try Self.checkFields(headers, version)
    contentLength = try Self.length(headers, version)
    expectsContinue = try Self.expectation(headers)
    if let contentLength, contentLength > options.limits.bodyBytes {
      throw Refusal(
        status: 413, reason: "the body is larger than \(options.limits.bodyBytes) bytes")
    }
    guard isToken(method) else { throw Refusal(status: 400, reason: "the method is not a token") }
    guard options.methods.contains(self.method) else {
      throw HTTPMethod.common.contains(self.method)
        ? Refusal(status: 405, reason: "the method \(method) is not allowed")
        : Refusal(status: 501, reason: "the method \(method) is not known")
    }
  }

  private static func checkSizes(
    _ target: String?, _ headers: HTTPHeaders, _ limits: HTTPServer.Limits
  ) throws(Refusal) {
    guard let target else { throw Refusal(status: 400, reason: "the target is not UTF-8") }
    guard target.utf8.count <= limits.targetBytes else {
      throw Refusal(status: 414, reason: "the target is longer than \(limits.targetBytes) bytes")
    }
    guard headers.count <= limits.headerCount else {
      throw Refusal(status: 431, reason: "more than \(limits.headerCount) header fields")
    }
    let size = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    guard size <= limits.headerBytes else {
      throw Refusal(status: 431, reason: "more than \(limits.headerBytes) bytes of header fields")
    }
  }

  private static func checkFields(_ headers: HTTPHeaders, _ version: String) throws(Refusal) {
    var hosts = 0
    for field in headers {
      guard isToken(field.name) else {
        throw Refusal(status: 400, reason: "a header field's name is not a token")
      }
      guard isFieldValue(field.value) else {
        throw Refusal(status: 400, reason: "a header field has a control character")
      }
      if equalIgnoringCase(field.name, "host") {
        hosts += 1
        guard isHost(field.value) else {
          throw Refusal(status: 400, reason: "the Host is malformed")
        }
      }
    }
    guard sameBytes(version, "HTTP/1.1") || sameBytes(version, "HTTP/1.0") else {
      throw Refusal(status: 505, reason: "only HTTP/1.0 and HTTP/1.1 are spoken")
    }
    guard hosts == 1 || hosts == 0 && sameBytes(version, "HTTP/1.0") else {
      throw Refusal(status: 400, reason: hosts == 0 ? "there is no Host" : "more than one Host")
    }
  }

  private static func isHost(_ value: String) -> Bool {
    value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && !Array("/?#@\\,\"<>".utf8).contains($0) }
  }

  /// The length of the body, nil when it is chunked.
  private static func length(_ headers: HTTPHeaders, _ version: String) throws(Refusal) -> Int64? {
    let lengths = headers.values(of: "Content-Length")
    let codings = headers.values(of: "Transfer-Encoding")
    if let coding = codings.first {
      guard lengths.isEmpty else {
        throw Refusal(status: 400, reason: "both Content-Length and Transfer-Encoding")
      }
      guard sameBytes(version, "HTTP/1.1") else {
        throw Refusal(status: 400, reason: "Transfer-Encoding in HTTP/1.0")
      }
      guard codings.count == 1, equalIgnoringCase(coding, "chunked") else {
        throw Refusal(status: 501, reason: "the only transfer coding that is known is chunked")
      }
      return nil
    }
    guard let text = lengths.first else { return 0 }
    guard lengths.count == 1, let length = decimalNumber(text.utf8) else {
      throw Refusal(
        status: 400,
        reason: lengths.count == 1 ? "Content-Length is no number" : "more than one Content-Length")
    }
    return length
  }

  private static func expectation(_ headers: HTTPHeaders) throws(Refusal) -> Bool {
    guard let value = headers["Expect"] else { return false }
    guard equalIgnoringCase(value, "100-continue") else {
      throw Refusal(status: 417, reason: "the only expectation that is known is 100-continue")
    }
    return true
  }
}
