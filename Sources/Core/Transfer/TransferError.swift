/// Why an import or an export cannot go on at all; single bad records are ``TransferProblem``s instead.
public enum TransferError: Error, Sendable, Hashable {
  /// The input is not in the format it was taken for; `problem` tells where and why.
  case malformed(TransferProblem)
  /// The end line of an export is there and does not fit what came before it, or there is none
  /// although one was demanded: the input was cut short or altered.
  case incomplete(input: String, detail: String)
  /// The input's gzip stream is damaged or cut short.
  case damagedGzip(input: String, detail: String)
  /// The input or output is to be gzip, and zlib is not installed or has no memory.
  case noCompression(path: String)
  /// With ``ImportOptions/ConflictRule/fail``: a document exists already. Nothing was imported.
  case documentExists(problem: TransferProblem, id: String)
  /// Reading the input or writing the output failed; `code` is the `errno`.
  case io(path: String, operation: String, code: Int32)
  /// The caller cancelled.
  case cancelled
}

/// A record that could not be imported, or the place where the input stops making sense.
public struct TransferProblem: Sendable, Hashable {
  /// The input's name as it was given: a path, or `-`.
  public var input: String
  /// The line of the mistake, from 1.
  public var line: Int
  /// The column of the mistake, from 1, in characters.
  public var column: Int
  /// What is wrong, such as `unexpected character ','`.
  public var reason: String

  /// Describes a problem.
  public init(input: String, line: Int, column: Int, reason: String) {
    self.input = input
    self.line = line
    self.column = column
    self.reason = reason
  }

  /// One line for people: `file:line:column: reason`.
  public var message: String { "\(input):\(line):\(column): \(reason)" }
}
