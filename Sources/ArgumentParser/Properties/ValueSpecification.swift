/// How words become the value of one property; shared by `@Argument` and `@Option`.
struct ValueSpecification<Value>: Sendable {
  /// Takes one more word into the value; `nil` stands for "nothing given yet".
  let update: @Sendable (inout Value?, String) throws -> Void

  /// What is known about the value's type; computed only where it is shown.
  let details: @Sendable () -> ValueDetails

  let isRequired: Bool
  let isRepeating: Bool
}

/// What help, completions and error sentences say about a value.
struct ValueDetails: Sendable {
  var choices: [String] = []
  var choiceDescriptions: [String: String] = [:]
  var completion: CompletionKind = .default
  var defaultText: String?

  /// Whether the declaration or the type says what the Tab key offers, if only "nothing".
  var statesCompletion = true
}

extension ValueDetails {
  /// The details of a value made by a closure, of which nothing else is known.
  init(transformedCompletion completion: CompletionKind?, defaultText: String? = nil) {
    self.init(
      completion: completion ?? .default, defaultText: defaultText,
      statesCompletion: completion != nil)
  }
}

/// A word that its argument cannot take, with what would do.
struct RejectedValue: Error {
  var choices: [String] = []
  var expectation: String?

  init<T: ExpressibleByArgument>(expecting type: T.Type) {
    choices = type.allValueStrings
    expectation = (type as? any ExpectedValue.Type).map { "expected \($0.expectedValue)" }
  }

  init(reason: String) { expectation = reason }
}

extension ValueSpecification {
  /// One word, given at most once in effect (the last wins).
  static func single(
    isRequired: Bool, convert: @escaping @Sendable (String) throws -> Value,
    details: @escaping @Sendable () -> ValueDetails
  ) -> Self {
    ValueSpecification(
      update: { value, word in value = try convert(word) }, details: details,
      isRequired: isRequired, isRepeating: false)
  }

  /// Any number of words, in the order given.
  static func repeated<T>(
    isRequired: Bool, convert: @escaping @Sendable (String) throws -> T,
    details: @escaping @Sendable () -> ValueDetails
  ) -> Self where Value == [T] {
    ValueSpecification(
      update: { values, word in
        let value = try convert(word)
        if values == nil { values = [] }
        values?.append(value)
      }, details: details, isRequired: isRequired, isRepeating: true)
  }
}

/// The value of `type` written as `word`.
@Sendable func convertedWord<T: ExpressibleByArgument>(_ word: String) throws -> T {
  guard let value = T(argument: word) else { throw RejectedValue(expecting: T.self) }
  return value
}

/// A conversion by an author's closure, whose errors become the reason shown.
func transformed<T>(
  _ transform: @escaping @Sendable (String) throws -> T
) -> @Sendable (String) throws -> T {
  { word in
    do {
      return try transform(word)
    } catch let rejection as RejectedValue {
      throw rejection
    } catch {
      throw RejectedValue(reason: String(describing: error))
    }
  }
}

/// The details of a type that is expressible by an argument.
func details<T: ExpressibleByArgument>(
  of type: T.Type, defaultText: String? = nil, completion: CompletionKind?
) -> ValueDetails {
  ValueDetails(
    choices: type.allValueStrings, choiceDescriptions: type.allValueDescriptions,
    completion: completion ?? type.defaultCompletionKind, defaultText: defaultText,
    statesCompletion: completion != nil || !type.defaultCompletionKind.isDefault
      || type is any ExpectedValue.Type)
}
