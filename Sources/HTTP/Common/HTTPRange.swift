/// What part of a representation a `Range` header asks for (RFC 9110 §14).
public enum HTTPRange: Sendable, Equatable {
  /// All of it: there is no header, or one that is to be ignored (malformed, several ranges,
  /// another unit).
  case whole
  /// These bytes, never empty.
  case part(Range<Int64>)
  /// Nothing there: answer 416 with `Content-Range: bytes */LENGTH`.
  case unsatisfiable

  /// Reads a `Range` header's value for a representation of `length` bytes.
  public init(_ header: String?, length: Int64) {
    self = .whole
    guard let header else { return }
    let bytes = Array(header.utf8)
    guard asciiLowercased(bytes.prefix(6)).utf8.elementsEqual("bytes=".utf8) else { return }
    let text = trimmingBlanks(bytes.dropFirst(6))
    guard let dash = text.firstIndex(of: UInt8(ascii: "-")) else { return }
    let first = trimmingBlanks(text[..<dash])
    let last = trimmingBlanks(text[(dash + 1)...])
    if first.isEmpty {
      guard let suffix = decimalNumber(last) else { return }
      self = suffix == 0 || length == 0 ? .unsatisfiable : .part(max(0, length - suffix)..<length)
      return
    }
    guard let start = decimalNumber(first) else { return }
    guard !last.isEmpty else {
      self = start < length ? .part(start..<length) : .unsatisfiable
      return
    }
    guard let end = decimalNumber(last), end >= start else { return }
    self = start < length ? .part(start..<min(length, end == .max ? end : end + 1)) : .unsatisfiable
  }

  /// The value of `Content-Range` for a part.
  public static func contentRange(_ part: Range<Int64>, of length: Int64) -> String {
    "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(length)"
  }

  /// Reads a response's `Content-Range`: the part, and the whole length when it is known.
  public static func parse(contentRange: String) -> (part: Range<Int64>, length: Int64?)? {
    let parts = contentRange.utf8.split(whereSeparator: { [0x20, 0x2d, 0x2f].contains($0) })
    guard parts.count == 4, equalIgnoringCase(parts[0].text, "bytes"),
      let first = decimalNumber(parts[1]), let last = decimalNumber(parts[2]),
      last >= first, last < .max
    else { return nil }
    return (first..<(last + 1), decimalNumber(parts[3]))
  }
}
