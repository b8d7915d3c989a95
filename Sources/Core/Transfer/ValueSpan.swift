/// Finds the end of a JSON value without validating it: brackets are counted outside of strings.
struct ValueSpan {
  /// The value's bytes, once its end is found; else the bytes looked at.
  private(set) var length = 0
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  private var isScalar = false

  /// A number or a word ends with the input; anything else needs its closing character.
  var canEndWithInput: Bool { isScalar }

  /// Looks at the bytes that were not there at the last call.
  ///
  /// - Returns: whether the end was found.
  mutating func scan(_ bytes: UnsafeRawBufferPointer, isAtEnd: Bool) -> Bool {
    var index = length
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
          if depth == 0 { return finish(index) }
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""):
        // A quote directly behind a scalar is a mistake that the parser will report.
        if isScalar { return finish(index - 1) }
        isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if isScalar { return finish(index - 1) }
        depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return finish(index - 1) }
        depth -= 1
        if depth == 0 { return finish(index) }
      case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x0A, 0x0D, 0x09:
        if depth == 0 { return finish(index - 1) }
      default:
        if depth == 0 { isScalar = true }
      }
    }
    length = index
    return isAtEnd && isScalar
  }

  private mutating func finish(_ index: Int) -> Bool {
    length = index
    return true
  }
}
