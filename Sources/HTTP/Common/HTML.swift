/// A piece of HTML, written so that nothing gets in unescaped.
///
/// Literal text is HTML; whatever is put into it by interpolation is text and is escaped, safe
/// between tags and within quoted attributes. Only another piece of HTML goes in as it is:
///
///     let html: HTML = "<p title=\"\(title)\">\(title)</p>"
package struct HTML: Sendable, ExpressibleByStringInterpolation {
  /// The HTML as text.
  package private(set) var text: String

  package init(stringLiteral text: String) { self.text = text }

  package init(stringInterpolation pieces: StringInterpolation) { text = pieces.text }

  /// Takes bytes of the program's own as HTML: never give it what people wrote.
  package init(trusted bytes: some Sequence<UInt8>) {
    text = String(decoding: Array(bytes), as: UTF8.self)
  }

  /// Joins pieces in their order.
  package init(_ pieces: some Sequence<HTML>) { text = pieces.map(\.text).joined() }

  /// Takes literals as they are and escapes all else.
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    package init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + 32 * interpolationCount)
    }

    package mutating func appendLiteral(_ literal: String) { text += literal }

    package mutating func appendInterpolation(_ value: String) { text += HTML.escaped(value) }

    package mutating func appendInterpolation(_ value: some BinaryInteger) { text += "\(value)" }

    package mutating func appendInterpolation(_ html: HTML) { text += html.text }

    package mutating func appendInterpolation(_ pieces: [HTML]) {
      for piece in pieces { text += piece.text }
    }
  }

  /// Text that means itself between tags and within quoted attributes.
  ///
  /// Control characters, which HTML does not allow, become U+FFFD.
  package static func escaped(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case 0..<0x20, 0x22, 0x26, 0x27, 0x3c, 0x3e, 0x7f, 0xc2: false
      default: true
      }
    }
    if isPlain { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result.append(contentsOf: "&amp;".unicodeScalars)
      case "<": result.append(contentsOf: "&lt;".unicodeScalars)
      case ">": result.append(contentsOf: "&gt;".unicodeScalars)
      case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
      case "'": result.append(contentsOf: "&#39;".unicodeScalars)
      case "\t", "\n": result.append(scalar)
      case "\0"..." ", "\u{7f}"..."\u{9f}": result.append(scalar == " " ? " " : "\u{fffd}")
      default: result.append(scalar)
      }
    }
    return String(result)
  }
}

extension HTML {
  /// A number of bytes for people: `950 bytes`, `4.2 MB`.
  package static func size(_ bytes: Int64) -> String {
    guard bytes >= 1000 else { return bytes == 1 ? "1 byte" : "\(bytes) bytes" }
    var scale: Int64 = 1000
    for unit in ["kB", "MB", "GB"] {
      let tenths = (bytes + scale / 20) / (scale / 10)
      let whole = (bytes + scale / 2) / scale
      if tenths < 100 { return "\(tenths / 10).\(tenths % 10) \(unit)" }
      if whole < 1000 { return "\(whole) \(unit)" }
      scale *= 1000
    }
    return "\(bytes / scale) TB"
  }
}
