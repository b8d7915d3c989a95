/// A type that one word of the command line can be turned into.
public protocol ExpressibleByArgument: SendableMetatype {
  /// The value written as `argument`, or `nil` when it is not one.
  init?(argument: String)

  /// How help shows a default of this type.
  var defaultValueDescription: String { get }

  /// Every accepted word, in the order help shows them; empty for open types.
  static var allValueStrings: [String] { get }

  /// What each of `allValueStrings` means, for completions and man pages; may lack some.
  static var allValueDescriptions: [String: String] { get }

  /// What the Tab key offers when the property says nothing else.
  static var defaultCompletionKind: CompletionKind { get }
}

/// A type that says what it expects, for the error sentence; beside the mirrored API.
///
/// The text continues "expected …": `a size such as 40MB`.
public protocol ExpectedValue {
  /// The words after "expected": lower case, no final period.
  static var expectedValue: String { get }
}

extension ExpressibleByArgument {
  /// The value's own description.
  public var defaultValueDescription: String { "\(self)" }

  /// Open types list no values.
  public static var allValueStrings: [String] { [] }

  /// No descriptions.
  public static var allValueDescriptions: [String: String] { [:] }

  /// The listed values, else the shell's default.
  public static var defaultCompletionKind: CompletionKind {
    allValueStrings.isEmpty ? .default : .list(allValueStrings)
  }
}

extension ExpressibleByArgument where Self: CaseIterable {
  /// Every case as it is written.
  public static var allValueStrings: [String] {
    allCases.map { $0.defaultValueDescription }
  }
}

extension ExpressibleByArgument
where Self: CaseIterable, Self: RawRepresentable, RawValue == String {
  /// The raw values of every case.
  public static var allValueStrings: [String] { allCases.map(\.rawValue) }
}

extension ExpressibleByArgument where Self: RawRepresentable, RawValue: ExpressibleByArgument {
  /// The case with the raw value written as `argument`.
  public init?(argument: String) {
    guard let raw = RawValue(argument: argument) else { return nil }
    self.init(rawValue: raw)
  }

  /// The raw value as it is written.
  public var defaultValueDescription: String { rawValue.defaultValueDescription }
}

extension String: ExpressibleByArgument {
  /// Any word is a string.
  public init?(argument: String) { self = argument }
}

extension Bool: ExpressibleByArgument {
  /// The words `true` and `false`.
  public init?(argument: String) { self.init(argument) }

  /// The two words.
  public static var allValueStrings: [String] { ["true", "false"] }
}

extension Double: ExpressibleByArgument, ExpectedValue {
  /// A finite decimal number.
  public init?(argument: String) {
    guard let value = Double(argument), value.isFinite else { return nil }
    self = value
  }

  /// The words after "expected".
  public static var expectedValue: String { "a number" }
}

extension Float: ExpressibleByArgument, ExpectedValue {
  /// A finite decimal number.
  public init?(argument: String) {
    guard let value = Float(argument), value.isFinite else { return nil }
    self = value
  }

  /// The words after "expected".
  public static var expectedValue: String { "a number" }
}

extension FixedWidthInteger {
  /// The value in decimal digits, or `nil` when it is none or out of range.
  public init?(argument: String) { self.init(argument) }

  /// The words after "expected", with the range where it is short enough to help.
  public static var expectedValue: String {
    if bitWidth < 64 { return "a whole number from \(min) to \(max)" }
    return isSigned ? "a whole number" : "a whole number, 0 or more"
  }
}

extension Int: ExpressibleByArgument, ExpectedValue {}
extension Int8: ExpressibleByArgument, ExpectedValue {}
extension Int16: ExpressibleByArgument, ExpectedValue {}
extension Int32: ExpressibleByArgument, ExpectedValue {}
extension Int64: ExpressibleByArgument, ExpectedValue {}
extension UInt: ExpressibleByArgument, ExpectedValue {}
extension UInt8: ExpressibleByArgument, ExpectedValue {}
extension UInt16: ExpressibleByArgument, ExpectedValue {}
extension UInt32: ExpressibleByArgument, ExpectedValue {}
extension UInt64: ExpressibleByArgument, ExpectedValue {}
