/// How a store orders strings in sorts and ranges; fixed when it is created.
public enum Collation: String, Sendable, CaseIterable {
  /// By Unicode code point, which is also the order of the UTF-8 bytes.
  case codePoint = "codepoint"
  /// By the root order of the Unicode Collation Algorithm, as CouchDB does with ICU.
  case unicode
}
