public import HTTP

/// What a receiver shows and a sender reads: where to go, what to say there, and whom to expect.
///
/// As text `https://IP:PORT/TOKEN/PIN`: the one-time token in 26 digits of base 32, the SHA-256 of the
/// receiver's public key in 52. More addresses follow as hexadecimal groups, `.C0A80117`; trying several
/// is safe, since the pin decides and not the address. The scheme is in lower case because many
/// scanners take `HTTPS:` for plain text; all else is upper case, which a QR code holds in fewer bits.
///
/// A ticket for phones is `http://IP:PORT/PHONETOKEN#TLSPORT.TOKEN.PIN`: a browser goes to the plain
/// address and never sends what stands behind `#`; a tote goes to the encrypted one.
public struct DropTicket: Sendable, Hashable {
  /// Numeric addresses of the receiver, the best first: IPv4, or IPv6 without brackets.
  public var addresses: [String]
  /// The port of the encrypted listener.
  public var port: UInt16
  /// The session's secret.
  public var token: DropToken
  /// The receiver's public key.
  public var pin: TLSPin
  /// The plain listener for browsers: its port and its own secret.
  public var phone: Phone?

  /// The plain listener of a receiver.
  public struct Phone: Sendable, Hashable {
    /// Its port.
    public var port: UInt16
    /// Its secret, good for nothing but the upload page.
    public var token: DropToken

    /// Names a plain listener.
    public init(port: UInt16, token: DropToken) {
      self.port = port
      self.token = token
    }
  }

  /// Addresses a ticket may hold: more make the code larger and the attempts longer.
  public static let maximumAddresses = 8

  /// A ticket with its parts; there is at least one address.
  public init(
    addresses: [String], port: UInt16, token: DropToken, pin: TLSPin, phone: Phone? = nil
  ) {
    self.addresses = addresses
    self.port = port
    self.token = token
    self.pin = pin
    self.phone = phone
  }

  /// The address of the encrypted listener at one of the addresses, without secret.
  public func url(at address: String) -> WebURL {
    WebURL(scheme: .https, host: address, port: port, path: "/")
  }
}

// MARK: Text

extension DropTicket {
  /// Why a text is no ticket.
  public enum Fault: Error, Sendable, Hashable {
    /// It is no address at all, or another site's.
    case notATicket
    /// It ends too early: a line cut by a terminal, or a code read in part.
    case cutShort
    /// The named part is not what it must be.
    case malformed(part: String)
  }

  /// The text of the ticket: a secret.
  public var text: String {
    let host = Self.bracketed(addresses.first ?? "")
    let more = addresses.dropFirst().compactMap { AddressBytes($0)?.hexadecimal }
    let pinText = ([Base32.encode(pin.digest)] + more).joined(separator: ".")
    guard let phone else { return "https://\(host):\(port)/\(token.text)/\(pinText)" }
    return "http://\(host):\(phone.port)/\(phone.token.text)#\(port).\(token.text).\(pinText)"
  }

  private static func bracketed(_ address: String) -> String {
    address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]" : address
  }

  /// Reads a ticket; blanks and line ends around it do not count, nor does the case of its letters.
  public init(parsing text: some StringProtocol) throws(Fault) {
    let text = Self.trimmed(text)
    let lower = text.prefix(8).lowercased()
    let isPhone = lower.hasPrefix("http://")
    guard isPhone || lower.hasPrefix("https://") else { throw .notATicket }
    var rest = text.dropFirst(isPhone ? 7 : 8)
    let authority = rest.prefix { $0 != "/" }
    rest = rest.dropFirst(authority.count + 1)
    let (host, port) = try Self.authority(authority)
    guard let address = AddressBytes(host) else { throw .malformed(part: "address") }
    guard isPhone else {
      let parts = rest.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count >= 2, !parts[1].isEmpty else {
        throw parts.first.flatMap { DropToken($0) } == nil ? .notATicket : .cutShort
      }
      guard let token = DropToken(parts[0]) else { throw .malformed(part: "token") }
      try self.init(address, port, token, pinAndMore: parts[1], phone: nil)
      return
    }
    let parts = rest.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    guard let phoneToken = DropToken(Self.withoutSlash(parts[0])) else { throw .notATicket }
    guard parts.count == 2 else { throw .cutShort }
    let fields = parts[1].split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
    guard fields.count == 3 else { throw .cutShort }
    guard let secure = UInt16(fields[0]), secure > 0 else { throw .malformed(part: "port") }
    guard let token = DropToken(fields[1]) else { throw .malformed(part: "token") }
    try self.init(
      address, secure, token, pinAndMore: fields[2], phone: Phone(port: port, token: phoneToken))
  }

  private init(
    _ address: AddressBytes, _ port: UInt16, _ token: DropToken, pinAndMore: Substring,
    phone: Phone?
  ) throws(Fault) {
    let groups = pinAndMore.split(separator: ".", omittingEmptySubsequences: false)
    guard groups[0].utf8.count >= 52 else { throw .cutShort }
    guard let digest = Base32.decode(groups[0]), digest.count == 32 else {
      throw .malformed(part: "pin")
    }
    var addresses = [address.text]
    guard groups.count <= Self.maximumAddresses else { throw .malformed(part: "addresses") }
    for group in groups.dropFirst() {
      guard let more = AddressBytes(hexadecimal: group) else { throw .malformed(part: "addresses") }
      addresses.append(more.text)
    }
    self.init(addresses: addresses, port: port, token: token, pin: TLSPin(digest), phone: phone)
  }

  private static func authority(_ text: Substring) throws(Fault) -> (Substring, UInt16) {
    guard let colon = text.lastIndex(of: ":") else { throw .notATicket }
    guard let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
      throw .malformed(part: "port")
    }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    return (host, port)
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    func isBlank(_ character: Character) -> Bool {
      character.isWhitespace || character == "\u{FEFF}"
    }
    return String(text.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
  }

  private static func withoutSlash(_ text: Substring) -> Substring {
    text.hasSuffix("/") ? text.dropLast() : text
  }
}
