/// A word of the user's made harmless for the terminal: control, bidirectional and separator
/// characters are written as escapes.
func shown(_ word: String) -> String {
  guard word.unicodeScalars.contains(where: isUnsafe) else { return word }
  var result = ""
  for scalar in word.unicodeScalars {
    switch scalar {
    case "\n": result += "\\n"
    case "\t": result += "\\t"
    case "\r": result += "\\r"
    case _ where isUnsafe(scalar): result += "\\u{" + String(scalar.value, radix: 16) + "}"
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// Whether a scalar could move the cursor, reorder the line or hide text.
private func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
  default: false
  }
}
