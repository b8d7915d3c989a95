import Core
import HTTP
import Sync

/// The words of what servers answer.
extension RemoteError: UserFacing {
  var code: String {
    switch self {
    case .status(401, _, _, _): "unauthorized"
    case .status(403, _, _, _): "forbidden"
    case .status(404, _, _, _): "not_found"
    case .status(409, _, _, _): "conflict"
    case .status(412, _, _, _): "exists"
    case .status(let status, _, _, _) where status < 500: "invalid_input"
    case .status, .unexpected: "unreachable"
    case .transport(let error, _): error.code
    }
  }

  var exitClass: ExitClass {
    switch self {
    case .status(401, _, _, _), .status(403, _, _, _): .notPermitted
    case .status(404, _, _, _): .notFound
    case .status(409, _, _, _): .conflict
    case .status(412, _, _, _): .cannotCreate
    case .status(let status, _, _, _) where status < 500: .invalidInput
    case .status, .unexpected: .unreachable
    case .transport(let error, _): error.exitClass
    }
  }

  var message: String {
    switch self {
    case .status(401, _, let reason, let url):
      "'\(url)' wants to know who asks\(reason.isEmpty ? "" : ": \(lowered(reason))")"
    case .status(let status, let error, let reason, let url):
      "'\(url)' answered \(status) \(error)\(reason.isEmpty ? "" : ": \(lowered(reason))")"
    case .unexpected(let detail, let url): "'\(url)' does not answer as CouchDB does: \(detail)"
    case .transport(let error, let url): "'\(url)' cannot be reached: \(error)"
    }
  }

  var hint: String? {
    switch self {
    case .status(401, _, _, _):
      "save user and password with 'tote sync remote add NAME URL --user U'"
    case .transport(let error, _): error.hint
    case .status, .unexpected: nil
    }
  }

  var details: [(String, JSON)] {
    switch self {
    case .status(let status, let error, let reason, let url):
      [
        ("url", .string("\(url.withoutUserInfo)")), ("status", .integer(Int64(status))),
        ("error", .string(error)), ("reason", .string(reason)),
      ]
    case .unexpected(_, let url), .transport(_, let url):
      [("url", .string("\(url.withoutUserInfo)"))]
    }
  }

  private func lowered(_ text: String) -> String {
    var text = text
    if text.last == "." { text.removeLast() }
    guard let first = text.first, text.dropFirst().first?.isLowercase ?? true else { return text }
    return first.lowercased() + text.dropFirst()
  }
}

/// The words of failures below HTTP.
extension HTTPError: UserFacing {
  var code: String {
    switch self {
    case .libraryMissing: "config"
    case .invalidURL, .invalidRequest: "usage"
    case .tls(.pinMismatch, _, _, _): "pin_mismatch"
    case .nameNotResolved, .connectionFailed, .tls, .timedOut, .connectionClosed, .bodyTooLarge,
      .protocolViolation, .redirectRefused, .transfer:
      "unreachable"
    case .identity: "config"
    case .cannotListen: "cannot_create"
    case .file: "io"
    }
  }

  var exitClass: ExitClass {
    switch self {
    case .libraryMissing, .identity: .configuration
    case .invalidURL, .invalidRequest: .usage
    case .nameNotResolved, .connectionFailed, .tls, .timedOut, .connectionClosed, .bodyTooLarge,
      .protocolViolation, .redirectRefused, .transfer:
      .unreachable
    case .cannotListen: .cannotCreate
    case .file: .inputOutput
    }
  }

  var message: String { description }

  var hint: String? {
    switch self {
    case .libraryMissing(_, let package): "install the package \(package)"
    case .invalidURL: "write it as https://HOST/DATABASE"
    case .tls(.pinMismatch, _, _, _): "this is another server, or it has a new key"
    case .tls(.untrusted, _, _, _):
      "save it with 'tote sync remote add' and '--pin' or '--ca' if you know the server"
    default: nil
    }
  }
}
