/// Splits the input into records, one after the other, in constant memory.
///
/// It finds where records begin and end and nothing more: whether a record is valid JSON, and a
/// document, is the decoder's business.
protocol RecordReader: ~Copyable {
  /// The next record, a problem in its place, or the end.
  mutating func next() throws(TransferError) -> RecordStep
  /// Bytes read of the input so far, before decompression.
  var bytesRead: Int { get }
  /// Whether an end line was there and agreed with what came before it.
  var isProvenComplete: Bool { get }
}

/// What a reader finds next.
enum RecordStep {
  case record(InputRecord)
  case problem(TransferProblem)
  case end
}

/// Makes the problems of one input.
struct ProblemPlace: Sendable {
  let input: String

  func problem(_ reason: String, line: Int, column: Int = 1) -> TransferProblem {
    TransferProblem(input: input, line: line, column: column, reason: reason)
  }

  /// The problem of a fault in a record.
  func problem(_ fault: DocumentScanner.Fault, in record: InputRecord) -> TransferProblem {
    guard case .json(let error) = fault else {
      return problem(fault.reason, line: record.line, column: record.column)
    }
    // Only the record's first line is shifted by the place where it begins.
    let column = error.line == 1 ? record.column + error.column - 1 : error.column
    return problem(error.reason.text, line: record.line + error.line - 1, column: column)
  }
}

extension DocumentScanner.Fault {
  /// What is wrong, without a place.
  var reason: String {
    switch self {
    case .json(let error): error.reason.text
    case .notAnObject: "a document must be a JSON object"
    case .wrongType(let member, let expected): "'\(member)' must be \(expected)"
    case .unknownReserved(let member):
      "unknown member '\(member)': names that begin with '_' are reserved"
    }
  }
}
