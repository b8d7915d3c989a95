extension String {
  /// The text with every occurrence of `word` written as `text`, compared byte by byte.
  ///
  /// The standard library's `replacing` compares by canonical equivalence and brings the regular
  /// expression engine into the binary.
  func substituting(_ word: String, with text: String) -> String {
    let pattern = Array(word.utf8)
    let source = Array(utf8)
    guard let first = pattern.first else { return self }
    var result: [UInt8] = []
    result.reserveCapacity(source.count)
    var index = 0
    while index < source.count {
      if source[index] == first, source[index...].starts(with: pattern) {
        result += text.utf8
        index += pattern.count
      } else {
        result.append(source[index])
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
