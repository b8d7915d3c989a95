/// How a JSON value is written.
public struct JSONStyle: Sendable, Hashable {
  /// Whether members and elements stand on lines of their own, indented by two spaces.
  ///
  /// Empty arrays
  /// and objects stay on one line.
  public var isIndented: Bool
  /// Whether members are sorted by the UTF-8 bytes of their keys.
  public var sortsKeys: Bool
  /// Whether U+007F–U+009F, U+2028 and U+2029 are escaped too: some programs take the separators for
  /// line ends, and a terminal obeys the controls.
  public var escapesSeparators: Bool

  private init(isIndented: Bool, sortsKeys: Bool) {
    self.isIndented = isIndented
    self.sortsKeys = sortsKeys
    self.escapesSeparators = false
  }

  /// No spaces, members in their order.
  public static let compact = JSONStyle(isIndented: false, sortsKeys: false)
  /// Indented by two spaces, members in their order.
  ///
  /// No line feed at the end.
  public static let pretty = JSONStyle(isIndented: true, sortsKeys: false)
  /// The one form that revision ids hash: no spaces, members sorted by the UTF-8 bytes of their keys,
  /// escapes only where JSON demands them, doubles as Swift describes them (the shortest digits that
  /// read back the same; `1e0` becomes `1.0`, `-0.0` becomes `0.0`).
  public static let canonical = JSONStyle(isIndented: false, sortsKeys: true)

  /// The same style with separators and terminal controls escaped.
  public var escapingSeparators: JSONStyle {
    var style = self
    style.escapesSeparators = true
    return style
  }
}
