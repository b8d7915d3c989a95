/// Where a page of results ended: the sort key and the id of its last document.
///
/// It stays good when documents change in between, and whichever index serves the next page; it is
/// refused by a query with another sort. To others it is opaque text.
struct Bookmark {
  var key: [UInt8]
  var id: String

  private static let version: UInt8 = 1

  init(key: [UInt8], id: String) {
    self.key = key
    self.id = id
  }

  /// Reads what ``text(for:)`` made.
  init(_ text: String, for sort: [SortField]) throws(QueryError) {
    let invalid = Self.invalid(.string(text))
    guard let bytes = base64Decoded(Self.standard(text)), bytes.count >= 7,
      bytes[0] == Self.version, Array(bytes[1..<5]) == Self.mark(of: sort)
    else { throw invalid }
    let length = Int(bytes[5]) << 8 | Int(bytes[6])
    let rest = bytes[7...]
    guard rest.count >= length else { throw invalid }
    key = Array(rest.prefix(length))
    id = String(decoding: rest.dropFirst(length), as: UTF8.self)
  }

  func text(for sort: [SortField]) -> String? {
    // A key of more than 64 KiB is no place one can come back to.
    guard key.count <= 0xFFFF else { return nil }
    let bytes =
      [Self.version] + Self.mark(of: sort)
      + [UInt8(key.count >> 8), UInt8(key.count & 0xFF)] + key + Array(id.utf8)
    return Self.urlSafe(base64(bytes))
  }

  static func invalid(_ json: JSON) -> QueryError {
    QueryError(
      code: "invalid_bookmark", reason: "Invalid bookmark value: \(json.serialized())")
  }

  private static func mark(of sort: [SortField]) -> [UInt8] {
    var digest = SHA256()
    digest.update(JSON.array(sort.map(\.json)).serializedBytes(.canonical))
    return Array(digest.finish().prefix(4))
  }

  private static func urlSafe(_ text: String) -> String {
    String(
      decoding: text.utf8.compactMap { byte -> UInt8? in
        switch byte {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        case UInt8(ascii: "="): nil
        default: byte
        }
      }, as: UTF8.self)
  }

  private static func standard(_ text: String) -> String {
    var bytes = text.utf8.map { byte -> UInt8 in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: byte
      }
    }
    while bytes.count % 4 != 0 { bytes.append(UInt8(ascii: "=")) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
