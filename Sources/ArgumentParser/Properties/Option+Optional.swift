extension Option {
  /// An option that may be left out.
  public init<T: ExpressibleByArgument>(
    name: NameSpecification = .long, help: ArgumentHelp? = nil, completion: CompletionKind? = nil
  ) where Value == T? {
    self.init(wrappedValue: nil, name: name, help: help, completion: completion)
  }

  /// An option that may be left out, with what stands for it then; mostly `nil`.
  public init<T: ExpressibleByArgument>(
    wrappedValue: T?, name: NameSpecification = .long, help: ArgumentHelp? = nil,
    completion: CompletionKind? = nil
  ) where Value == T? {
    let text = wrappedValue?.defaultValueDescription
    self.init(
      .single(isRequired: false, convert: { try convertedWord($0) as T }) {
        details(of: T.self, defaultText: text, completion: completion)
      }, initial: .some(wrappedValue), name: name, help: help)
  }

  /// An option that may be left out, turned into its value by a closure.
  public init<T>(
    name: NameSpecification = .long, help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> T
  ) where Value == T? {
    self.init(
      wrappedValue: nil, name: name, help: help, completion: completion, transform: transform)
  }

  /// An option that may be left out, turned into its value by a closure, with what stands for it then.
  public init<T>(
    wrappedValue: T?, name: NameSpecification = .long, help: ArgumentHelp? = nil,
    completion: CompletionKind? = nil, transform: @escaping @Sendable (String) throws -> T
  ) where Value == T? {
    let convert = transformed(transform)
    self.init(
      .single(isRequired: false, convert: { try convert($0) }) {
        ValueDetails(transformedCompletion: completion)
      }, initial: .some(wrappedValue), name: name, help: help)
  }
}
