import Core
import Glibc

/// The words of the errors of imports and exports.
extension TransferError: UserFacing {
  var code: String {
    switch self {
    case .malformed, .incomplete, .damagedGzip: "invalid_input"
    case .noCompression: "config"
    case .documentExists: "exists"
    case .io: "io"
    case .cancelled: "interrupted"
    }
  }

  var exitClass: ExitClass {
    switch self {
    case .malformed, .incomplete, .damagedGzip: .invalidInput
    case .noCompression: .configuration
    case .documentExists: .cannotCreate
    case .io: .inputOutput
    case .cancelled: .failed
    }
  }

  var message: String {
    switch self {
    case .malformed(let problem): problem.message
    case .incomplete(let input, let detail): "'\(input)' is not complete: \(detail)"
    case .damagedGzip(let input, let detail):
      "'\(input)' cannot be decompressed: \(detail)"
    case .noCompression(let path): "'\(path)' needs gzip, and zlib cannot be loaded"
    case .documentExists(let problem, let id):
      "\(problem.input):\(problem.line):\(problem.column): document '\(id)' exists already"
    case .io(let path, let operation, let code):
      "cannot \(operation) '\(path)': \(systemMessage(code))"
    case .cancelled: "interrupted"
    }
  }

  var hint: String? {
    switch self {
    case .documentExists: "nothing was imported; use '--on-conflict skip' or 'update'"
    case .incomplete: "it was cut short or altered; get it again"
    case .malformed: "say what it is with '--format'"
    case .noCompression: "install the package zlib1g"
    case .damagedGzip, .io, .cancelled: nil
    }
  }

  var details: [(String, JSON)] {
    switch self {
    case .malformed(let problem), .documentExists(let problem, _):
      [
        ("input", .string(problem.input)), ("line", .integer(Int64(problem.line))),
        ("column", .integer(Int64(problem.column))),
      ]
    case .incomplete, .damagedGzip, .noCompression, .io, .cancelled: []
    }
  }
}
