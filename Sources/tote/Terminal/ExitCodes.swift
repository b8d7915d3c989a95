/// The exit statuses of `tote`: the class of a failure.
///
/// The exact kind is the error's `code`. The numbers never change; they follow `sysexits.h` where it has one.
enum ExitClass: Int32, Sendable, CaseIterable {
  case success = 0
  case failed = 1
  case usage = 64
  case invalidInput = 65
  case notFound = 66
  case unreachable = 69
  case cannotCreate = 73
  case inputOutput = 74
  case conflict = 75
  case notPermitted = 77
  case configuration = 78

  /// Gravest first; what is not listed does not mix with others.
  private static let gravity: [ExitClass] = [
    .inputOutput, .configuration, .notPermitted, .unreachable, .conflict, .cannotCreate, .notFound,
    .invalidInput, .usage, .failed, .success,
  ]

  /// The status of a run in which both happened.
  func merged(with other: ExitClass) -> ExitClass {
    ExitClass.gravity.first { $0 == self || $0 == other } ?? .failed
  }

  /// What the status means, for help and manual.
  var meaning: String {
    switch self {
    case .success: "done; also when a list is empty or the reader closed the pipe"
    case .failed: "failed, or partly ('partial': each item's outcome is told)"
    case .usage: "the command line is wrong"
    case .invalidInput: "the input is wrong: JSON, a date, a selector, a file's contents"
    case .notFound: "a store, document, revision, file or todo does not exist"
    case .unreachable: "a server cannot be reached"
    case .cannotCreate: "something already exists, or cannot be created"
    case .inputOutput: "input or output failed: disk full, damaged file"
    case .conflict: "the document changed or the store is busy: try again"
    case .notPermitted: "not permitted, or a wrong passphrase"
    case .configuration: "the configuration is invalid, or there is no home directory"
    }
  }
}
