extension CommandLineParser {
  /// Reads the whole line and says what it asks for.
  mutating func result() -> ParseResult {
    readWords()
    if helpOption == nil, !wantsVersion, errors.isEmpty, let child = implicitChild {
      descend(to: child)
    }
    // Also for help and version: their output depends on shared options such as the width or colour.
    for group in inherited { applyEnvironment(to: group.definitions) }
    if let helpOption { return finished(.help(helpRequest(helpOption))) }
    if wantsVersion { return finished(.version) }
    if let error = errors.first { return finished(.failure(failure(error))) }
    if isHelpCommand { return finished(.help(helpRequest(.full))) }
    if scope.isBareGroup, operands.isEmpty, scope.positionals.isEmpty {
      return finished(.help(helpRequest(.brief)))
    }
    return finishCommand()
  }

  private mutating func finishCommand() -> ParseResult {
    allocateOperands()
    for scope in scopes { applyEnvironment(to: scope.definitions) }
    if let error = errors.first { return finished(.failure(failure(error))) }
    let missing = missingArguments()
    if !missing.isEmpty { return finished(.failure(failure(.missingArguments(missing)))) }
    do {
      return finished(.run(try validated()))
    } catch let error as ValidationError {
      return finished(.failure(failure(.invalid(error.messages))))
    } catch let error where error is ExitCode || error is CleanExit {
      return finished(.exit(error))
    } catch {
      return finished(.failure(failure(.invalid([String(describing: error)]))))
    }
  }

  private mutating func allocateOperands() {
    let slots = scope.positionals
    var next = 0
    for (slot, count) in zip(slots, OperandAllocation.counts(slots, operands: operands.count)) {
      for operand in operands[next..<next + count] {
        do {
          try slot.take(operand.word, slot.valueName)
        } catch {
          record(error, word: operand.word, subject: slot.valueName, slot)
        }
      }
      next += count
    }
    if next < operands.count { errors.append(unexpected(operands[next])) }
  }

  private func unexpected(_ operand: Operand) -> ParserError {
    if let flag = flagWords[operand.index - 1] {
      return .unexpectedOperand(operand.word, hint: .afterFlag(flag))
    }
    // A word right behind another value may be the rest of a text that lacked its quotes.
    let isAfterValue =
      valueWords.contains(operand.index - 1) || operands.contains { $0.index == operand.index - 1 }
    return .unexpectedOperand(operand.word, hint: isAfterValue ? .unquotedText : .none)
  }

  /// Gives arguments the line lacks the values of their variables.
  private mutating func applyEnvironment(to definitions: [ArgumentDefinition]) {
    for definition in definitions {
      guard let variable = definition.environment, !definition.isGiven(),
        let value = environment[variable], !value.isEmpty
      else { continue }
      do {
        try definition.setFromEnvironment(value)
      } catch {
        record(error, word: value, subject: "the environment variable \(variable)", definition)
      }
    }
  }

  /// The required arguments without a value, one for each property.
  private func missingArguments() -> [ArgumentDefinition] {
    var properties: Set<String> = []
    let all =
      scopes.dropLast().flatMap { $0.definitions.filter { $0.kind != .positional } }
      + definitions
    return all.filter {
      $0.isRequired && !$0.isGiven()
        && properties.insert(($0.group ?? "") + "/" + $0.property).inserted
    }
  }

  /// The command, after the checks of the shared groups, of its parents and its own.
  private func validated() throws -> any ParsableCommand {
    var messages: [String] = []
    func collect(_ check: () throws -> Void) throws {
      do {
        try check()
      } catch let error as ValidationError {
        messages += error.messages
      }
    }
    for group in inherited { try collect(group.property.validate) }
    var command = scope.command
    for (index, scope) in scopes.enumerated() {
      for group in scope.groups { try collect(group.validate) }
      var checked = scope.command
      try collect { try checked.validate() }
      if index == scopes.count - 1 { command = checked }
    }
    if !messages.isEmpty { throw ValidationError(messages: messages) }
    return command
  }

  private func helpRequest(_ detail: HelpDetail) -> HelpRequest {
    HelpRequest(commands: scopes.map(\.type), detail: detail, topic: topic)
  }

  private func failure(_ error: ParserError) -> ParseFailure {
    ParseFailure(
      messages: error.messages(command: scope.fullName), option: error.option,
      argument: error.argument, command: scope.fullName,
      usage: Synopsis.lines(for: scope, inherited: inherited))
  }

  private func finished(_ outcome: ParseResult.Outcome) -> ParseResult {
    ParseResult(
      outcome: outcome, path: scope.path, commands: scopes.map(\.type), inheritedGroups: inherited)
  }
}
