import CNettle
import Glibc

/// A password as it is stored: derived by PBKDF2 (RFC 8018 §5.2), in the members CouchDB uses.
public struct PasswordHash: Sendable, Hashable {
  /// The pseudo-random function of the derivation.
  public enum Function: String, Sendable {
    /// HMAC-SHA-1, CouchDB's before 3.4; read, never written.
    case sha1 = "sha"
    /// HMAC-SHA-256.
    case sha256
  }

  /// The function.
  public var function: Function
  /// Rounds.
  public var iterations: Int
  /// Sent with the password into the derivation, as the text it is stored as.
  public var salt: String
  /// The derived key: 20 or 32 bytes.
  public var key: [UInt8]

  /// Rounds of new hashes: what CouchDB 3.5 and OWASP's advice of 2023 ask for.
  public static let defaultIterations = 600_000

  /// More rounds than these are refused: a stored document must not stop the server.
  private static let maximumIterations = 10_000_000

  /// Derives the hash of a new password; takes some tenths of a second.
  public init(password: String, iterations: Int = defaultIterations) {
    let salt = RandomIdentifier.uuid()
    self.init(password: password, function: .sha256, iterations: iterations, salt: salt)
  }

  init(password: String, function: Function, iterations: Int, salt: String) {
    self.function = function
    self.iterations = iterations
    self.salt = salt
    key = Self.derive(password, function, iterations, salt)
  }

  /// Reads the members of a user's document; nil when there is no password, or a scheme unknown.
  public init?(_ members: JSONObject) {
    guard members["password_scheme"] == "pbkdf2",
      let iterations = members["iterations"]?.integerValue,
      iterations > 0, iterations <= Self.maximumIterations,
      let salt = members["salt"]?.stringValue, let hex = members["derived_key"]?.stringValue,
      let function = Function(rawValue: members["pbkdf2_prf"]?.stringValue ?? "sha"),
      let key = bytes(ofHexadecimal: hex)
    else { return nil }
    self.function = function
    self.iterations = Int(iterations)
    self.salt = salt
    self.key = key
  }

  /// The members for a user's document, as CouchDB 3.5 writes them.
  public var members: JSONObject {
    [
      "password_scheme": "pbkdf2", "pbkdf2_prf": .string(function.rawValue),
      "salt": .string(salt), "iterations": .integer(Int64(iterations)),
      "derived_key": .string(hexadecimal(key)),
    ]
  }

  /// Whether the password is the one; takes as long as deriving it.
  public func matches(_ password: String) -> Bool {
    equalInConstantTime(Self.derive(password, function, iterations, salt), key)
  }

  private static func derive(
    _ password: String, _ function: Function, _ iterations: Int, _ salt: String
  ) -> [UInt8] {
    var password = Array(password.utf8)
    defer {
      password.withUnsafeMutableBytes { bytes in
        if let base = bytes.baseAddress { explicit_bzero(base, bytes.count) }
      }
    }
    let salt = Array(salt.utf8)
    let length = function == .sha1 ? 20 : 32
    return [UInt8](unsafeUninitializedCapacity: length) { output, count in
      let rounds = UInt32(iterations)
      switch function {
      case .sha1:
        nettle_pbkdf2_hmac_sha1(
          password.count, password, rounds, salt.count, salt, length, output.baseAddress)
      case .sha256:
        nettle_pbkdf2_hmac_sha256(
          password.count, password, rounds, salt.count, salt, length, output.baseAddress)
      }
      count = length
    }
  }
}

/// Compares secrets without telling by its time where they differ.
package func equalInConstantTime(_ a: [UInt8], _ b: [UInt8]) -> Bool {
  guard a.count == b.count else { return false }
  return zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}

/// Reads pairs of hexadecimal digits; nil when the text is something else.
package func bytes(ofHexadecimal text: String) -> [UInt8]? {
  let digits = text.utf8.compactMap { hexDigit($0) }
  guard digits.count == text.utf8.count, digits.count % 2 == 0 else { return nil }
  return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
