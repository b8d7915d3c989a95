/// The conditions that a request puts on the state of a representation (RFC 9110 §13).
public enum HTTPConditions {
  /// What to do with the request.
  public enum Outcome: Sendable, Equatable {
    /// Answer it.
    case proceed
    /// 304: the client has it.
    case notModified
    /// 412: it is not in the state that the client supposes.
    case failed
  }

  /// Evaluates `If-Match`, `If-Unmodified-Since`, `If-None-Match` and `If-Modified-Since`, in the
  /// order of §13.2.2.
  ///
  /// `etag` is given with its quotes, `"abc"` or `W/"abc"`, nil when there is none; `modified` in
  /// seconds since 1970.
  public static func evaluate(
    _ request: HTTPRequest, etag: String?, modified: Int64? = nil
  ) -> Outcome {
    let isRead = request.method == .get || request.method == .head
    if request.headers.contains("If-Match") {
      guard matches(request.headers.values(of: "If-Match"), etag: etag, isWeak: false) else {
        return .failed
      }
    } else if let since = request.headers["If-Unmodified-Since"].flatMap(HTTPDate.parse),
      let modified, modified > since
    {
      return .failed
    }
    if request.headers.contains("If-None-Match") {
      guard matches(request.headers.values(of: "If-None-Match"), etag: etag, isWeak: true) else {
        return .proceed
      }
      return isRead ? .notModified : .failed
    }
    if isRead, let since = request.headers["If-Modified-Since"].flatMap(HTTPDate.parse),
      let modified, modified <= since
    {
      return .notModified
    }
    return .proceed
  }

  /// Whether the `Range` header counts: there is no `If-Range`, or it names this state.
  public static func rangeApplies(
    _ request: HTTPRequest, etag: String?, modified: Int64? = nil
  ) -> Bool {
    guard let condition = request.headers["If-Range"] else { return true }
    if condition.utf8.first == 0x22 || condition.utf8.starts(with: "W/".utf8) {
      return matches([condition], etag: etag, isWeak: false)
    }
    return HTTPDate.parse(condition) != nil && HTTPDate.parse(condition) == modified
  }

  private static func matches(_ lines: [String], etag: String?, isWeak: Bool) -> Bool {
    if lines.contains(where: { trimmingBlanks($0).utf8.elementsEqual("*".utf8) }) {
      return etag != nil
    }
    guard let etag else { return false }
    if !isWeak, etag.utf8.starts(with: "W/".utf8) { return false }
    return lines.flatMap(entityTags).contains { tag in
      isWeak
        ? opaque(tag).elementsEqual(opaque(etag))
        : tag.utf8.elementsEqual(etag.utf8)
    }
  }

  private static func opaque(_ tag: String) -> Substring.UTF8View {
    tag.utf8.starts(with: "W/".utf8) ? tag.dropFirst(2).utf8 : tag[...].utf8
  }

  /// The entity tags of a list; a comma inside quotes is part of its tag.
  private static func entityTags(_ line: String) -> [String] {
    var tags: [String] = []
    var current: [UInt8] = []
    var isQuoted = false
    for byte in line.utf8 {
      if byte == 0x22 { isQuoted.toggle() }
      if byte == 0x2c, !isQuoted {
        tags.append(trimmingBlanks(current).text)
        current = []
      } else {
        current.append(byte)
      }
    }
    tags.append(trimmingBlanks(current).text)
    return tags.filter { !$0.isEmpty }
  }
}
