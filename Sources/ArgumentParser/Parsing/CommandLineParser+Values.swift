extension CommandLineParser {
  mutating func take(_ value: String, _ definition: ArgumentDefinition, _ spelling: String) {
    if keepsValues { takenValues[definition.displayName, default: []].append(value) }
    do {
      try definition.take(value, spelling)
    } catch {
      record(error, word: value, subject: "'\(spelling)'", definition)
    }
  }

  /// Takes the next word as the option's value, whatever it is but a known option or `--`.
  mutating func takeNext(_ definition: ArgumentDefinition, _ spelling: String) {
    guard next < words.count, !words[next].utf8.elementsEqual("--".utf8) else {
      if next == words.count { pendingOption = definition }
      errors.append(.missingValue(spelling, definition, next: nil))
      return
    }
    let word = words[next]
    if !isOperand(word), table.recognizes(word) {
      errors.append(.missingValue(spelling, definition, next: word))
      return
    }
    valueWords.insert(next)
    next += 1
    take(word, definition, spelling)
  }

  mutating func turn(_ entry: OptionTable.Entry, _ spelling: String) {
    switch entry {
    case .help(let detail): if helpOption == nil || helpOption == .brief { helpOption = detail }
    case .version: wantsVersion = true
    case .argument(let definition, let isInverted):
      flagWords[next - 1] = spelling
      do {
        try definition.turn(spelling, isInverted)
      } catch {
        record(error, word: spelling, subject: "'\(spelling)'", definition)
      }
    }
  }

  /// Records why a word could not be taken.
  mutating func record(
    _ error: any Error, word: String, subject: String, _ definition: ArgumentDefinition
  ) {
    switch error {
    case let clash as ExclusiveSpellings:
      errors.append(.exclusive(clash.first, clash.second))
    case let rejection as RejectedValue:
      errors.append(.badValue(subject: subject, word: word, rejection, definition))
    default:
      let reason = RejectedValue(reason: String(describing: error))
      errors.append(.badValue(subject: subject, word: word, reason, definition))
    }
  }
}

extension ArgumentDefinition {
  /// Whether `-n=5` means the value `5` for the short spelling given.
  func allowsJoined(_ spelling: String) -> Bool {
    names.contains { name in
      if case .short(_, let joined) = name { joined && name.spelling == spelling } else { false }
    }
  }
}
