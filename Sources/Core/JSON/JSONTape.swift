/// A parsed JSON text as a flat list of tokens over borrowed bytes: no tree, no allocation per value.
///
/// A tape is made once per thread and parses one text after the other. Tokens stand in the order of
/// the text: a container, then its elements, or its keys each followed by the value. ``JSONToken/next``
/// leaps over a value. The tape keeps no pointer to the bytes: whoever reads a token hands the same
/// bytes in again.
public struct JSONTape: ~Copyable {
  var tokens: UnsafeMutablePointer<JSONToken>
  var capacity: Int
  /// The number of tokens of the last text parsed; 0 after an error.
  public internal(set) var count = 0

  /// An empty tape with room for `capacity` tokens; it grows as needed.
  public init(capacity: Int = 256) {
    self.capacity = max(capacity, 16)
    tokens = .allocate(capacity: self.capacity)
  }

  deinit {
    tokens.deallocate()
  }

  /// The token at `index`, which must be less than ``count``.
  ///
  /// The root value is token 0.
  public subscript(index: Int) -> JSONToken {
    precondition(index >= 0 && index < count, "token index out of range")
    return tokens[index]
  }

  /// Parses one JSON text, replacing the tokens of the one before.
  ///
  /// The whole text is validated: grammar, UTF-8, escapes, surrogate pairs, the range of numbers and
  /// the nesting (``JSON/maximumDepth``). Bytes past the end are never read.
  ///
  /// - Parameter bytes: the text, less than 4 GiB.
  /// - Throws: ``JSONError`` with the reason and the place of the first mistake.
  public mutating func parse(_ bytes: UnsafeRawBufferPointer) throws(JSONError) {
    count = 0
    do throws(JSONFault) {
      try scan(bytes)
    } catch {
      count = 0
      throw error.located(in: bytes)
    }
  }

  @inline(never)
  mutating func grow() {
    let larger = UnsafeMutablePointer<JSONToken>.allocate(capacity: capacity * 2)
    larger.update(from: tokens, count: count)
    tokens.deallocate()
    tokens = larger
    capacity *= 2
  }
}
