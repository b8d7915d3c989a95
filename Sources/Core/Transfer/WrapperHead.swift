/// The beginning of an object that wraps an array of documents.
struct WrapperHead {
  /// Bytes up to and including the array's bracket.
  var length = 1
  var hasRows = false

  /// Members that CouchDB writes before the array.
  private static let known: Set<String> = [
    "total_rows", "offset", "update_seq", "new_edits", "docs", "rows",
  ]

  /// Reads the head; `nil` when the object is something else.
  ///
  /// Nothing is taken.
  init?(_ window: inout InputWindow) throws(TransferError) {
    while true {
      guard let key = try Self.string(&window, at: &length), Self.known.contains(key),
        try Self.next(&window, at: &length) == UInt8(ascii: ":")
      else { return nil }
      length += 1
      guard let first = try Self.next(&window, at: &length) else { return nil }
      if key == "docs" || key == "rows" {
        guard first == UInt8(ascii: "[") else { return nil }
        length += 1
        hasRows = key == "rows"
        return
      }
      // A number, a word or a short string.
      while let byte = try Self.next(&window, at: &length), byte != UInt8(ascii: ",") {
        if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "{") { return nil }
        length += 1
      }
      guard length < window.count else { return nil }
      length += 1
    }
  }

  /// The next byte that is no white space, reading on if needed.
  private static func next(
    _ window: inout InputWindow, at index: inout Int
  ) throws(TransferError) -> UInt8? {
    while true {
      if index == window.count {
        guard index < InputWindow.blockSize, try window.fill() else { return nil }
        continue
      }
      switch window[index] {
      case 0x20, 0x09, 0x0A, 0x0D: index += 1
      case let byte: return byte
      }
    }
  }

  /// A short string without escapes.
  private static func string(
    _ window: inout InputWindow, at index: inout Int
  ) throws(TransferError) -> String? {
    guard try next(&window, at: &index) == UInt8(ascii: "\"") else { return nil }
    index += 1
    var text = ""
    while let byte = try next(&window, at: &index), text.utf8.count < 20 {
      index += 1
      if byte == UInt8(ascii: "\"") { return text }
      guard byte < 0x80, byte != UInt8(ascii: "\\") else { return nil }
      text.unicodeScalars.append(Unicode.Scalar(byte))
    }
    return nil
  }
}
