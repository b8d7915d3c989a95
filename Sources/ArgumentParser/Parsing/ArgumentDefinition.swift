/// One argument as the parser, help, completions and man pages see it.
///
/// A property gives one definition, except that a property of an `EnumerableFlag` type gives one for
/// each case.
struct ArgumentDefinition {
  enum Kind { case positional, option, flag }

  let kind: Kind

  /// The Swift property, which names the argument in `EnvironmentDefaults`.
  let property: String

  /// The spellings; empty for an operand.
  let names: [OptionName]

  /// The spellings that mean the opposite of a flag.
  var invertedNames: [OptionName] = []

  let help: ArgumentHelp
  var isRequired: Bool
  var isRepeating: Bool
  var isDefaultChoice = false

  /// Set for a plain flag whose default is on.
  var isOnWithoutOpposite = false
  let details: () -> ValueDetails

  /// The title of the group that holds it, if it has one.
  var group: String?

  /// Set when a whole group is hidden.
  var isInHiddenGroup = false

  /// The variable it falls back to.
  var environment: String?

  /// Takes a word (options, operands); the spelling is the one typed.
  let take: (_ word: String, _ spelling: String) throws -> Void

  /// Turns a flag on, or off when it was spelled by an inverted name.
  let turn: (_ spelling: String, _ isInverted: Bool) throws -> Void

  /// Takes the value of the environment variable.
  var setFromEnvironment: (String) throws -> Void

  /// Whether the line has given it (any case, for an enumerable flag).
  let isGiven: () -> Bool

  /// What stands for the value, in upper case.
  var valueName: String { help.valueName ?? kebabCase(property).uppercased() }

  /// Whether help, man pages, completions and suggestions mention it.
  var isVisible: Bool { help.visibility == .default && !isInHiddenGroup }

  /// The spelling to name it by: the first long one, else the first; the value's name for an operand.
  var displayName: String {
    guard let first = names.first else { return valueName }
    return (names.first(where: \.isLong) ?? first).spelling
  }

  /// How a message shows it in use: `--due WHEN`, `--follow`, `STORE`.
  var synopsis: String {
    kind == .option ? "\(displayName) \(valueName)" : displayName
  }
}

extension ArgumentDefinition {
  /// An operand or an option with a value.
  init<Value>(
    valued kind: Kind, property: String, names: [OptionName], help: ArgumentHelp,
    specification: ValueSpecification<Value>, box: PropertyBox<Value>
  ) {
    self.init(
      kind: kind, property: property, names: names, help: help,
      isRequired: specification.isRequired, isRepeating: specification.isRepeating,
      details: specification.details,
      take: { word, _ in try specification.update(&box.parsed, word) },
      turn: { _, _ in },
      setFromEnvironment: { word in try specification.update(&box.parsed, word) },
      isGiven: { box.parsed != nil })
  }

  /// A flag.
  init<Value>(
    flag property: String, names: [OptionName], help: ArgumentHelp?, isRequired: Bool,
    box: PropertyBox<Value>, turn: @escaping (String, Bool) throws -> Void
  ) {
    self.init(
      kind: .flag, property: property, names: names, help: help ?? ArgumentHelp(),
      isRequired: isRequired, isRepeating: false, details: { ValueDetails() },
      take: { _, _ in }, turn: turn,
      setFromEnvironment: { word in
        guard let state = switchState(word) else {
          throw RejectedValue(reason: "choose true or false")
        }
        try turn("", !state)
      }, isGiven: { box.parsed != nil })
  }
}

/// The state a variable's word stands for, or `nil`.
private func switchState(_ word: String) -> Bool? {
  switch word.lowercased() {
  case "1", "true", "yes", "on": true
  case "0", "false", "no", "off": false
  default: nil
  }
}
