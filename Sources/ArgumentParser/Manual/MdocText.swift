/// Writes text so that mdoc shows it as it is.
enum MdocText {
  /// A line of running text: backslashes, a leading control character, dashes that belong to options
  /// and everything beyond ASCII are escaped.
  static func line(_ text: String) -> String {
    let escaped = inline(text)
    return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
  }

  /// Text inside a line.
  static func inline(_ text: String) -> String {
    var result = ""
    var previous: Unicode.Scalar = " "
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\e"
      // A hyphen between letters may stay one; the dashes of an option must be copied as typed.
      case "-" where !previous.properties.isAlphabetic && !("0"..."9" ~= previous): result += "\\-"
      case "…": result += "\\&..."
      case "–": result += "\\(en"
      case "—": result += "\\(em"
      case "’": result += "\\(cq"
      case "\u{A0}": result += "\\ "
      default:
        if scalar.isASCII {
          result.unicodeScalars.append(scalar)
        } else {
          let digits = String(scalar.value, radix: 16, uppercase: true)
          let padding = String(repeating: "0", count: max(0, 4 - digits.count))
          result += "\\[u" + padding + digits + "]"
        }
      }
      previous = scalar
    }
    return result
  }

  /// Literal text: every dash is the one on the keyboard, quotes are straight.
  static func literal(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      default: result += inline(String(scalar))
      }
    }
    return result.hasPrefix(".") ? "\\&" + result : result
  }

  /// One argument of a macro, quoted where it has blanks, never taken for a macro or delimiter.
  static func argument(_ text: String) -> String {
    let escaped = literal(text).substituting("\"", with: "\\(dq")
    let isDelimiter = text.count == 1 && ".,:;()[]?!|".contains(text)
    let scalars = Array(text.unicodeScalars)
    let isMacro =
      (2...3).contains(scalars.count) && ("A"..."Z") ~= scalars[0] || text.hasPrefix("%")
    let safe = isDelimiter || isMacro ? "\\&" + escaped : escaped
    return text.contains(" ") || text.isEmpty ? "\"\(safe)\"" : safe
  }

  /// Running text, one sentence a line, as mdoc wants it.
  static func sentences(_ text: String) -> [String] {
    var lines: [String] = []
    var current: [Substring] = []
    for word in text.split(separator: " ") {
      current.append(word)
      guard let last = word.last, ".!?".contains(last), word.count > 2 else { continue }
      lines.append(line(current.joined(separator: " ")))
      current = []
    }
    if !current.isEmpty { lines.append(line(current.joined(separator: " "))) }
    return lines
  }
}
