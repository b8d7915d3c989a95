/// What a custom completion is told about the line: everything typed and what it means so far.
public struct CompletionRequest: Sendable {
  /// The words before the one at the cursor, without the program's name.
  public var words: [String]

  /// The part of the value before the cursor; for `--opt=va` it is `va`.
  public var prefix: String

  /// The operands typed so far after the command's names, without the word at the cursor.
  public var operands: [String]

  /// The values typed for each option, by its long spelling (`--home`), in the order typed; an
  /// option not typed has the value of its environment variable, if that is set.
  public var values: [String: [String]]

  /// The environment of the run.
  public var environment: [String: String]

  /// A request as the engine makes it; custom closures only read it, tests make their own.
  public init(
    words: [String] = [], prefix: String = "", operands: [String] = [],
    values: [String: [String]] = [:], environment: [String: String] = [:]
  ) {
    self.words = words
    self.prefix = prefix
    self.operands = operands
    self.values = values
    self.environment = environment
  }

  /// The last value of an option by its long spelling, or `nil`.
  public func value(of option: String) -> String? { values[option]?.last }
}

/// One word the Tab key may insert, with what it means.
public struct CompletionCandidate: Hashable, Sendable {
  /// The whole word, unquoted.
  public var value: String

  /// A short explanation; may be empty.
  public var description: String

  /// A candidate with an explanation.
  public init(_ value: String, description: String = "") {
    self.value = value
    self.description = description
  }

  /// A candidate written as `value`, or as value, tab and description.
  public init(line: String) {
    let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
    self.init(String(parts[0]), description: parts.count > 1 ? String(parts[1]) : "")
  }
}
