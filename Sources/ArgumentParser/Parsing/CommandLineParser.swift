/// Reads a command line once, left to right, into what it asks for.
///
/// The parser goes on after a mistake, since a later `--help` or `--version` still acts; the first
/// mistake is the one reported.
struct CommandLineParser {
  /// An operand with its place among the words.
  struct Operand {
    let word: String
    let index: Int
  }

  let words: [String]
  let environment: [String: String]
  var scopes: [CommandScope]
  var inherited: [InheritedGroup]
  var table: OptionTable
  var helpNames: [OptionName]
  private let hasVersion: Bool
  var next = 0
  var optionsEnded = false

  /// Set once a word was no command: what follows it cannot be judged.
  var isLost = false

  var operands: [Operand] = []
  var errors: [ParserError] = []
  var helpOption: HelpDetail?
  var isHelpCommand = false
  var topic: HelpTopic?
  var wantsVersion = false

  /// The flag each word spells, for the hint about an operand after one.
  var flagWords: [Int: String] = [:]

  /// The places of the words taken as an option's value, for the same hint.
  var valueWords: Set<Int> = []

  /// The option whose value the line ends before, for completion.
  var pendingOption: ArgumentDefinition?

  /// The values of each option by its display name; kept for completion only.
  var takenValues: [String: [String]] = [:]
  let keepsValues: Bool

  init(
    _ root: any ParsableCommand.Type, words: [String], environment: [String: String],
    keepsValues: Bool = false
  ) {
    self.words = words
    self.keepsValues = keepsValues
    self.environment = environment
    let scope = CommandScope(root, path: [root._commandName], adopting: [])
    scopes = [scope]
    inherited = scope.inherited
    hasVersion = !scope.configuration.version.isEmpty
    helpNames = (scope.configuration.helpNames ?? .shortAndLong).names(for: "help")
    table = OptionTable([], helpNames: [], hasVersion: false)
    table = makeTable()
  }

  var scope: CommandScope { scopes[scopes.count - 1] }

  /// Whether the words so far leave it open which command is meant.
  var isOpenForCommands: Bool { operands.isEmpty && !isLost && (!optionsEnded || isHelpCommand) }

  /// Every argument the current command accepts, inherited options last.
  var definitions: [ArgumentDefinition] {
    scope.definitions + inherited.flatMap(\.definitions)
  }

  private func makeTable() -> OptionTable {
    OptionTable(definitions, helpNames: helpNames, hasVersion: hasVersion)
  }

  /// Makes `type` the current command.
  mutating func descend(to type: any ParsableCommand.Type) {
    let child = CommandScope(
      type, path: scope.path + [type._commandName], adopting: inherited)
    scopes.append(child)
    inherited += child.inherited
    if let names = child.configuration.helpNames { helpNames = names.names(for: "help") }
    table = makeTable()
  }

  // MARK: - Words

  /// Reads every word.
  mutating func readWords() {
    while next < words.count {
      let word = words[next]
      next += 1
      if optionsEnded || isOperand(word) {
        readOperand(word)
      } else if word.utf8.elementsEqual("--".utf8) {
        optionsEnded = true
      } else if word.utf8.starts(with: "--".utf8) {
        readLong(word)
      } else {
        readCluster(word)
      }
    }
  }

  /// Whether a word is no option: it has no dash, is a lone dash, or is a negative number.
  func isOperand(_ word: String) -> Bool {
    let bytes = word.utf8
    guard bytes.first == UInt8(ascii: "-"), bytes.count > 1 else { return true }
    return isNegativeNumber(word)
  }

  /// Whether a word starts like a negative number and no flag is spelled by that digit.
  private func isNegativeNumber(_ word: String) -> Bool {
    let bytes = Array(word.utf8.prefix(3))
    guard bytes.count > 1, bytes[0] == UInt8(ascii: "-") else { return false }
    if bytes[1] == UInt8(ascii: "."), bytes.count > 2 { return isDigit(bytes[2]) }
    return isDigit(bytes[1]) && table.short(bytes[1]) == nil
  }

  private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= byte }

  private mutating func readLong(_ word: String) {
    let equals = word.utf8.firstIndex(of: UInt8(ascii: "="))
    let spelling = String(word[..<(equals ?? word.endIndex)])
    let value = equals.map { String(word[word.utf8.index(after: $0)...]) }
    guard let entry = table.long(String(spelling.unicodeScalars.dropFirst(2))) else {
      return readUnknown(word, spelling: spelling)
    }
    switch entry {
    case .argument(let definition, false) where definition.kind == .option:
      if let value {
        take(value, definition, spelling)
      } else {
        takeNext(definition, spelling)
      }
    case .argument, .help, .version:
      if let value {
        errors.append(.valueForFlag(spelling, value: "=" + value))
      } else {
        turn(entry, spelling)
      }
    }
  }

  private mutating func readCluster(_ word: String) {
    let bytes = Array(word.utf8.dropFirst())
    for (index, byte) in bytes.enumerated() {
      guard let entry = table.short(byte) else {
        if index > 0, byte == UInt8(ascii: "=") {
          let flag = "-" + String(decoding: bytes[index - 1...index - 1], as: UTF8.self)
          let value = String(decoding: bytes[index...], as: UTF8.self)
          errors.append(.valueForFlag(flag, value: value))
          return
        }
        if let long = longSpelling(of: word) {
          return errors.append(.unknownOption(word, suggestions: [long], takesOperands: false))
        }
        // Inside a cluster of several the letter alone is named, so that the culprit is clear.
        let culprit = String(decoding: bytes[index...], as: UTF8.self)
        let isWhole = index == 0
        return readUnknown(word, spelling: isWhole ? word : "-" + culprit.prefix(1))
      }
      let spelling = "-" + String(decoding: [byte], as: UTF8.self)
      guard case .argument(let definition, _) = entry, definition.kind == .option else {
        turn(entry, spelling)
        continue
      }
      let rest = bytes[(index + 1)...]
      if rest.isEmpty { return takeNext(definition, spelling) }
      let joined = rest.first == UInt8(ascii: "=") && definition.allowsJoined(spelling)
      take(String(decoding: joined ? rest.dropFirst() : rest, as: UTF8.self), definition, spelling)
      return
    }
  }

  /// Tries an unknown option on the default subcommand, else records the mistake.
  private mutating func readUnknown(_ word: String, spelling: String) {
    if let child = implicitChild {
      descend(to: child)
      next -= 1
      return
    }
    errors.append(
      .unknownOption(
        spelling, suggestions: optionSuggestions(for: spelling),
        takesOperands: !scope.positionals.isEmpty))
  }

  /// The long option that `word`, which has one dash, would be with two.
  private func longSpelling(of word: String) -> String? {
    let name = word.unicodeScalars.dropFirst().prefix { $0 != "=" }
    return name.count > 1 && table.long(String(name)) != nil ? "--" + String(name) : nil
  }

  private func optionSuggestions(for spelling: String) -> [String] {
    let isLong = spelling.utf8.count > 2
    let visible = table.spellings.filter { $0.isVisible && ($0.text.utf8.count > 2) == isLong }
    return Suggestions.nearest(to: spelling, in: visible.map(\.text))
  }
}
