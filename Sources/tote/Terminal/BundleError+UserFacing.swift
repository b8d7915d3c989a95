import Core
import Glibc
import Sync

/// The words of the errors of bundles.
extension BundleError: UserFacing {
  var code: String {
    switch self {
    case .notABundle, .incomplete, .damaged: "invalid_input"
    case .newerFormat: "config"
    case .gap: "gap"
    case .inTheWay: "exists"
    case .io(_, _, ENOENT): "not_found"
    case .io: "io"
    }
  }

  var exitClass: ExitClass {
    switch self {
    case .notABundle, .incomplete, .damaged, .gap: .invalidInput
    case .newerFormat: .configuration
    case .inTheWay: .cannotCreate
    case .io(_, _, ENOENT): .notFound
    case .io: .inputOutput
    }
  }

  var message: String {
    switch self {
    case .notABundle(let path): "'\(path)' is not a bundle"
    case .newerFormat(let path, let found, let supported):
      "'\(path)' has format \(found), and this version of tote knows formats up to \(supported)"
    case .incomplete(let path): "'\(path)' is not complete: it ends too early"
    case .damaged(let path, let detail): "'\(path)' is damaged: \(detail)"
    case .gap(let path, let number, let missing, let applied):
      "'\(path)' is bundle \(number) of its series, and bundle \(missing) was not applied before; "
        + (applied.map { "the last one applied was bundle \($0)" } ?? "none was")
    case .inTheWay(let path, let reason): "'\(path)' exists and is not written over: \(reason)"
    case .io(let operation, let path, let code):
      "cannot \(operation) '\(path)': \(systemMessage(code))"
    }
  }

  var hint: String? {
    switch self {
    case .notABundle: "bundles are written by 'tote sync push STORE FILE'"
    case .newerFormat: "update tote"
    case .incomplete, .damaged: "nothing was applied; get the file again"
    case .gap(_, _, let missing, _):
      "apply bundle \(missing) first, or write one of everything with 'tote sync push' and '--reset'"
    case .inTheWay: "choose another path, or move the file away"
    case .io: nil
    }
  }

  var details: [(String, JSON)] {
    guard case .gap(let path, let number, let missing, let applied) = self else { return [] }
    return [
      ("file", .string(path)), ("number", .integer(Int64(number))),
      ("missing", .integer(Int64(missing))),
      ("applied", applied.map { .integer(Int64($0)) } ?? .null),
    ]
  }
}

/// The words of the errors of saved remotes.
extension RemoteDirectoryError: UserFacing {
  var code: String {
    switch self {
    case .notFound: "not_found"
    case .exists: "exists"
    case .invalidName: "invalid_input"
    case .damaged, .unsupportedKey: "config"
    }
  }

  var exitClass: ExitClass {
    switch self {
    case .notFound: .notFound
    case .exists: .cannotCreate
    case .invalidName: .invalidInput
    case .damaged, .unsupportedKey: .configuration
    }
  }

  var message: String {
    switch self {
    case .notFound(let name): "remote '\(name)' not found"
    case .exists(let name): "remote '\(name)' already exists"
    case .invalidName(let name, let reason): "'\(name)' cannot name a remote: \(reason)"
    case .damaged(let path): "'\(path)' does not describe a remote"
    case .unsupportedKey(let name):
      "remote '\(name)' has an API key, which this version of tote cannot use"
    }
  }

  var hint: String? {
    switch self {
    case .notFound: "run 'tote sync remote list' to see your remotes"
    case .exists: "choose another name, or pass '--replace'"
    case .invalidName: "begin with a-z and go on with a-z, 0-9 and _ . -"
    case .damaged: "remove it, and save the remote again"
    case .unsupportedKey: "use a user and password, or a token"
    }
  }
}
