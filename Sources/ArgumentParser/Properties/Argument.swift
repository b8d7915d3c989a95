/// An operand of a command: a word that is told by its place.
///
/// ```swift
/// @Argument(help: "the store to read", completion: .candidates(storeNames))
/// var store: String
/// ```
/// A property of type `T` without a default is required, of type `T?` or with a default optional, of
/// type `[T]` repeated (at least once, unless it has a default).
@propertyWrapper
public struct Argument<Value> {
  let box: PropertyBox<Value>
  let specification: ValueSpecification<Value>
  let help: ArgumentHelp

  init(_ specification: ValueSpecification<Value>, initial: Value?, help: ArgumentHelp?) {
    box = PropertyBox(initial: initial)
    self.specification = specification
    self.help = help ?? ArgumentHelp()
  }

  /// The value given on the command line, else the default.
  public var wrappedValue: Value {
    get { box.value }
    set { box.value = newValue }
  }
}

extension Argument: Sendable where Value: Sendable {}

extension Argument: ParsedProperty {
  func definitions(property name: String) -> [ArgumentDefinition] {
    [
      ArgumentDefinition(
        valued: .positional, property: name, names: [], help: help, specification: specification,
        box: box)
    ]
  }
}

// MARK: - One word

extension Argument where Value: ExpressibleByArgument {
  /// A required operand.
  public init(help: ArgumentHelp? = nil, completion: CompletionKind? = nil) {
    self.init(
      .single(isRequired: true, convert: convertedWord) {
        details(of: Value.self, completion: completion)
      }, initial: nil, help: help)
  }
}

extension Argument where Value: ExpressibleByArgument & Sendable {
  /// An operand with a default.
  public init(
    wrappedValue: Value, help: ArgumentHelp? = nil, completion: CompletionKind? = nil
  ) {
    self.init(
      .single(isRequired: false, convert: convertedWord) {
        details(
          of: Value.self, defaultText: defaultDescription(of: wrappedValue), completion: completion)
      }, initial: wrappedValue, help: help)
  }
}

extension Argument {
  /// A required operand, turned into its value by a closure.
  public init(
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> Value
  ) {
    self.init(
      .single(isRequired: true, convert: transformed(transform)) {
        ValueDetails(transformedCompletion: completion)
      }, initial: nil, help: help)
  }

  /// An operand with a default, turned into its value by a closure.
  public init(
    wrappedValue: Value, help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> Value
  ) {
    let text = defaultDescription(of: wrappedValue)
    self.init(
      .single(isRequired: false, convert: transformed(transform)) {
        ValueDetails(transformedCompletion: completion, defaultText: text)
      }, initial: wrappedValue, help: help)
  }
}
