/// An option with a value: `--due WHEN`, `--due=WHEN`, `-d WHEN`, `-dWHEN`.
///
/// ```swift
/// @Option(name: .shortAndLong, help: ArgumentHelp("stop after N rows", valueName: "N"))
/// var limit: Int?
/// ```
/// A property of type `T` without a default is required, of type `T?` or with a default optional; of
/// two occurrences the last wins. A property of type `[T]` collects every occurrence.
@propertyWrapper
public struct Option<Value> {
  let box: PropertyBox<Value>
  let specification: ValueSpecification<Value>
  let name: NameSpecification
  let help: ArgumentHelp

  init(
    _ specification: ValueSpecification<Value>, initial: Value?, name: NameSpecification,
    help: ArgumentHelp?
  ) {
    box = PropertyBox(initial: initial)
    self.specification = specification
    self.name = name
    self.help = help ?? ArgumentHelp()
  }

  /// The value given on the command line, else the environment's, else the default.
  public var wrappedValue: Value {
    get { box.value }
    set { box.value = newValue }
  }
}

extension Option: Sendable where Value: Sendable {}

extension Option: ParsedProperty {
  func definitions(property: String) -> [ArgumentDefinition] {
    [
      ArgumentDefinition(
        valued: .option, property: property, names: name.names(for: property), help: help,
        specification: specification, box: box)
    ]
  }
}

// MARK: - One value

extension Option where Value: ExpressibleByArgument {
  /// A required option.
  public init(
    name: NameSpecification = .long, help: ArgumentHelp? = nil, completion: CompletionKind? = nil
  ) {
    self.init(
      .single(isRequired: true, convert: convertedWord) {
        details(of: Value.self, completion: completion)
      }, initial: nil, name: name, help: help)
  }
}

extension Option where Value: ExpressibleByArgument & Sendable {
  /// An option with a default.
  public init(
    wrappedValue: Value, name: NameSpecification = .long, help: ArgumentHelp? = nil,
    completion: CompletionKind? = nil
  ) {
    self.init(
      .single(isRequired: false, convert: convertedWord) {
        details(
          of: Value.self, defaultText: defaultDescription(of: wrappedValue), completion: completion)
      }, initial: wrappedValue, name: name, help: help)
  }
}

extension Option {
  /// A required option, turned into its value by a closure.
  public init(
    name: NameSpecification = .long, help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> Value
  ) {
    self.init(
      .single(isRequired: true, convert: transformed(transform)) {
        ValueDetails(transformedCompletion: completion)
      }, initial: nil, name: name, help: help)
  }

  /// An option with a default, turned into its value by a closure.
  public init(
    wrappedValue: Value, name: NameSpecification = .long, help: ArgumentHelp? = nil,
    completion: CompletionKind? = nil, transform: @escaping @Sendable (String) throws -> Value
  ) {
    let text = defaultDescription(of: wrappedValue)
    self.init(
      .single(isRequired: false, convert: transformed(transform)) {
        ValueDetails(transformedCompletion: completion, defaultText: text)
      }, initial: wrappedValue, name: name, help: help)
  }
}
