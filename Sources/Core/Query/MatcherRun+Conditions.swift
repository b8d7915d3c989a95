extension MatcherRun {
  typealias InstructionPointer = UnsafeMutablePointer<MatcherProgram.Instruction>

  /// Runs a condition on a value.
  func holds(
    _ instruction: InstructionPointer, _ value: Value, _ texts: borrowing [StringMatch],
    _ revision: () -> String
  ) -> Bool {
    switch instruction.pointee.operation {
    case .always: return true
    case .never: return false
    case .less: return compare(value, argument(instruction)) < 0
    case .lessOrEqual: return compare(value, argument(instruction)) <= 0
    case .equal: return compare(value, argument(instruction)) == 0
    case .notEqual: return compare(value, argument(instruction)) != 0
    case .greaterOrEqual: return compare(value, argument(instruction)) >= 0
    case .greater: return compare(value, argument(instruction)) > 0
    case .oneOf: return isOne(of: instruction, value)
    case .noneOf: return !isOne(of: instruction, value)
    case .all: return hasAll(instruction, value)
    case .type: return isType(instruction.pointee.first, value)
    case .not:
      return !holds(program.instructions + Int(child(instruction)), value, texts, revision)
    case .anyElement, .everyElement:
      return matchesElements(instruction, value, texts, revision)
    case .anyKey: return matchesKeys(instruction, value, texts, revision)
    default: return holdsOnStructure(instruction, value, texts, revision)
    }
  }

  private func holdsOnStructure(
    _ instruction: InstructionPointer, _ value: Value, _ texts: borrowing [StringMatch],
    _ revision: () -> String
  ) -> Bool {
    switch instruction.pointee.operation {
    case .size:
      return value.place.pointee == UInt8(ascii: "[")
        && CanonicalText.count(ofArrayAt: value.place, value.end) == instruction.pointee.first
    case .modulo: return remainder(value, instruction) == Int64(instruction.pointee.second)
    case .regex:
      guard let code = UnsafeMutableRawPointer(bitPattern: instruction.pointee.first) else {
        return false
      }
      return withString(value) { text in
        // PCRE2 wants a pointer even for no bytes: any will do.
        BytePattern.matches(code, text.baseAddress ?? value.place, text.count)
      }
    case .beginsWith: return beginsWith(instruction, value)
    case .string: return matchesText(texts[instruction.pointee.first], value)
    // Combinations within an element or a key.
    default:
      guard value.end == end else { return false }
      let index = Int32(instruction - program.instructions)
      return matches(index, value.place, texts, revision)
    }
  }

  @inline(__always)
  private func argument(
    _ instruction: InstructionPointer
  ) -> UnsafeMutablePointer<MatcherProgram.Argument> {
    program.arguments + Int(instruction.pointee.firstArgument)
  }

  @inline(__always)
  private func compare(
    _ value: Value, _ argument: UnsafeMutablePointer<MatcherProgram.Argument>
  ) -> Int {
    if argument.pointee.isSmallInteger,
      let number = CanonicalText.smallInteger(value.place, value.end)
    {
      let other = argument.pointee.integer
      return number < other ? -1 : number > other ? 1 : 0
    }
    let rank = CanonicalText.rank(value.place.pointee)
    guard rank == argument.pointee.rank else { return rank < argument.pointee.rank ? -1 : 1 }
    return CanonicalText.compare(
      value.place, value.end, argument.pointee.text, argument.pointee.end, value.collation)
  }

  // MARK: Lists

  private func isOne(of instruction: InstructionPointer, _ value: Value) -> Bool {
    guard value.place.pointee == UInt8(ascii: "[") else {
      return isAmongArguments(instruction, value)
    }
    return forEachElement(value) { isAmongArguments(instruction, $0) }
  }

  /// Binary search, where the arguments were sorted by the same order.
  private func isAmongArguments(_ instruction: InstructionPointer, _ value: Value) -> Bool {
    let arguments = argument(instruction)
    var low = 0
    var high = Int(instruction.pointee.argumentCount)
    guard value.collation == program.collation else {
      return (0..<high).contains { compare(value, arguments + $0) == 0 }
    }
    while low < high {
      let middle = (low + high) / 2
      let order = compare(value, arguments + middle)
      if order == 0 { return true }
      if order < 0 { high = middle } else { low = middle + 1 }
    }
    return false
  }

  private func hasAll(_ instruction: InstructionPointer, _ value: Value) -> Bool {
    let arguments = argument(instruction)
    let count = Int(instruction.pointee.argumentCount)
    guard value.place.pointee == UInt8(ascii: "["), count > 0 else { return false }
    if count == 1, arguments.pointee.rank == 5, compare(value, arguments) == 0 { return true }
    return (0..<count).allSatisfy { index in
      forEachElement(value) { compare($0, arguments + index) == 0 }
    }
  }

  /// Whether `body` holds for an element of an array.
  @inline(__always)
  private func forEachElement(_ array: Value, _ body: (Value) -> Bool) -> Bool {
    var place = array.place + 1
    while place < array.end, place.pointee != UInt8(ascii: "]") {
      if body(Value(place: place, end: array.end, collation: array.collation)) { return true }
      place = CanonicalText.afterComma(CanonicalText.skipValue(place, array.end), array.end)
    }
    return false
  }

  private func matchesElements(
    _ instruction: InstructionPointer, _ value: Value, _ texts: borrowing [StringMatch],
    _ revision: () -> String
  ) -> Bool {
    guard value.place.pointee == UInt8(ascii: "["), value.end == end else { return false }
    let inner = child(instruction)
    let isAny = instruction.pointee.operation == .anyElement
    if !isAny, value.place[1] == UInt8(ascii: "]") { return false }
    var place = value.place + 1
    while place < end, place.pointee != UInt8(ascii: "]") {
      if matches(inner, place, texts, revision) == isAny { return isAny }
      place = CanonicalText.afterComma(CanonicalText.skipValue(place, end), end)
    }
    return !isAny
  }

  private func matchesKeys(
    _ instruction: InstructionPointer, _ value: Value, _ texts: borrowing [StringMatch],
    _ revision: () -> String
  ) -> Bool {
    guard value.place.pointee == UInt8(ascii: "{"), value.end == end else { return false }
    let inner = child(instruction)
    var place = value.place + 1
    while place < end, place.pointee == UInt8(ascii: "\"") {
      if matches(inner, place, texts, revision) { return true }
      let member = CanonicalText.skipString(place, end) + 1
      place = CanonicalText.afterComma(CanonicalText.skipValue(member, end), end)
    }
    return false
  }

  // MARK: Types, numbers, text

  @inline(__always)
  private func isType(_ rank: Int, _ value: Value) -> Bool {
    let actual = CanonicalText.rank(value.place.pointee)
    // False and true are two ranks and one type.
    return actual == rank || (rank == 1 && actual == 2)
  }

  private func remainder(_ value: Value, _ instruction: InstructionPointer) -> Int64? {
    let divisor = Int64(instruction.pointee.first)
    if let number = CanonicalText.smallInteger(value.place, value.end) {
      return SelectorEvaluator.remainder(number, divisor)
    }
    guard CanonicalText.rank(value.place.pointee) == 3 else { return nil }
    let after = CanonicalText.skipValue(value.place, value.end)
    let text = UnsafeBufferPointer(start: value.place, count: after - value.place)
    guard text.allSatisfy({ $0 == UInt8(ascii: "-") || $0 &- UInt8(ascii: "0") < 10 }) else {
      return nil
    }
    return SelectorEvaluator.remainder(text, divisor)
  }

  @inline(__always)
  private func withString(_ value: Value, _ body: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
    guard value.place.pointee == UInt8(ascii: "\"") else { return false }
    let count = CanonicalText.skipString(value.place, value.end) - value.place - 2
    return CanonicalText.withDecoded(value.place + 1, count, body)
  }

  /// The escaped text begins with the escaped prefix exactly when the string begins with the prefix.
  private func beginsWith(_ instruction: InstructionPointer, _ value: Value) -> Bool {
    let prefix = argument(instruction).pointee
    let count = prefix.end - prefix.text - 1
    return value.place.pointee == UInt8(ascii: "\"") && value.end - value.place >= count
      && memcmpBytes(value.place, prefix.text, count) == 0
  }

  private func matchesText(_ match: borrowing StringMatch, _ value: Value) -> Bool {
    if value.place.pointee == UInt8(ascii: "["), match.kind == .contains {
      return forEachElement(value) { element in
        withString(element) { match.matches($0, as: .equals) }
      }
    }
    return withString(value) { match.matches($0, as: match.kind) }
  }
}
