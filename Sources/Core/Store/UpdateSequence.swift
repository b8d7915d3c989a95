/// A place in a store's changes feed.
///
/// A local store counts its changes; other servers answer any JSON value, which only they can read.
/// A sequence is given back as it came and never compared for order.
public struct UpdateSequence: Hashable, Sendable {
  /// The value as the store gives it and takes it back.
  public let json: JSON

  /// Takes a value that a store answered.
  public init(_ json: JSON) { self.json = json }

  /// Before the first change.
  public static let start = UpdateSequence(.integer(0))

  /// The number, when the sequence is one: always, in a local store.
  public var number: Int? {
    switch json {
    case .integer(let number): Int(number)
    case .string(let text): Int(text.prefix { $0 != "-" })
    default: nil
    }
  }
}

extension UpdateSequence: ExpressibleByIntegerLiteral {
  /// The sequence of a local store's nth change.
  public init(integerLiteral value: Int) { self.init(value) }

  /// The sequence of a local store's nth change.
  public init(_ number: Int) { self.init(.integer(Int64(number))) }
}

extension UpdateSequence: CustomStringConvertible {
  /// The number, or the value as JSON text; a string without its quotes.
  public var description: String { json.stringValue ?? json.serialized() }
}
