/// Reads the `Cookie` headers of a request.
public enum Cookies {
  /// Names and values in order (RFC 6265 §5.4), values without the quotes around them.
  ///
  /// Pairs without `=` are left out.
  public static func parse(_ headers: HTTPHeaders) -> [(name: String, value: String)] {
    headers.values(of: "Cookie").flatMap { line in
      line.utf8.split(separator: UInt8(ascii: ";")).compactMap { pair in
        guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let name = trimmingBlanks(pair[..<equals]).text
        var value = trimmingBlanks(pair[pair.index(after: equals)...])
        if value.count >= 2, value.first == 0x22, value.last == 0x22 {
          value = value.dropFirst().dropLast()
        }
        return name.isEmpty ? nil : (name, value.text)
      }
    }
  }

  /// The first value of a cookie.
  public static func value(of name: String, in headers: HTTPHeaders) -> String? {
    parse(headers).first { sameBytes($0.name, name) }?.value
  }
}

/// A cookie for a `Set-Cookie` header (RFC 6265 §4.1).
public struct SetCookie: Sendable, Equatable {
  /// Which requests of other sites carry the cookie.
  public enum SameSite: String, Sendable {
    /// None of them.
    case strict = "Strict"
    /// Navigation only.
    case lax = "Lax"
  }

  /// The name, a token.
  public var name: String
  /// The value, free of blanks, quotes, commas and semicolons.
  public var value: String
  /// The path it is sent for.
  public var path = "/"
  /// Its life in seconds; 0 deletes it, nil is the browser's session.
  public var maximumAge: Int?
  /// Hidden from scripts.
  public var isHTTPOnly = true
  /// Sent over TLS only.
  public var isSecure = false
  /// Kept from other sites.
  public var sameSite: SameSite? = .strict

  /// A cookie for every path, hidden from scripts and kept from other sites.
  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }

  /// Reads the name and value of a `Set-Cookie` header's value, as a client needs them.
  public init?(parsing text: String) {
    guard let pair = text.utf8.split(separator: UInt8(ascii: ";")).first,
      let equals = pair.firstIndex(of: UInt8(ascii: "="))
    else { return nil }
    self.init(
      name: trimmingBlanks(pair[..<equals]).text,
      value: trimmingBlanks(pair[pair.index(after: equals)...]).text)
    guard !name.isEmpty else { return nil }
    for attribute in text.utf8.split(separator: UInt8(ascii: ";")).dropFirst() {
      let parts = attribute.split(separator: UInt8(ascii: "="), maxSplits: 1)
      guard let first = parts.first, parts.count == 2 else { continue }
      if equalIgnoringCase(trimmingBlanks(first).text, "max-age") {
        maximumAge = Int(trimmingBlanks(parts[1]).text)
      }
    }
  }

  /// The value of a `Set-Cookie` header.
  public var headerValue: String {
    var text = "\(name)=\(value); Path=\(path)"
    if let maximumAge { text += "; Max-Age=\(maximumAge)" }
    if isHTTPOnly { text += "; HttpOnly" }
    if isSecure { text += "; Secure" }
    if let sameSite { text += "; SameSite=\(sameSite.rawValue)" }
    return text
  }
}
