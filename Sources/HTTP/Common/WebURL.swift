/// An http or https URL in its parts (RFC 3986), without Foundation.
///
/// The path and the query stay as they were written, so that `%2F` survives; user and password are
/// decoded once. `description` leaves user and password out: it is what may be shown and logged.
public struct WebURL: Sendable, Hashable {
  /// The two schemes that are spoken.
  public enum Scheme: String, Sendable, Hashable {
    /// Plain.
    case http
    /// Over TLS.
    case https

    /// 80 or 443.
    public var defaultPort: UInt16 { self == .http ? 80 : 443 }
  }

  /// The scheme.
  public var scheme: Scheme
  /// The user, decoded; nil when the URL names none.
  public var user: String?
  /// The password, decoded; nil when the URL has none.
  public var password: String?
  /// The host in lower case; an IPv6 address without brackets.
  public var host: String
  /// The port, when one is written.
  public var port: UInt16?
  /// The path as written, from its first slash; `/` when the URL has none.
  public var path: String
  /// The query as written, without `?`.
  public var query: String?
  /// The fragment as written, without `#`; it is never sent.
  public var fragment: String?

  /// Makes a URL of its parts; the path is given encoded and begins with a slash.
  public init(
    scheme: Scheme, host: String, port: UInt16? = nil, path: String = "/", query: String? = nil
  ) {
    self.scheme = scheme
    self.host = host
    self.port = port
    self.path = path
    self.query = query
  }

  /// Parses an absolute URL.
  ///
  /// - Throws: `HTTPError.invalidURL`, whose text has no user-info.
  public init(_ text: String) throws(HTTPError) {
    var rest = Array(text.utf8)[...]
    guard let colon = rest.firstIndex(of: UInt8(ascii: ":")),
      let scheme = Scheme(rawValue: asciiLowercased(rest[..<colon])),
      rest[colon...].starts(with: Array("://".utf8)),
      rest.allSatisfy({ $0 > 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "\\") })
    else { throw .invalidURL(Self.withoutUserInfo(text)) }
    self.scheme = scheme
    rest = rest[(colon + 3)...]
    let end = rest.firstIndex { [0x2f, 0x3f, 0x23].contains($0) } ?? rest.endIndex
    var authority = rest[..<end]
    rest = rest[end...]
    host = ""
    path = "/"
    if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
      guard parseUserInfo(authority[..<at]) else {
        throw .invalidURL(Self.withoutUserInfo(text))
      }
      authority = authority[(at + 1)...]
    }
    guard parseHost(authority) else { throw .invalidURL(Self.withoutUserInfo(text)) }
    parseRest(rest)
    guard hasValidEscapes(path), hasValidEscapes(query ?? "") else {
      throw .invalidURL(Self.withoutUserInfo(text))
    }
  }

  /// The port that is connected to.
  public var effectivePort: UInt16 { port ?? scheme.defaultPort }

  /// Whether two URLs lead to the same server by the same way: scheme, host and port.
  public func hasSameOrigin(as other: WebURL) -> Bool {
    scheme == other.scheme && sameBytes(host, other.host) && effectivePort == other.effectivePort
  }

  /// The path's segments, decoded; `/a/b%2Fc/` gives `a`, `b/c` and an empty one.
  public var segments: [String] {
    path.utf8.dropFirst().split(separator: 0x2f, omittingEmptySubsequences: false).map {
      PercentEncoding.decodeText($0) ?? String(decoding: $0, as: UTF8.self)
    }
  }

  /// The URL with encoded segments added to its path; a slash at the end of the path is not doubled.
  public func appending(_ segments: String...) -> WebURL { appending(segments) }

  /// The URL with encoded segments added to its path, its query and fragment dropped.
  public func appending(_ segments: [String]) -> WebURL {
    var url = self
    url.query = nil
    url.fragment = nil
    for segment in segments {
      if !url.path.utf8.elementsEqual("/".utf8), url.path.utf8.last != 0x2f { url.path += "/" }
      if url.path.isEmpty { url.path = "/" }
      url.path += PercentEncoding.encode(segment)
    }
    return url
  }

  /// The URL with a query of these parameters; none when there are none.
  public func with(query items: [(name: String, value: String)]) -> WebURL {
    var url = self
    url.query = items.isEmpty ? nil : HTTPQuery(items).encoded
    return url
  }

  /// The URL without user and password.
  public var withoutUserInfo: WebURL {
    var url = self
    url.user = nil
    url.password = nil
    return url
  }

  /// The `Host` header's value: brackets around IPv6, the port unless it is the scheme's.
  public var authority: String {
    let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    guard let port, port != scheme.defaultPort else { return name }
    return "\(name):\(port)"
  }

  /// What a request line names: path and query.
  public var target: String { query.map { "\(path)?\($0)" } ?? path }
}

extension WebURL: CustomStringConvertible {
  /// The URL without user and password, for messages and logs.
  public var description: String {
    "\(scheme.rawValue)://\(authority)\(target)" + (fragment.map { "#\($0)" } ?? "")
  }

  /// The whole URL, with its secrets.
  public var textWithUserInfo: String {
    guard let user else { return description }
    let secret = password.map { ":\(PercentEncoding.encode($0))" } ?? ""
    return "\(scheme.rawValue)://\(PercentEncoding.encode(user))\(secret)@"
      + description.utf8.dropFirst(scheme.rawValue.utf8.count + 3).text
  }
}

extension WebURL {
  private mutating func parseUserInfo(_ bytes: ArraySlice<UInt8>) -> Bool {
    let parts = bytes.split(
      separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = PercentEncoding.decodeText(parts[0]) else { return false }
    user = name
    guard parts.count > 1 else { return true }
    guard let secret = PercentEncoding.decodeText(parts[1]) else { return false }
    password = secret
    return true
  }

  private mutating func parseHost(_ bytes: ArraySlice<UInt8>) -> Bool {
    var name = bytes
    var portText: ArraySlice<UInt8>?
    if bytes.first == UInt8(ascii: "[") {
      guard let close = bytes.firstIndex(of: UInt8(ascii: "]")) else { return false }
      name = bytes[(bytes.startIndex + 1)..<close]
      guard name.allSatisfy({ hexValue($0) != nil || $0 == 0x3a || $0 == 0x2e }),
        name.contains(0x3a)
      else { return false }
      let after = bytes[(close + 1)...]
      guard after.isEmpty || after.first == 0x3a else { return false }
      portText = after.isEmpty ? nil : after.dropFirst()
    } else if let colon = bytes.firstIndex(of: UInt8(ascii: ":")) {
      name = bytes[..<colon]
      portText = bytes[(colon + 1)...]
    }
    guard let decoded = PercentEncoding.decodeText(name), !decoded.isEmpty,
      decoded.utf8.allSatisfy({ $0 > 0x20 && !Array("/?#@[]<>\\^`{|}%\"".utf8).contains($0) })
    else { return false }
    host = asciiLowercased(decoded)
    guard let portText, !portText.isEmpty else { return true }
    guard let number = decimalNumber(portText), let number = UInt16(exactly: number) else {
      return false
    }
    port = number
    return true
  }

  private mutating func parseRest(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
      fragment = String(decoding: rest[(hash + 1)...], as: UTF8.self)
      rest = rest[..<hash]
    }
    if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
      query = String(decoding: rest[(mark + 1)...], as: UTF8.self)
      rest = rest[..<mark]
    }
    if !rest.isEmpty { path = String(decoding: rest, as: UTF8.self) }
  }

  private func hasValidEscapes(_ text: String) -> Bool {
    PercentEncoding.decode(text.utf8) != nil
  }

  private static func withoutUserInfo(_ text: String) -> String {
    let bytes = Array(text.utf8)
    guard let at = bytes.lastIndex(of: UInt8(ascii: "@")) else { return text }
    let start = bytes.firstIndex(of: UInt8(ascii: "/")).map { min($0 + 2, at) } ?? 0
    return String(decoding: bytes[..<start] + bytes[(at + 1)...], as: UTF8.self)
  }
}

extension Sequence<UInt8> {
  /// The bytes as text.
  var text: String { String(decoding: Array(self), as: UTF8.self) }
}
