import Core
import Photos

/// The words of files that are not taken as photos.
extension PhotoRefusal: UserFacing {
  var hint: String? {
    switch self {
    case .truncated: "keep what is there of it with '--accept-damaged'"
    case .noLibrary(let package): "install it: apt-get install \(package)"
    case .tooSlow: "try it again when the machine has less to do"
    default: nil
    }
  }

  var exitClass: ExitClass {
    switch self {
    case .empty, .notJPEG, .corrupt, .truncated, .damaged, .unsupported, .tooManyBytes,
      .tooManyPixels, .tooManyScans, .tooMuchMemory:
      .invalidInput
    case .tooSlow, .cancelled: .failed
    case .unreadable, .unwritable: .inputOutput
    case .noLibrary: .configuration
    }
  }
}

/// The words of what a library of photos refuses.
extension PhotoLibraryError: UserFacing {
  var hint: String? {
    switch self {
    case .userExists: "change the password with 'tote photo user passwd'"
    case .userNotFound: "run 'tote photo user list' to see all"
    case .titleTooLong, .invalidUserName, .invalidPassword, .tooManyTries, .busy, .invalidLabel,
      .tooManyTokens, .contended, .closed:
      nil
    }
  }

  var exitClass: ExitClass {
    switch self {
    case .titleTooLong, .invalidUserName, .invalidPassword, .invalidLabel: .invalidInput
    case .userExists, .tooManyTokens: .cannotCreate
    case .userNotFound: .notFound
    case .tooManyTries: .notPermitted
    case .busy, .contended: .conflict
    case .closed: .failed
    }
  }
}

/// The words of what a photo service answers.
extension PhotoServerError: UserFacing {
  var hint: String? {
    switch self {
    case .refused(401, _, _, _), .refused(403, _, _, _):
      "give '--user NAME', or a token by '--token-file F' or TOTE_PHOTO_TOKEN"
    case .refused, .unexpected, .unreadable: nil
    }
  }

  var details: [(String, JSON)] {
    guard case .refused(let status, _, _, _) = self else { return [] }
    return [("status", .integer(Int64(status)))]
  }

  var exitClass: ExitClass {
    switch self {
    case .refused(401, _, _, _), .refused(403, _, _, _): .notPermitted
    case .refused(404, _, _, _): .notFound
    case .refused(409, _, _, _), .refused(429, _, _, _): .conflict
    case .refused(507, _, _, _): .inputOutput
    case .refused(let status, _, _, _): status < 500 ? .invalidInput : .unreachable
    case .unexpected: .unreachable
    case .unreadable(_, let code): InputError(name: "", errno: code).exitClass
    }
  }
}

/// A failure of one of several files, which is named.
struct NamedFileError: UserFacing {
  let file: String
  let cause: any UserFacing

  var code: String { cause.code }
  var message: String { "'\(file)': \(cause.message)" }
  var hint: String? { cause.hint }
  var details: [(String, JSON)] { [("file", .string(file))] + cause.details }
  var exitClass: ExitClass { cause.exitClass }
}
