/// Works out what may stand at the cursor, from the words before it and the command tree.
struct CompletionEngine {
  private var parser: CommandLineParser
  private let environment: [String: String]
  private let words: [String]
  private var prefix: String
  private var answer = CompletionAnswer()

  /// An engine for the word `prefix` at the cursor, behind `words`; both without quotes and without
  /// the program's name.
  init(
    root: any ParsableCommand.Type, words: [String], prefix: String, environment: [String: String]
  ) {
    parser = CommandLineParser(
      root, words: words, environment: environment, keepsValues: true)
    self.words = words
    self.prefix = prefix
    self.environment = environment
  }

  mutating func complete() -> CompletionAnswer {
    parser.readWords()
    guard !parser.isLost else { return answer }
    if let option = parser.pendingOption {
      addValues(of: option, allowsDash: false)
    } else if !parser.optionsEnded, prefix.utf8.first == UInt8(ascii: "-") {
      if let equals = prefix.utf8.firstIndex(of: UInt8(ascii: "=")) {
        completeJoined(at: equals)
      } else {
        addOptions()
      }
    } else {
      addCommands()
      addOperands()
    }
    if answer.candidates.count > CompletionAnswer.limit {
      answer.candidates.removeSubrange(CompletionAnswer.limit...)
      answer.directive = .more
    }
    return answer
  }

  // MARK: - Options

  /// Completes the value in `--option=value`; candidates are the whole word.
  private mutating func completeJoined(at equals: String.Index) {
    let head = String(prefix[...equals])
    let spelling = String(prefix[..<equals].unicodeScalars.dropFirst(2))
    guard case .argument(let option, _)? = lookUp(long: spelling), option.kind == .option else {
      return
    }
    prefix = String(prefix[prefix.utf8.index(after: equals)...])
    addValues(of: option, allowsDash: true)
    for index in answer.candidates.indices {
      answer.candidates[index].value = head + answer.candidates[index].value
    }
  }

  /// The option spelled so, by the command or by the one it runs when none is named.
  private mutating func lookUp(long name: String) -> OptionTable.Entry? {
    if let entry = parser.table.long(name) { return entry }
    guard let child = parser.implicitChild else { return nil }
    parser.descend(to: child)
    return parser.table.long(name)
  }

  private mutating func addOptions() {
    var definitions = parser.definitions
    if let child = parser.implicitChild {
      definitions += CommandScope(child, path: [], adopting: parser.inherited).definitions
    }
    for definition in definitions where definition.kind != .positional && definition.isVisible {
      if definition.isGiven(), !definition.isRepeating { continue }
      let names = definition.names + definition.invertedNames
      let longs = names.filter(\.isLong)
      for name in longs.isEmpty ? names : longs {
        add(CompletionCandidate(name.spelling, description: definition.help.abstract))
      }
    }
    for builtIn in CommandPath(parser.scopes.map(\.type)).builtIns {
      if let name = builtIn.names.last {
        add(CompletionCandidate(name, description: builtIn.abstract))
      }
    }
  }

  // MARK: - Commands and operands

  private mutating func addCommands() {
    guard parser.isOpenForCommands else { return }
    let configuration = parser.scope.configuration
    for type in configuration.subcommands {
      let child = type.configuration
      guard child.shouldDisplay else { continue }
      let name = type._commandName
      add(CompletionCandidate(name, description: child.abstract))
      // An alias is offered only to who has begun to type it.
      guard !prefix.isEmpty, !starts(name) else { continue }
      for alias in child.aliases { add(CompletionCandidate(alias, description: child.abstract)) }
    }
    guard parser.scopes.count == 1, !configuration.subcommands.isEmpty else { return }
    if parser.isHelpCommand {
      let topics = (parser.scope.type as? any HelpTopicProvider.Type)?.helpTopics ?? []
      for topic in topics { add(CompletionCandidate(topic.name, description: topic.abstract)) }
    } else {
      add(CompletionCandidate("help", description: "show help about a command or topic"))
    }
  }

  private mutating func addOperands() {
    guard !parser.isHelpCommand else { return }
    if let child = parser.implicitChild { parser.descend(to: child) }
    let slots = parser.scope.positionals
    // Which slot a word fills may depend on how many follow: offer what each could take.
    var seen: Set<Int> = []
    for total in [parser.operands.count + 1, parser.operands.count + slots.count] {
      guard let slot = slotIndex(slots, total: total), seen.insert(slot).inserted else { continue }
      addValues(of: slots[slot], allowsDash: parser.optionsEnded)
    }
  }

  /// The slot that takes the operand at the cursor when there are `total` of them.
  private func slotIndex(_ slots: [ArgumentDefinition], total: Int) -> Int? {
    var end = 0
    for (index, count) in OperandAllocation.counts(slots, operands: total).enumerated() {
      end += count
      if parser.operands.count < end { return index }
    }
    return nil
  }

  // MARK: - Values

  private mutating func addValues(of definition: ArgumentDefinition, allowsDash: Bool) {
    let details = definition.details()
    switch details.completion.kind {
    case .default: break
    case .list(let words):
      for word in words {
        add(
          value: CompletionCandidate(word, description: details.choiceDescriptions[word] ?? ""),
          of: definition, allowsDash: allowsDash)
      }
    case .file(let extensions): answer.directive = .files(extensions: extensions)
    case .directory: answer.directive = .directories
    case .custom(let closure):
      for candidate in closure(request()) {
        add(value: candidate, of: definition, allowsDash: allowsDash)
      }
    }
  }

  private mutating func add(
    value candidate: CompletionCandidate, of definition: ArgumentDefinition, allowsDash: Bool
  ) {
    if !allowsDash, candidate.value.utf8.first == UInt8(ascii: "-") { return }
    if definition.kind == .positional,
      parser.operands.contains(where: { $0.word.utf8.elementsEqual(candidate.value.utf8) })
    {
      return
    }
    add(candidate)
  }

  private mutating func add(_ candidate: CompletionCandidate) {
    if starts(candidate.value) { answer.candidates.append(candidate) }
  }

  private func starts(_ word: String) -> Bool { word.utf8.starts(with: prefix.utf8) }

  private func request() -> CompletionRequest {
    var values = parser.takenValues
    for definition in parser.definitions where values[definition.displayName] == nil {
      guard definition.kind == .option, let variable = definition.environment,
        let value = environment[variable], !value.isEmpty
      else { continue }
      values[definition.displayName] = [value]
    }
    return CompletionRequest(
      words: words, prefix: prefix, operands: parser.operands.map(\.word), values: values,
      environment: environment)
  }
}
