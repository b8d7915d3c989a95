/// An argument as data: what help, man pages, completions and the dump are made from.
public struct ArgumentDescription: Hashable, Sendable, Encodable {
  /// The kinds of arguments.
  public enum Kind: String, Sendable, Encodable {
    /// A word told by its place.
    case positional
    /// A name with a value.
    case option
    /// A name without one.
    case flag
  }

  /// One of the words an argument accepts.
  public struct Choice: Hashable, Sendable, Encodable {
    /// The word.
    public let value: String
    /// What it means; may be empty.
    public let description: String
  }

  /// What kind of argument it is.
  public let kind: Kind

  /// The spellings, dashes included; empty for an operand.
  public let names: [String]

  /// The spellings of the opposite; empty for most.
  public let invertedNames: [String]

  /// What stands for the value; `nil` for a flag.
  public let valueName: String?

  /// One line of help.
  public let abstract: String

  /// Further paragraphs; may be empty.
  public let discussion: String

  /// Whether it must be given.
  public let isRequired: Bool

  /// Whether it may be given several times to some effect.
  public let isRepeating: Bool

  /// The default as shown; `nil` for none.
  public let defaultText: String?

  /// Whether it is the one of several flags that counts when none is given.
  public let isDefaultChoice: Bool

  /// Every accepted word, or empty.
  public let choices: [Choice]

  /// The variable it falls back to, if any.
  public let environment: String?

  /// The title of its group, if any.
  public let group: String?

  /// Whether it is mentioned to people.
  public let isVisible: Bool

  /// What the Tab key offers: `default`, `list`, `file`, `directory` or `custom`.
  public let completion: String

  /// Whether the declaration says what the Tab key offers.
  let statesCompletion: Bool

  /// The properties that the dump holds.
  private enum CodingKeys: String, CodingKey {
    case kind, names, invertedNames, valueName, abstract, discussion, isRequired, isRepeating
    case defaultText, isDefaultChoice, choices, environment, group, isVisible, completion
  }

  /// The help without the discussion: abstract, choices, default and variable, with no-break spaces
  /// where a line must not end.
  var summary: String {
    var parts = abstract.isEmpty ? [] : [abstract]
    if !choices.isEmpty {
      parts.append("[" + choices.map(\.value).joined(separator: ", ") + "]")
    }
    if let defaultText { parts.append("[default:\u{A0}\(defaultText)]") }
    if isDefaultChoice { parts.append("[default]") }
    if let environment { parts.append("[env:\u{A0}\(environment)]") }
    return parts.joined(separator: " ")
  }

  /// How help lists it: `STORE`, `-d, --due WHEN`, `--[no-]input`, `--tag TAG…`.
  public var label: String {
    let more = isRepeating && kind != .flag ? "…" : ""
    guard kind != .positional else { return (valueName ?? "") + more }
    var spellings = names
    for inverted in invertedNames {
      let positive = inverted.hasPrefix("--no-") ? "--" + inverted.dropFirst(5) : nil
      if let positive, let index = spellings.firstIndex(of: positive) {
        spellings[index] = "--[no-]" + positive.dropFirst(2)
      } else {
        spellings.append(inverted)
      }
    }
    let text = spellings.joined(separator: ", ")
    return valueName.map { "\(text) \($0)\(more)" } ?? text
  }
}

extension ArgumentDescription {
  init(_ definition: ArgumentDefinition) {
    let details = definition.details()
    kind =
      switch definition.kind {
      case .positional: .positional
      case .option: .option
      case .flag: .flag
      }
    // Short spellings first, whatever the order declared.
    names = Self.ordered(definition.names)
    invertedNames = Self.ordered(definition.invertedNames)
    valueName = definition.kind == .flag ? nil : definition.valueName
    abstract = definition.help.abstract
    discussion = definition.help.discussion
    isRequired = definition.isRequired
    isRepeating = definition.isRepeating
    defaultText = details.defaultText
    isDefaultChoice = definition.isDefaultChoice
    choices = details.choices.map {
      Choice(value: $0, description: details.choiceDescriptions[$0] ?? "")
    }
    environment = definition.environment
    group = definition.group
    isVisible = definition.isVisible
    completion = details.completion.name
    statesCompletion = details.statesCompletion
  }

  /// A flag of the module's own: help or version.
  init(builtIn names: [String], abstract: String) {
    kind = .flag
    self.names = names
    invertedNames = []
    valueName = nil
    self.abstract = abstract
    discussion = ""
    isRequired = false
    isRepeating = false
    defaultText = nil
    isDefaultChoice = false
    choices = []
    environment = nil
    group = nil
    isVisible = true
    completion = CompletionKind.default.name
    statesCompletion = true
  }

  private static func ordered(_ names: [OptionName]) -> [String] {
    (names.filter { !$0.isLong } + names.filter(\.isLong)).map(\.spelling)
  }
}

extension CompletionKind {
  /// The kind's name in the dump.
  var name: String {
    switch kind {
    case .default: "default"
    case .list: "list"
    case .file: "file"
    case .directory: "directory"
    case .custom: "custom"
    }
  }
}
