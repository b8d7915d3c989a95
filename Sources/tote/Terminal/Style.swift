/// The few looks text can have; only the sixteen basic colours, so that themes keep their say.
enum Look: String, Sendable {
  case bold = "1"
  case dim = "2"
  case struck = "2;9"
  case red = "31"
  case green = "32"
  case yellow = "33"
  case cyan = "36"
}

/// Puts looks on text, or leaves it alone where colour is off.
///
/// A look never carries meaning alone: whatever it marks also has a word or a sign.
struct Style: Sendable {
  /// Whether escape sequences may be written.
  let isEnabled: Bool

  /// The text in a look.
  func apply(_ look: Look?, to text: String) -> String {
    guard isEnabled, let look, !text.isEmpty else { return text }
    return "\u{1B}[\(look.rawValue)m\(text)\u{1B}[0m"
  }
}
