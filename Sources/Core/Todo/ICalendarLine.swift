/// One content line of an iCalendar file (RFC 5545 §3.1): `NAME;PARAM=value:VALUE`.
struct ICalendarLine {
  /// The property's name in upper case.
  let name: String
  /// The parameters, names in upper case, values without quotes.
  let parameters: [String: String]
  /// The value, still escaped.
  let value: String
  /// The whole unfolded line, for what is kept as it is.
  let raw: String
  /// The number of its first physical line.
  let number: Int

  init?(_ raw: String, number: Int) {
    self.raw = raw
    self.number = number
    var head: [[UInt8]] = [[]]
    var isQuoted = false
    var rest: ArraySlice<UInt8> = []
    let bytes = Array(raw.utf8)
    var hasValue = false
    for (index, byte) in bytes.enumerated() {
      if byte == 0x22 { isQuoted.toggle() }
      if !isQuoted, byte == 0x3A {
        rest = bytes[(index + 1)...]
        hasValue = true
        break
      }
      if !isQuoted, byte == 0x3B { head.append([]) } else { head[head.count - 1].append(byte) }
    }
    guard hasValue, !head[0].isEmpty else { return nil }
    name = String(decoding: head[0], as: UTF8.self).uppercased()
    value = String(decoding: rest, as: UTF8.self)
    var parameters: [String: String] = [:]
    for part in head.dropFirst() {
      let pair = part.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
      let text = pair.count > 1 ? pair[1].filter { $0 != 0x22 } : []
      parameters[String(decoding: pair[0], as: UTF8.self).uppercased()] = String(
        decoding: text, as: UTF8.self)
    }
    self.parameters = parameters
  }

  /// Joins folded lines: a line that begins with a space or tab continues the one before.
  static func unfold(_ text: String) -> [(number: Int, text: String)] {
    var result: [(number: Int, bytes: [UInt8])] = []
    for line in importLines(text) {
      if let first = line.text.utf8.first, first == 0x20 || first == 0x09, !result.isEmpty {
        // Bytes, not characters: some writers cut a character in two.
        result[result.count - 1].bytes += line.text.utf8.dropFirst()
      } else if !line.text.isEmpty {
        result.append((line.number, Array(line.text.utf8)))
      }
    }
    return result.map { ($0.number, String(decoding: $0.bytes, as: UTF8.self)) }
  }

  /// The line folded at 75 octets without cutting a character, with CR LF.
  static func fold(_ line: String) -> String {
    var result = ""
    var used = 0
    for scalar in line.unicodeScalars {
      let size = UTF8.width(scalar)
      if used + size > 75 {
        result += "\r\n "
        used = 1
      }
      result.unicodeScalars.append(scalar)
      used += size
    }
    return result + "\r\n"
  }

  /// Escapes a TEXT value (RFC 5545 §3.3.11).
  static func escape(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case ";": result += "\\;"
      case ",": result += "\\,"
      case "\n": result += "\\n"
      case "\r": continue
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The TEXT values of a comma-separated list, unescaped.
  var texts: [String] {
    var parts = [""]
    var isEscaped = false
    for scalar in value.unicodeScalars {
      if isEscaped {
        let plain: Unicode.Scalar = scalar == "n" || scalar == "N" ? "\n" : scalar
        parts[parts.count - 1].unicodeScalars.append(plain)
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else if scalar == "," {
        parts.append("")
      } else {
        parts[parts.count - 1].unicodeScalars.append(scalar)
      }
    }
    return parts
  }

  /// The value as one text; an unescaped comma is an ordinary one here.
  var text: String { texts.joined(separator: ",") }
}

extension UTF8 {
  fileprivate static func width(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case ..<0x80: 1
    case ..<0x800: 2
    case ..<0x1_0000: 3
    default: 4
    }
  }
}
