private import CICU

/// ICU's collator of the root locale, opened once on first use.
///
/// Without ICU installed strings compare by code point: whatever sorts or indexes calls
/// ``Collation/checkAvailable()`` first, so that this is never silently met.
final class UnicodeCollator {
  /// The one collator: it is read only after opening, so that threads may share it.
  static let shared = UnicodeCollator()

  /// Whether ICU was found.
  var isAvailable: Bool { handle != nil }

  private let handle: UnsafeMutableRawPointer?

  private init() {
    handle = tote_icu_load() == 0 ? tote_icu_open_root() : nil
  }

  /// Negative, zero or positive by the root order.
  func compare(_ a: String, _ b: String) -> Int {
    var a = a
    var b = b
    return a.withUTF8 { left in b.withUTF8 { right in compare(left, right) } }
  }

  /// Negative, zero or positive by the root order.
  func compare(
    _ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>
  ) -> Int {
    // ICU takes no null pointer, which is what an empty buffer may have.
    var nothing: UInt8 = 0
    return withUnsafePointer(to: &nothing) { empty in
      let left = a.baseAddress ?? empty
      let right = b.baseAddress ?? empty
      guard let handle else {
        let order = memcmpBytes(left, right, min(a.count, b.count))
        return order != 0 ? order : a.count - b.count
      }
      return Int(tote_icu_compare(handle, left, a.count, right, b.count))
    }
  }

  /// Appends the string's sort key, whose bytes are never 0 nor 255, without a terminator.
  func appendSortKey(of text: UnsafeBufferPointer<UInt8>, to key: inout [UInt8]) {
    guard let handle else {
      key.append(contentsOf: text)
      return
    }
    let units = Array(String(decoding: text, as: UTF8.self).utf16)
    // The empty string has no buffer to point to; ICU wants one with its length.
    units.withUnsafeBufferPointer { source in
      var nothing: UInt16 = 0
      withUnsafePointer(to: &nothing) { empty in
        let start = source.baseAddress ?? empty
        let length = Int(tote_icu_sort_key(handle, start, Int32(source.count), nil, 0))
        let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
          count = Int(
            tote_icu_sort_key(
              handle, start, Int32(source.count), buffer.baseAddress, Int32(length)))
        }
        key.append(contentsOf: bytes.dropLast())
      }
    }
  }
}

// SAFETY: the handle is set in `init` and ICU's comparing functions do not change a collator that
// nobody sets attributes of (ICU user guide, "Collation API details", thread safety).
extension UnicodeCollator: @unchecked Sendable {}

extension Collation {
  /// Whether this machine has what the order needs.
  package var isAvailable: Bool { self != .unicode || UnicodeCollator.shared.isAvailable }

  /// Refuses an order that this machine cannot tell.
  ///
  /// - Throws: ``QueryError`` `collation_unavailable` for unicode order without ICU.
  package func checkAvailable() throws(QueryError) {
    guard !isAvailable else { return }
    throw QueryError(
      code: "collation_unavailable", reason: "The store's unicode collation needs the library ICU.",
      status: 501, hint: "install it: apt install libicu72")
  }
}
