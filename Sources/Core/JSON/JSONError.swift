/// Why a text is not JSON, and where.
///
/// The parser is strict (RFC 8259), plus three limits of ours: nesting, numbers that no `Double`
/// holds, and strings that are not valid Unicode.
public struct JSONError: Error, Sendable, Hashable {
  /// What was wrong.
  public enum Reason: Sendable, Hashable {
    /// There is nothing but white space.
    case emptyInput
    /// The text ends inside a value.
    case unexpectedEnd
    /// A character that cannot stand here.
    case unexpectedCharacter(Unicode.Scalar)
    /// A complete value is followed by more text.
    case trailingText
    /// The text begins with a byte order mark (RFC 8259 §8.1 forbids writing one).
    case byteOrderMark
    /// The bytes are not UTF-8: overlong, cut off, a surrogate, or beyond U+10FFFF.
    case invalidUTF8
    /// A backslash is followed by something that is no escape.
    case invalidEscape
    /// A `\uD800`…`\uDFFF` escape is not half of a pair.
    case loneSurrogate
    /// A control character (U+0000–U+001F) stands unescaped in a string.
    case controlCharacter
    /// A number is not written as JSON writes numbers.
    case invalidNumber
    /// A number is greater than any `Double`, such as `1e400`.
    case numberOutOfRange
    /// Arrays and objects are nested deeper than ``JSON/maximumDepth``.
    case tooDeep
    /// The text is 4 GiB or longer.
    case inputTooLarge
  }

  /// What was wrong.
  public var reason: Reason
  /// Bytes before the offending one.
  public var offset: Int
  /// The line of the offending character, from 1.
  ///
  /// Lines end with a line feed.
  public var line: Int
  /// The column of the offending character, from 1, counted in Unicode scalars.
  public var column: Int

  /// Creates an error at a known place.
  public init(reason: Reason, offset: Int, line: Int, column: Int) {
    self.reason = reason
    self.offset = offset
    self.line = line
    self.column = column
  }

  /// One sentence for people, such as `unexpected character ',' at line 1, column 5`.
  public var message: String {
    "\(reason.text) at line \(line), column \(column)"
  }
}

extension JSONError.Reason {
  /// The reason alone, without its place: `unexpected character ','`.
  public var text: String {
    switch self {
    case .emptyInput: "no JSON value"
    case .unexpectedEnd: "unexpected end of text"
    case .unexpectedCharacter(let scalar):
      "unexpected character \(Self.quoted(scalar))"
    case .trailingText: "unexpected text after the value"
    case .byteOrderMark: "byte order mark before the value"
    case .invalidUTF8: "invalid UTF-8"
    case .invalidEscape: "invalid escape in a string"
    case .loneSurrogate: "lone surrogate in a string"
    case .controlCharacter: "unescaped control character in a string"
    case .invalidNumber: "invalid number"
    case .numberOutOfRange: "number out of range"
    case .tooDeep: "nested deeper than \(JSON.maximumDepth) levels"
    case .inputTooLarge: "text of 4 GiB or more"
    }
  }

  /// Control characters are named by number: the message may end up on a terminal.
  private static func quoted(_ scalar: Unicode.Scalar) -> String {
    if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) {
      let digits = String(scalar.value, radix: 16, uppercase: true)
      return "U+" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    return "'\(scalar)'"
  }
}

/// What the scanner throws: the reason and the byte; line and column are counted only when the error
/// leaves the module, since errors are rare and counting is not free.
struct JSONFault: Error {
  var reason: JSONError.Reason
  var offset: Int

  /// The error with its line and column in `bytes`.
  func located(in bytes: UnsafeRawBufferPointer) -> JSONError {
    var line = 1
    var column = 1
    for byte in bytes.prefix(offset) {
      if byte == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    return JSONError(reason: reason, offset: offset, line: line, column: column)
  }
}
