/// A user and a password of Basic authentication (RFC 7617), as UTF-8.
public struct BasicCredentials: Sendable, Equatable {
  /// The user; has no colon.
  public var user: String
  /// The password.
  public var password: String

  /// Makes credentials.
  public init(user: String, password: String) {
    self.user = user
    self.password = password
  }

  /// Reads an `Authorization` header's value; nil when it is of another scheme or malformed.
  public init?(authorization value: String) {
    let parts = value.utf8.split(separator: 0x20, maxSplits: 1)
    guard parts.count == 2, equalIgnoringCase(parts[0].text, "basic"),
      let bytes = Base64.decode(trimmingBlanks(parts[1].text)), !bytes.contains(0),
      let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
      let user = String(validating: bytes[..<colon], as: UTF8.self),
      let password = String(validating: bytes[(colon + 1)...], as: UTF8.self)
    else { return nil }
    self.init(user: user, password: password)
  }

  /// The value of an `Authorization` header.
  public var authorization: String {
    "Basic \(Base64.encode(Array("\(user):\(password)".utf8)))"
  }
}

/// Whether two byte strings are equal, in a time that depends only on their lengths.
public func equalInConstantTime(
  _ left: some Collection<UInt8>, _ right: some Collection<UInt8>
) -> Bool {
  var difference = left.count ^ right.count
  for (a, b) in zip(left, right) { difference |= Int(a ^ b) }
  return difference == 0
}
