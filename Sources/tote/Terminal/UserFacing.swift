import Core
import Glibc

/// An error as people and scripts see it.
protocol UserFacing: Error {
  /// A stable word for scripts, such as `conflict`.
  var code: String { get }
  /// One sentence in lower case without a final period, the subject quoted.
  var message: String { get }
  /// One step that helps, or `nil`.
  var hint: String? { get }
  /// Further keys of the JSON error object, in order.
  var details: [(String, JSON)] { get }
  /// The class of failure.
  var exitClass: ExitClass { get }
}

extension UserFacing {
  var hint: String? { nil }
  var details: [(String, JSON)] { [] }

  /// The JSON object scripts read on stderr: `{"error":{"code","message","hint",…}}`.
  var json: JSON {
    var error = JSONObject()
    error["code"] = .string(code)
    error["message"] = .string(message)
    error["hint"] = hint.map { .string($0) } ?? .null
    for (key, value) in details { error[key] = value }
    return .object(JSONObject([("error", .object(error))]))
  }
}

/// An error raised by a command itself.
struct CommandError: UserFacing, Sendable {
  let code: String
  let message: String
  let hint: String?
  let details: [(String, JSON)]
  let exitClass: ExitClass

  init(
    _ exitClass: ExitClass, _ code: String, _ message: String, hint: String? = nil,
    details: [(String, JSON)] = []
  ) {
    self.exitClass = exitClass
    self.code = code
    self.message = message
    self.hint = hint
    self.details = details
  }

  /// A mistake in the command line.
  static func usage(_ message: String, hint: String? = nil) -> CommandError {
    CommandError(.usage, "usage", message, hint: hint)
  }

  /// Input that is not what it should be.
  static func invalidInput(
    _ message: String, hint: String? = nil, details: [(String, JSON)] = []
  ) -> CommandError {
    CommandError(.invalidInput, "invalid_input", message, hint: hint, details: details)
  }
}

extension OutputError: UserFacing {
  var code: String { "io" }
  var message: String {
    switch self {
    case .closed: "cannot write output: the reader is gone"
    case .failed(let code): "cannot write output: \(systemMessage(code))"
    }
  }
  var exitClass: ExitClass { .inputOutput }
}

extension InputError: UserFacing {
  var code: String {
    switch exitClass {
    case .notFound: "not_found"
    case .notPermitted: "forbidden"
    default: "io"
    }
  }
  var message: String { "cannot read '\(name)': \(systemMessage(errno))" }
  var exitClass: ExitClass {
    switch errno {
    case ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG: .notFound
    case EACCES, EPERM: .notPermitted
    default: .inputOutput
    }
  }
}
