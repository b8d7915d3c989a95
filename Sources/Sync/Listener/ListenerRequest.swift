import Core
import HTTP

/// A request on its way through the listener: what came, and who sent it.
struct ListenerRequest {
  let http: HTTPRequest
  let identity: Authenticator.Identity
  let parameters: QueryParameters
  let configuration: ServerConfiguration

  init(
    _ http: HTTPRequest, identity: Authenticator.Identity, configuration: ServerConfiguration
  ) {
    self.http = http
    self.identity = identity
    self.configuration = configuration
    parameters = QueryParameters(of: http)
  }

  /// The method; clients behind proxies that know GET and POST only name another one in a header.
  var method: HTTPMethod {
    guard http.method == .post, let name = http.headers["X-HTTP-Method-Override"] else {
      return http.method
    }
    let method = HTTPMethod(rawValue: name)
    return HTTPMethod.common.contains(method) ? method : http.method
  }

  var user: UserContext { identity.user }

  /// Bodies of JSON that are read into memory: enough for batches of large documents.
  private static let jsonLimit = 256 << 20

  /// The body as JSON.
  func json() async throws -> JSON {
    let bytes = try await body(upTo: Self.jsonLimit)
    guard let json = try? JSON(parsing: bytes) else { throw Refusal.invalidJSON }
    return json
  }

  /// The body as a JSON object; an empty body counts as an empty object where that is allowed.
  func object(mayBeEmpty: Bool = false) async throws -> JSONObject {
    try requireJSONType()
    let bytes = try await body(upTo: Self.jsonLimit)
    if mayBeEmpty, bytes.isEmpty { return [:] }
    guard let json = try? JSON(parsing: bytes) else { throw Refusal.invalidJSON }
    guard case .object(let members) = json else {
      throw Refusal.badRequest("Request body must be a JSON object")
    }
    return members
  }

  func body(upTo limit: Int) async throws -> [UInt8] {
    do {
      return try await http.decodedBody(limit: Int64(limit)).collect(upTo: limit)
    } catch HTTPError.protocolViolation {
      throw Refusal(
        415, "bad_content_type", "Only gzip and identity content-encodings are supported")
    }
  }

  /// CouchDB wants POSTs to say that they are JSON, so that a form of a web page cannot make them.
  func requireJSONType() throws {
    guard http.contentType?.value == "application/json" else {
      throw Refusal(415, "bad_content_type", "Content-Type must be application/json")
    }
  }

  /// Whether an answer's tag is one the client has.
  func hasCurrent(tag: String) -> Bool {
    http.headers.values(of: "If-None-Match").contains { list in
      list.split(separator: ",").contains { entry in
        let tagged = entry.drop { $0 == " " }
        return tagged == "\"\(tag)\"" || tagged == "W/\"\(tag)\""
      }
    }
  }
}
