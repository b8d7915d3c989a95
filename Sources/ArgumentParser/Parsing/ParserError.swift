/// What was wrong with a line; one case for each kind of mistake.
enum ParserError {
  case unknownOption(String, suggestions: [String], takesOperands: Bool)
  case unknownCommand(String, suggestions: [String], isTopic: Bool)
  case missingValue(String, ArgumentDefinition, next: String?)
  case badValue(subject: String, word: String, RejectedValue, ArgumentDefinition)
  case missingArguments([ArgumentDefinition])
  case unexpectedOperand(String, hint: OperandHint)
  case exclusive(String, String)
  case valueForFlag(String, value: String)
  case invalid([String])

  /// Why an operand may be one too many.
  enum OperandHint {
    case none
    case afterFlag(String)
    case unquotedText
  }
}

extension ParserError {
  /// The sentences for the user, without usage; `command` is the full name of the command.
  func messages(command: String) -> [String] {
    switch self {
    case .unknownOption(let word, let suggestions, let takesOperands):
      var text = "unknown option '\(shown(word))' for '\(command)'"
      text += Suggestions.sentence(suggestions)
      if suggestions.isEmpty, takesOperands {
        text += "; to pass text that starts with '-', put '--' before it"
      }
      return [text]
    case .unknownCommand(let word, let suggestions, let isTopic):
      let kind = isTopic ? "command or topic" : "command"
      return ["unknown \(kind) '\(shown(word))'" + Suggestions.sentence(suggestions)]
    case .missingValue(let spelling, let definition, let next):
      if let next {
        return [
          "'\(spelling)' needs a value; to pass a value that starts with '-', write "
            + "\(definition.displayName)=\(shown(next))"
        ]
      }
      return ["'\(spelling)' needs a value: \(spelling) \(definition.valueName)"]
    case .badValue(let subject, let word, let rejection, _):
      return ["\(subject) cannot be '\(shown(word))'" + reason(rejection, word: word)]
    case .missingArguments(let definitions):
      let names = definitions.map {
        $0.kind == .positional ? $0.valueName : "'\($0.synopsis)'"
      }
      return ["missing " + listed(names, conjunction: "and")]
    case .unexpectedOperand(let word, let hint):
      return ["unexpected '\(shown(word))'" + hint.text]
    case .exclusive(let first, let second):
      return ["'\(first)' and '\(second)' cannot be used together"]
    case .valueForFlag(let spelling, let value):
      return ["'\(spelling)' takes no value (got '\(shown(value))')"]
    case .invalid(let messages):
      return messages
    }
  }

  /// The option concerned, as typed, for structured errors.
  var option: String? {
    switch self {
    case .unknownOption(let word, _, _): word
    case .missingValue(let spelling, _, _), .valueForFlag(let spelling, _): spelling
    case .badValue(_, _, _, let definition):
      definition.kind == .positional ? nil : definition.displayName
    case .missingArguments(let definitions):
      definitions.first { $0.kind != .positional }?.displayName
    case .exclusive(_, let second): second
    default: nil
    }
  }

  /// The operand or value concerned: a name when it is missing, the word as typed otherwise.
  var argument: String? {
    switch self {
    case .unknownCommand(let word, _, _), .unexpectedOperand(let word, _): word
    case .badValue(_, let word, _, _), .valueForFlag(_, let word): word
    case .missingArguments(let definitions):
      definitions.first { $0.kind == .positional }?.valueName
    default: nil
    }
  }

  private func reason(_ rejection: RejectedValue, word: String) -> String {
    if !rejection.choices.isEmpty {
      return ": choose " + listed(rejection.choices, conjunction: "or")
        + Suggestions.sentence(Suggestions.nearest(to: word, in: rejection.choices))
    }
    return rejection.expectation.map { ": \($0)" } ?? ""
  }
}

extension ParserError.OperandHint {
  var text: String {
    switch self {
    case .none: ""
    case .afterFlag(let flag): "; '\(flag)' takes no value"
    case .unquotedText: "; put text that contains spaces in quotes"
    }
  }
}

/// `a`, `a or b`, `a, b or c`.
func listed(_ words: [String], conjunction: String) -> String {
  guard let last = words.last, words.count > 1 else { return words.first ?? "" }
  return words.dropLast().joined(separator: ", ") + " \(conjunction) \(last)"
}
