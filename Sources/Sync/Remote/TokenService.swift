import Core
import HTTP

/// Changes an API key into a bearer token (OAuth 2.0 with IBM's grant type for keys).
struct TokenService: Sendable {
  let url: WebURL
  let key: String
  let client: HTTPClient

  /// A token, and how many seconds it is good for.
  struct Token: Sendable {
    var text: String
    var life: Double
  }

  private static let grant = "urn:ibm:params:oauth:grant-type:apikey"

  func token() async throws -> Token {
    var request = HTTPClientRequest(.post, url)
    request.headers["Content-Type"] = "application/x-www-form-urlencoded"
    request.headers["Accept"] = "application/json"
    let form = HTTPQuery([
      ("grant_type", Self.grant), ("response_type", "cloud_iam"), ("apikey", key),
    ])
    request.body = .bytes(Array(form.encoded.utf8))
    let response: HTTPClientResponse
    let bytes: [UInt8]
    do {
      response = try await client.send(request)
      bytes = try await response.bytes(upTo: 1 << 20)
    } catch let error as HTTPError {
      throw RemoteError.transport(error, url: url)
    }
    let json = (try? JSON(parsing: bytes)) ?? .null
    guard response.status == 200 else {
      throw RemoteError.status(
        response.status, error: json["errorCode"]?.stringValue ?? "token",
        reason: json["errorMessage"]?.stringValue ?? "no token for this API key", url: url)
    }
    guard let text = json["access_token"]?.stringValue, !text.isEmpty else {
      throw RemoteError.unexpected(detail: "a token service without 'access_token'", url: url)
    }
    return Token(text: text, life: Double(json["expires_in"]?.integerValue ?? 3600))
  }
}
