package import Core
package import HTTP

/// A request that is answered with an error, in CouchDB's words.
package struct Refusal: Error {
  package var status: Int
  package var error: String
  package var reason: String
  package var headers = HTTPHeaders()

  package init(_ status: Int, _ error: String, _ reason: String) {
    self.status = status
    self.error = error
    self.reason = reason
  }

  package static func badRequest(_ reason: String) -> Refusal {
    Refusal(400, "bad_request", reason)
  }

  package static let invalidJSON = badRequest("invalid UTF-8 JSON")

  static func method(allowed: String) -> Refusal {
    var refusal = Refusal(405, "method_not_allowed", "Only \(allowed) allowed")
    refusal.headers["Allow"] = allowed
    return refusal
  }

  /// What JavaScript would have to answer.
  static func notImplemented(_ what: String) -> Refusal {
    Refusal(501, "not_implemented", "\(what) need JavaScript, which this server does not run.")
  }

  /// Words an error of any layer for the client; nothing of the machine's inside is told.
  package init(_ error: any Error) {
    switch error {
    case let refusal as Refusal: self = refusal
    case let error as StoreError:
      let answer = error.couchDB
      self.init(answer.status, answer.error, answer.reason)
    case let error as QueryError: self.init(error.status, error.code, error.reason)
    case is JSONError: self = .invalidJSON
    case is PasswordThread.Busy:
      self.init(
        503, "service_unavailable", "Too many passwords are being checked; try again soon.")
    case HTTPError.bodyTooLarge(let limit):
      self.init(413, "too_large", "the request entity is too large (limit \(limit) bytes)")
    default: self.init(500, "internal_server_error", "The request failed.")
    }
  }

  package var response: HTTPResponse {
    var response = HTTPResponse.json(
      status, ["error": .string(error), "reason": .string(reason)])
    for field in headers { response.headers[field.name] = field.value }
    return response
  }
}

extension HTTPResponse {
  /// An answer in JSON, as CouchDB sends it: one line.
  package static func json(_ status: Int = 200, _ json: JSON) -> HTTPResponse {
    HTTPResponse.json(status, bytes: json.serializedBytes())
  }

  /// An answer of JSON text.
  static func json(_ status: Int = 200, bytes: [UInt8]) -> HTTPResponse {
    HTTPResponse(
      status: status,
      headers: ["Cache-Control": "must-revalidate", "Content-Type": "application/json"],
      body: bytes + [UInt8(ascii: "\n")])
  }

  /// This answer with an entity tag.
  func tagged(_ text: String) -> HTTPResponse {
    var response = self
    response.headers["ETag"] = "\"\(text)\""
    return response
  }
}
