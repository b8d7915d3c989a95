private import CPCRE2

/// A compiled `$regex`: Perl-compatible, over the bytes of a string, as CouchDB matches them.
///
/// Work is bounded: a pattern that would search for ever gives up after about a million steps and
/// counts as not matching, which is also what CouchDB's engine does.
package final class BytePattern {
  /// The pattern as it was written.
  package let source: String
  /// For the hot loop of ``ByteMatcher``, which may not retain: valid while this object lives.
  let code: UnsafeMutableRawPointer

  /// Compiles a pattern.
  ///
  /// - Throws: ``QueryError`` `bad_arg` when it is not valid, `regex_unavailable` when PCRE2 is not
  ///   installed.
  package init(_ source: String) throws(QueryError) {
    guard Self.limits != nil else {
      throw QueryError(
        code: "regex_unavailable", reason: "Regular expressions need the library PCRE2.",
        status: 501, hint: "install it: apt install libpcre2-8-0")
    }
    var text = source
    let compiled = text.withUTF8 { bytes in
      var error: Int32 = 0
      var offset = 0
      // An empty pattern has no bytes to point to; PCRE2 wants a pointer all the same.
      var nothing: UInt8 = 0
      return withUnsafePointer(to: &nothing) {
        tote_pcre2_compile(bytes.baseAddress ?? $0, bytes.count, &error, &offset)
      }
    }
    guard let compiled else { throw .badArgument("$regex", .string(source)) }
    self.source = source
    code = compiled
  }

  deinit {
    tote_pcre2_free(code)
  }

  /// Whether the pattern matches somewhere in the string.
  package func matches(_ subject: String) -> Bool {
    var subject = subject
    return subject.withUTF8 { bytes in
      var nothing: UInt8 = 0
      return withUnsafePointer(to: &nothing) {
        Self.matches(code, bytes.baseAddress ?? $0, bytes.count)
      }
    }
  }

  /// Whether compiled code matches somewhere in `count` bytes.
  static func matches(
    _ code: UnsafeMutableRawPointer, _ subject: UnsafePointer<UInt8>, _ count: Int
  ) -> Bool {
    guard let data = tote_pcre2_match_data() else { return false }
    defer { tote_pcre2_match_data_free(data) }
    return tote_pcre2_matches(code, subject, count, data, limits?.handle) != 0
  }

  /// The match context, made with the library's first use; nil when PCRE2 is not installed.
  private static let limits: Limits? =
    tote_pcre2_load() == 0
    ? tote_pcre2_limits(1_000_000, 100_000, 64 * 1024).map(Limits.init) : nil

  // SAFETY: a match context is only read by matching once its limits are set.
  private struct Limits: @unchecked Sendable {
    let handle: UnsafeMutableRawPointer
  }
}

// SAFETY: compiled code is read only; match data is made per call.
extension BytePattern: @unchecked Sendable {}

extension BytePattern: Hashable {
  package static func == (a: BytePattern, b: BytePattern) -> Bool {
    utf8Equal(a.source, b.source)
  }

  package func hash(into hasher: inout Hasher) {
    hashUTF8(of: source, into: &hasher)
  }
}
