/// The parameters of a query string or an urlencoded form, in order, repeats kept.
public struct HTTPQuery: Sendable, Equatable {
  /// Decoded names and values; a parameter without `=` has an empty value.
  public var items: [(name: String, value: String)]

  /// No parameters, or these.
  public init(_ items: [(name: String, value: String)] = []) { self.items = items }

  /// Parses `a=1&b=2`, where `+` means a blank; nil for a broken escape, a NUL or a text that is
  /// not UTF-8.
  public init?(parsing text: some StringProtocol) {
    items = []
    for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentEncoding.decodeText(parts[0], plusIsSpace: true),
        let value = PercentEncoding.decodeText(
          parts.count > 1 ? parts[1] : pair.suffix(0), plusIsSpace: true)
      else { return nil }
      items.append((name, value))
    }
  }

  /// The last value of a name, as CouchDB takes it; names compare as bytes.
  public subscript(name: String) -> String? {
    items.last { sameBytes($0.name, name) }?.value
  }

  /// Every value of a name, in order.
  public func values(of name: String) -> [String] {
    items.filter { sameBytes($0.name, name) }.map(\.value)
  }

  /// The encoded text, `a=1&b=2`; a blank becomes `%20`.
  public var encoded: String {
    items.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
      .joined(separator: "&")
  }

  /// Compares names and values as bytes, in order.
  public static func == (left: HTTPQuery, right: HTTPQuery) -> Bool {
    left.items.elementsEqual(right.items) {
      sameBytes($0.name, $1.name) && sameBytes($0.value, $1.value)
    }
  }
}
