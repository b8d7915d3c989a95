extension Argument {
  /// An operand that may be left out.
  public init<T: ExpressibleByArgument>(
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil
  ) where Value == T? {
    self.init(wrappedValue: nil, help: help, completion: completion)
  }

  /// An operand that may be left out, with what stands for it then; mostly `nil`.
  public init<T: ExpressibleByArgument>(
    wrappedValue: T?, help: ArgumentHelp? = nil,
    completion: CompletionKind? = nil
  ) where Value == T? {
    let text = wrappedValue?.defaultValueDescription
    self.init(
      .single(isRequired: false, convert: { try convertedWord($0) as T }) {
        details(of: T.self, defaultText: text, completion: completion)
      }, initial: .some(wrappedValue), help: help)
  }

  /// An operand that may be left out, turned into its value by a closure.
  public init<T>(
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> T
  ) where Value == T? {
    self.init(
      wrappedValue: nil, help: help, completion: completion, transform: transform)
  }

  /// An operand that may be left out, turned into its value by a closure, with what stands for it then.
  public init<T>(
    wrappedValue: T?, help: ArgumentHelp? = nil,
    completion: CompletionKind? = nil, transform: @escaping @Sendable (String) throws -> T
  ) where Value == T? {
    let convert = transformed(transform)
    self.init(
      .single(isRequired: false, convert: { try convert($0) }) {
        ValueDetails(transformedCompletion: completion)
      }, initial: .some(wrappedValue), help: help)
  }
}
