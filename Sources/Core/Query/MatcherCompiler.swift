/// Turns a selector's normal form into the tables of ``MatcherProgram``.
struct MatcherCompiler {
  private let collation: Collation
  private var instructions: [MatcherProgram.Instruction] = []
  private var children: [Int32] = []
  private var names: [MatcherProgram.Name] = []
  private var arguments: [MatcherProgram.Argument] = []
  private var texts: [UnsafeMutableBufferPointer<UInt8>] = []
  private var patterns: [BytePattern] = []
  private(set) var matches: [StringMatch] = []
  /// Whether a condition is on `_id`.
  private(set) var usesID = false
  /// Whether a condition is on `_rev`.
  private(set) var usesRevision = false

  init(collation: Collation) {
    self.collation = collation
  }

  /// Gives the tables away; the compiler is done.
  mutating func finish() -> MatcherStorage {
    defer { texts = [] }
    return MatcherStorage(
      instructions: instructions, children: children, names: names, arguments: arguments,
      texts: texts, patterns: patterns)
  }

  /// Adds a node and returns its instruction, or nil when bytes of the body cannot tell.
  mutating func compile(_ node: SelectorNode, isDocument: Bool) -> Int32? {
    switch node {
    case .everything, .text: return add(.init(operation: .always))
    case .nothing: return add(.init(operation: .never))
    case .and(let parts): return compileAnd(parts, isDocument)
    case .or(let parts) where parts.isEmpty: return add(.init(operation: .always))
    case .or(let parts): return compile(.or, parts, isDocument)
    case .not(let part): return compile(.not, [part], isDocument)
    case .field(let path, .exists(false)): return compileMissing(path, isDocument)
    case .field(let path, let condition):
      guard let inner = compile(condition) else { return nil }
      if path.names.isEmpty { return isDocument ? nil : inner }
      return compile(.field, path, [inner], isDocument)
    case .absent(let path): return compile(.absent, path, [], isDocument)
    }
  }

  private mutating func compileMissing(_ path: FieldPath, _ isDocument: Bool) -> Int32? {
    if path.names.isEmpty { return isDocument ? nil : add(.init(operation: .never)) }
    return compile(.existsNot, path, [], isDocument)
  }

  private mutating func compile(
    _ operation: MatcherProgram.Operation, _ parts: [SelectorNode], _ isDocument: Bool
  ) -> Int32? {
    var compiled: [Int32] = []
    for part in parts {
      guard let index = compile(part, isDocument: isDocument) else { return nil }
      compiled.append(index)
    }
    return add(.init(operation: operation), children: compiled)
  }

  /// A conjunction of fields is ordered by their names, so that one pass over the document serves all.
  private mutating func compileAnd(_ parts: [SelectorNode], _ isDocument: Bool) -> Int32? {
    var fields: [(name: String, node: SelectorNode)] = []
    var others: [SelectorNode] = []
    for part in parts {
      if isDocument, case .field(let path, let condition) = part, condition != .exists(false),
        let name = path.names.first, name.utf8.first != UInt8(ascii: "_")
      {
        fields.append((name, part))
      } else {
        others.append(part)
      }
    }
    guard fields.count > 1 else { return compile(.and, parts, isDocument) }
    fields.sort { utf8Less($0.name, $1.name) }
    var compiled: [Int32] = []
    for field in fields {
      guard let index = compile(field.node, isDocument: true) else { return nil }
      compiled.append(index)
    }
    let sorted = add(.init(operation: .sortedAnd), children: compiled)
    var all = [sorted]
    for other in others {
      guard let index = compile(other, isDocument: true) else { return nil }
      all.append(index)
    }
    return all.count == 1 ? sorted : add(.init(operation: .and), children: all)
  }

  private mutating func compile(
    _ operation: MatcherProgram.Operation, _ path: FieldPath, _ inner: [Int32], _ isDocument: Bool
  ) -> Int32? {
    var instruction = MatcherProgram.Instruction(operation: operation)
    if isDocument, let first = path.names.first, first.utf8.first == UInt8(ascii: "_") {
      switch first {
      case "_id":
        instruction.special = .id
        usesID = true
      case "_rev":
        instruction.special = .revision
        usesRevision = true
      // The rest of these members is made when a document is shown; only these never are.
      case "_deleted", "_conflicts", "_revisions": break
      default: return nil
      }
      if instruction.special != .none, path.names.count > 1 {
        // A string has no members, and its last object is not the document.
        return add(.init(operation: operation == .absent ? .always : .never))
      }
    }
    instruction.firstName = Int32(names.count)
    instruction.nameCount = Int32(path.names.count)
    for name in path.names { addName(name) }
    return add(instruction, children: inner)
  }

  private mutating func compile(_ condition: SelectorCondition) -> Int32? {
    switch condition {
    case .less(let value): return add(.init(operation: .less), arguments: [value])
    case .lessOrEqual(let value): return add(.init(operation: .lessOrEqual), arguments: [value])
    case .equal(let value): return add(.init(operation: .equal), arguments: [value])
    case .notEqual(let value): return add(.init(operation: .notEqual), arguments: [value])
    case .greaterOrEqual(let value):
      return add(.init(operation: .greaterOrEqual), arguments: [value])
    case .greater(let value): return add(.init(operation: .greater), arguments: [value])
    case .oneOf(let values): return add(.init(operation: .oneOf), arguments: sorted(values))
    case .noneOf(let values): return add(.init(operation: .noneOf), arguments: sorted(values))
    case .all(let values): return add(.init(operation: .all), arguments: values)
    case .exists(let expected): return add(.init(operation: expected ? .always : .never))
    case .type(let name):
      let ranks = [
        "null": 0, "boolean": 1, "number": 3, "string": 4, "array": 5, "object": 6,
      ]
      return add(.init(operation: .type, first: ranks[name] ?? -1))
    case .size(let size): return add(.init(operation: .size, first: Int(size)))
    case .modulo(let divisor, let remainder):
      return add(.init(operation: .modulo, first: Int(divisor), second: Int(remainder)))
    case .not(let inner):
      guard let inner = compile(inner) else { return nil }
      return add(.init(operation: .not), children: [inner])
    default: return compileStructural(condition)
    }
  }

  private mutating func compileStructural(_ condition: SelectorCondition) -> Int32? {
    switch condition {
    case .regex(let pattern):
      patterns.append(pattern)
      return add(.init(operation: .regex, first: Int(bitPattern: pattern.code)))
    case .beginsWith(let prefix):
      return add(.init(operation: .beginsWith), arguments: [.string(prefix)])
    case .anyElement(let node): return compile(element: .anyElement, node)
    case .everyElement(let node): return compile(element: .everyElement, node)
    case .anyKey(let node): return compile(element: .anyKey, node)
    case .string(let match):
      matches.append(match)
      return add(.init(operation: .string, first: matches.count - 1))
    default: return nil
    }
  }

  private mutating func compile(
    element operation: MatcherProgram.Operation, _ node: SelectorNode
  ) -> Int32? {
    guard let inner = compile(node, isDocument: false) else { return nil }
    return add(.init(operation: operation), children: [inner])
  }

  /// Sorted for binary search, by the order that ids are compared in too when that is by bytes.
  private func sorted(_ values: [JSON]) -> [JSON] {
    values.sorted { collation.compare($0, $1) < 0 }
  }

  // MARK: Tables

  private mutating func add(
    _ instruction: MatcherProgram.Instruction, children compiled: [Int32] = [],
    arguments values: [JSON] = []
  ) -> Int32 {
    var instruction = instruction
    instruction.firstChild = Int32(children.count)
    instruction.childCount = Int32(compiled.count)
    children += compiled
    instruction.firstArgument = Int32(arguments.count)
    instruction.argumentCount = Int32(values.count)
    for value in values { addArgument(value) }
    instructions.append(instruction)
    return Int32(instructions.count - 1)
  }

  private mutating func addArgument(_ value: JSON) {
    let (text, count) = keep(value.serializedBytes(.canonical))
    let integer = CanonicalText.smallInteger(text, text + count)
    arguments.append(
      .init(
        text: text, end: text + count, rank: CanonicalText.rank(text.pointee),
        integer: integer ?? 0, isSmallInteger: integer != nil))
  }

  /// Adds the names of a path and returns where they stand.
  mutating func addNames(of path: FieldPath) -> (first: Int, count: Int) {
    let first = names.count
    for name in path.names { addName(name) }
    return (first, path.names.count)
  }

  private mutating func addName(_ name: String) {
    let bytes = JSON.string(name).serializedBytes(.canonical) + [UInt8(ascii: ":")]
    let (text, count) = keep(bytes)
    var prefix: UInt64 = 0
    var mask: UInt64 = 0
    for index in 0..<8 {
      prefix = prefix << 8 | (index < count ? UInt64(bytes[index]) : 0)
      mask = mask << 8 | (index < count ? 0xFF : 0)
    }
    // Bytes below the closing quote, and escapes, sort otherwise in the text than in the key.
    let isOrdered = name.utf8.allSatisfy { $0 > UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    names.append(
      .init(
        text: text, count: count, prefix: prefix, mask: mask, isOrdered: isOrdered,
        index: Int(name) ?? -1))
  }

  private mutating func keep(_ bytes: [UInt8]) -> (UnsafePointer<UInt8>, Int) {
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(bytes.count, 1))
    _ = buffer.initialize(from: bytes)
    texts.append(buffer)
    guard let base = buffer.baseAddress else { preconditionFailure("an allocation has an address") }
    return (UnsafePointer(base), bytes.count)
  }
}
