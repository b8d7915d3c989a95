extension Option {
  /// An option that must be given at least once.
  public init<T: ExpressibleByArgument>(
    name: NameSpecification = .long, help: ArgumentHelp? = nil, completion: CompletionKind? = nil
  ) where Value == [T] {
    self.init(
      .repeated(isRequired: true, convert: convertedWord) {
        details(of: T.self, completion: completion)
      }, initial: nil, name: name, help: help)
  }

  /// An option that may be given any number of times, with a default for none.
  public init<T: ExpressibleByArgument>(
    wrappedValue: [T], name: NameSpecification = .long, help: ArgumentHelp? = nil,
    completion: CompletionKind? = nil
  ) where Value == [T] {
    let text = defaultDescription(ofList: wrappedValue)
    self.init(
      .repeated(isRequired: false, convert: convertedWord) {
        details(of: T.self, defaultText: text, completion: completion)
      }, initial: wrappedValue, name: name, help: help)
  }

  /// An option that must be given at least once, each value turned by a closure.
  public init<T>(
    name: NameSpecification = .long, help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> T
  ) where Value == [T] {
    self.init(
      .repeated(isRequired: true, convert: transformed(transform)) {
        ValueDetails(transformedCompletion: completion)
      }, initial: nil, name: name, help: help)
  }

  /// An option that may be given any number of times, each value turned by a closure.
  public init<T>(
    wrappedValue: [T], name: NameSpecification = .long, help: ArgumentHelp? = nil,
    completion: CompletionKind? = nil, transform: @escaping @Sendable (String) throws -> T
  ) where Value == [T] {
    self.init(
      .repeated(isRequired: false, convert: transformed(transform)) {
        ValueDetails(transformedCompletion: completion)
      }, initial: wrappedValue, name: name, help: help)
  }
}
