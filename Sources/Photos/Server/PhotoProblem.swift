import Core
import HTTP
import Sync

/// A request that is answered with an error.
///
/// The answer is `{"error":{"code","message"}}`; codes of refused pictures are those of
/// ``PhotoRefusal``, the same as on the command line.
struct PhotoProblem: Error {
  var status: Int
  /// A stable word for programs.
  var code: String
  /// A sentence for people.
  var message: String
  var headers = HTTPHeaders()
  /// The sender's name of the file that is refused.
  var file: String?

  init(_ status: Int, _ code: String, _ message: String) {
    self.status = status
    self.code = code
    self.message = message
  }

  static let notFound = PhotoProblem(404, "not_found", "there is nothing here")
  static let noSuchPhoto = PhotoProblem(404, "not_found", "no such photo")

  static func badRequest(_ message: String) -> PhotoProblem {
    PhotoProblem(400, "bad_request", message)
  }

  static var unauthorized: PhotoProblem {
    var problem = PhotoProblem(401, "unauthorized", "log in first")
    problem.headers["WWW-Authenticate"] = "Bearer realm=\"tote\""
    return problem
  }

  /// What was shown counts for nothing.
  static var invalidToken: PhotoProblem {
    var problem = unauthorized
    problem.message =
      "the token is not valid: it was removed, or the password was changed"
    return problem
  }

  static func forbidden(_ message: String) -> PhotoProblem {
    PhotoProblem(403, "forbidden", message)
  }

  static func tooLarge(limit: Int64) -> PhotoProblem {
    let refusal = PhotoRefusal.tooManyBytes(limit: Int(clamping: limit))
    return PhotoProblem(413, refusal.code, "the file is \(refusal.message)")
  }

  static func busy(_ message: String, retryAfter seconds: Int) -> PhotoProblem {
    var problem = PhotoProblem(429, "too_many_requests", message)
    problem.headers["Retry-After"] = "\(max(1, seconds))"
    return problem
  }

  static func method(allowed: [HTTPMethod]) -> PhotoProblem {
    let names = allowed.map(\.rawValue).joined(separator: ", ")
    var problem = PhotoProblem(405, "method_not_allowed", "only \(names) can be used here")
    problem.headers["Allow"] = names
    return problem
  }

  /// Words an error of any layer; nothing of the machine's inside is told.
  init(_ error: any Error) {
    switch error {
    case let problem as PhotoProblem: self = problem
    case let refusal as PhotoRefusal: self.init(refusal, file: nil)
    case let error as PhotoLibraryError: self.init(error)
    case StoreError.diskFull: self = .diskFull
    case StoreError.busy, StoreError.locked:
      self.init(503, "unavailable", "the library cannot be used just now")
      headers["Retry-After"] = "5"
    case StoreError.readOnly, StoreError.forbidden:
      self.init(503, "read_only", "the library cannot be written")
    case is RemoteError:
      self.init(503, "unavailable", "the library cannot be reached just now")
      headers["Retry-After"] = "5"
    case HTTPError.bodyTooLarge(let limit):
      self.init(413, "too_large", "the body is larger than \(limit) bytes")
    case HTTPError.connectionClosed, is CancellationError:
      self.init(400, "incomplete", "the request ended early")
    case HTTPError.protocolViolation(let text):
      self = .badRequest("the request is malformed: \(text)")
    case is JSONError: self = .badRequest("the body is not valid JSON")
    default: self.init(500, "internal", "the request failed")
    }
  }

  private init(_ error: PhotoLibraryError) {
    let status =
      switch error {
      case .titleTooLong, .invalidUserName, .invalidPassword, .invalidLabel: 400
      case .userExists, .tooManyTokens: 409
      case .userNotFound: 401
      case .tooManyTries, .busy: 429
      case .contended, .closed: 503
      }
    self.init(status, error.code, error.message)
    switch error {
    case .tooManyTries(let wait): headers["Retry-After"] = "\(max(1, wait.components.seconds))"
    case .busy, .contended, .closed: headers["Retry-After"] = "5"
    default: break
    }
  }

  static let diskFull = PhotoProblem(507, "disk_full", "the server's disk is full")

  /// Words a refused picture; `file` is the sender's name of it, as it came.
  init(_ refusal: PhotoRefusal, file: String?) {
    let name = file.map { VisibleText.line($0, limit: 100) }.flatMap { $0.isEmpty ? nil : $0 }
    let status =
      switch refusal {
      case .notJPEG: 415
      case .tooManyBytes: 413
      case .unwritable(let code) where StoreError(errno: code, operation: "", path: "").isDiskFull:
        507
      case .tooSlow, .cancelled, .unreadable, .unwritable, .noLibrary: 503
      default: 422
      }
    guard status != 507 else {
      self = .diskFull
      return
    }
    self.init(
      status, refusal.code, name.map { "'\($0)': \(refusal.message)" } ?? refusal.message)
    self.file = name
    if status == 503 { headers["Retry-After"] = "5" }
  }

  var json: JSON {
    var error: JSONObject = ["code": .string(code), "message": .string(message)]
    if let file { error["file"] = .string(file) }
    return ["error": .object(error)]
  }

  var response: HTTPResponse {
    var response = HTTPResponse.photoJSON(json, status: status)
    for field in headers { response.headers[field.name] = field.value }
    return response
  }
}

extension StoreError {
  fileprivate var isDiskFull: Bool {
    if case .diskFull = self { true } else { false }
  }
}

extension HTTPResponse {
  /// An answer in JSON, which nobody keeps unless told otherwise.
  static func photoJSON(_ json: JSON, status: Int = 200) -> HTTPResponse {
    HTTPResponse(
      status: status,
      headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
      body: json.serializedBytes(.compact.escapingSeparators) + [UInt8(ascii: "\n")])
  }
}
