/// A `Content-Disposition` header's value (RFC 6266, RFC 7578 §4.2).
public struct ContentDisposition: Sendable, Equatable {
  /// `form-data`, `attachment`, `inline`; in lower case.
  public var kind: String
  /// The field's name in form data.
  public var name: String?
  /// The file's name as it came: data, never a path.
  public var filename: String?

  /// Makes a value.
  public init(kind: String, name: String? = nil, filename: String? = nil) {
    self.kind = kind
    self.name = name
    self.filename = filename
  }

  /// Parses a value; `filename*` (RFC 8187) goes before `filename`.
  public init(_ text: String) {
    let parsed = MediaType(text)
    kind = parsed.value
    name = parsed.parameters["name"]
    filename =
      parsed.parameters["filename*"].flatMap(Self.extended) ?? parsed.parameters["filename"]
  }

  /// The header's value; names beyond ASCII get a `filename*` besides.
  public var headerValue: String {
    var text = kind
    if let name { text += "; name=\(Self.quoted(name))" }
    guard let filename else { return text }
    text += "; filename=\(Self.quoted(filename))"
    if !filename.utf8.allSatisfy({ $0 < 0x80 }) {
      text += "; filename*=UTF-8''\(PercentEncoding.encode(filename))"
    }
    return text
  }

  /// In quotes even where a token would do: some readers know no other form.
  private static func quoted(_ text: String) -> String {
    let quoted = MediaType.quoted(text)
    return quoted.utf8.first == 0x22 ? quoted : "\"\(quoted)\""
  }

  /// `charset'language'percent-encoded`.
  private static func extended(_ text: String) -> String? {
    let parts = text.utf8.split(
      separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = PercentEncoding.decode(parts[2]), !bytes.contains(0) else {
      return nil
    }
    if equalIgnoringCase(parts[0].text, "utf-8") { return String(validating: bytes, as: UTF8.self) }
    guard equalIgnoringCase(parts[0].text, "iso-8859-1") else { return nil }
    return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }
}
