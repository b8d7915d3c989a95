/// One value, or one key, of a ``JSONTape``: 16 bytes that point into the text.
public struct JSONToken: Sendable {
  /// What a token stands for.
  public enum Kind: UInt8, Sendable {
    case null, `false`, `true`
    /// An integer that fits `Int64`.
    case integer
    /// An integer that does not.
    case bigInteger
    /// A number with a fraction or an exponent.
    case double
    case string
    /// A member's name; the member's value is the next token.
    case key
    case array, object
  }

  /// The byte where the value begins; for strings and keys the one after the quote.
  public internal(set) var offset: UInt32
  /// The bytes of the value as written: without the quotes for strings and keys, with both brackets
  /// for arrays and objects.
  public internal(set) var length: UInt32
  /// The index of the token after this value and all below it.
  ///
  /// While a container is open, its parent.
  public internal(set) var next: UInt32
  /// What the token stands for.
  public internal(set) var kind: Kind
  /// Facts the scanner found on the way; see the constants.
  var flags: UInt8 = 0

  /// The string holds at least one escape, so that its bytes are not its text.
  static let hasEscapes: UInt8 = 1
  /// The number's text is its canonical form.
  static let isCanonical: UInt8 = 2

  /// Whether the string holds an escape, so that its bytes are not its text.
  public var hasEscapes: Bool { flags & Self.hasEscapes != 0 }
  var isCanonical: Bool { flags & Self.isCanonical != 0 }
}
