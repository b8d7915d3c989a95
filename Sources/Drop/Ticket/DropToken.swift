/// The secret of one session: 130 random bits, which 26 base-32 digits hold exactly.
///
/// It is the password of CouchDB's user `drop` and a segment of the ticket's path. No description
/// shows it; `text` does.
public struct DropToken: Sendable, Hashable, CustomStringConvertible {
  /// 26 digits of base 32, in upper case: a secret.
  public let text: String

  /// The user whose password a token is.
  public static let user = "drop"

  /// Digits of a token.
  public static let length = 26

  /// Draws a token.
  public static func random() -> DropToken {
    var generator = SystemRandomNumberGenerator()
    return random(using: &generator)
  }

  /// Draws a token from a generator, which outside of tests must be the system's.
  public static func random(using generator: inout some RandomNumberGenerator) -> DropToken {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    return DropToken(
      unchecked: String((0..<length).map { _ in digits[Int(generator.next() & 31)] }))
  }

  private init(unchecked text: String) { self.text = text }

  /// Reads a token in either case; nil for anything that is none.
  public init?(_ text: some StringProtocol) {
    let upper = String(text).uppercased()
    guard upper.utf8.count == Self.length,
      upper.utf8.allSatisfy({
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
          || (UInt8(ascii: "2")...UInt8(ascii: "7")).contains($0)
      })
    else { return nil }
    self.text = upper
  }

  /// What may be shown.
  public var description: String { "(one-time token)" }
}
