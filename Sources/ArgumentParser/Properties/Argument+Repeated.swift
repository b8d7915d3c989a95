extension Argument {
  /// One or more operands.
  public init<T: ExpressibleByArgument>(
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil
  ) where Value == [T] {
    self.init(
      .repeated(isRequired: true, convert: convertedWord) {
        details(of: T.self, completion: completion)
      }, initial: nil, help: help)
  }

  /// Any number of operands, with a default for none.
  public init<T: ExpressibleByArgument>(
    wrappedValue: [T], help: ArgumentHelp? = nil, completion: CompletionKind? = nil
  ) where Value == [T] {
    let text = defaultDescription(ofList: wrappedValue)
    self.init(
      .repeated(isRequired: false, convert: convertedWord) {
        details(of: T.self, defaultText: text, completion: completion)
      }, initial: wrappedValue, help: help)
  }

  /// One or more operands, each turned into its value by a closure.
  public init<T>(
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> T
  ) where Value == [T] {
    self.init(
      .repeated(isRequired: true, convert: transformed(transform)) {
        ValueDetails(transformedCompletion: completion)
      }, initial: nil, help: help)
  }

  /// Any number of operands, each turned into its value by a closure, with a default for none.
  public init<T>(
    wrappedValue: [T], help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> T
  ) where Value == [T] {
    self.init(
      .repeated(isRequired: false, convert: transformed(transform)) {
        ValueDetails(transformedCompletion: completion)
      }, initial: wrappedValue, help: help)
  }
}
