/// Whether two strings are the same UTF-8 bytes.
///
/// Swift's `==` compares canonical equivalence (`"é" == "e\u{301}"`), which would merge two different
/// JSON keys or document ids. It is used here only to rule out: strings that are not even equivalent
/// cannot have equal bytes, and for ASCII that test is one `memcmp`.
package func utf8Equal(_ a: String, _ b: String) -> Bool {
  let left = a.utf8
  let right = b.utf8
  return left.count == right.count && a == b && left.elementsEqual(right)
}

/// Whether `a` comes before `b` when their UTF-8 bytes are compared, which is code point order.
package func utf8Less(_ a: String, _ b: String) -> Bool {
  a.utf8.lexicographicallyPrecedes(b.utf8)
}

/// A string that is hashed, compared and sorted as UTF-8 bytes: the key of dictionaries and sets that
/// hold document ids, field names and attachment names.
package struct UTF8Key: Hashable, Comparable, Sendable {
  /// The string itself, unchanged.
  package let string: String

  package init(_ string: String) {
    self.string = string
  }

  package static func == (a: Self, b: Self) -> Bool {
    utf8Equal(a.string, b.string)
  }

  package static func < (a: Self, b: Self) -> Bool {
    utf8Less(a.string, b.string)
  }

  package func hash(into hasher: inout Hasher) {
    hashUTF8(of: string, into: &hasher)
  }
}

/// Feeds the bytes of `string`, and a terminator that no UTF-8 text holds, to `hasher`.
func hashUTF8(of string: String, into hasher: inout Hasher) {
  var string = string
  string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  hasher.combine(0xFF as UInt8)
}
