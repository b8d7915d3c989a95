import Core

/// Lays JSON out for people: indented, coloured where colour is on, harmless for the terminal.
struct JSONPainter: Sendable {
  let style: Style

  /// The value as text without a line feed at its end.
  func text(_ json: JSON) -> String {
    var text = ""
    append(json, level: 0, to: &text)
    return text
  }

  private func append(_ json: JSON, level: Int, to text: inout String) {
    switch json {
    case .object(let members) where !members.isEmpty:
      text += "{"
      var separator = ""
      for (key, value) in members {
        text += separator + lineBreak(level + 1)
        text += style.apply(.cyan, to: quoted(key)) + ": "
        append(value, level: level + 1, to: &text)
        separator = ","
      }
      text += lineBreak(level) + "}"
    case .array(let elements) where !elements.isEmpty:
      text += "["
      var separator = ""
      for element in elements {
        text += separator + lineBreak(level + 1)
        append(element, level: level + 1, to: &text)
        separator = ","
      }
      text += lineBreak(level) + "]"
    case .string(let value): text += style.apply(.green, to: quoted(value))
    case .null: text += style.apply(.dim, to: "null")
    case .bool, .integer, .double, .bigInteger:
      text += style.apply(.yellow, to: json.serialized())
    case .object, .array: text += json.serialized()
    }
  }

  private func lineBreak(_ level: Int) -> String { "\n" + String(repeating: "  ", count: level) }

  private func quoted(_ text: String) -> String {
    Sanitizer.terminalSafe(JSON.string(text).serialized(.compact.escapingSeparators))
  }
}
