import Glibc

/// The environment variables this program reads.
///
/// One type so that a test can give its own, and another can compare the names with the manual.
struct Environment: Sendable {
  private let lookup: @Sendable (String) -> String?

  /// The process's own environment.
  static let process = Environment { name in getenv(name).map { String(cString: $0) } }

  /// An environment of exactly these variables.
  init(_ variables: [String: String]) {
    lookup = { variables[$0] }
  }

  private init(lookup: @escaping @Sendable (String) -> String?) { self.lookup = lookup }

  /// The value of a variable, or `nil` when it is not set.
  subscript(name: String) -> String? { lookup(name) }

  /// The value of a variable that is set and not empty.
  func nonEmpty(_ name: String) -> String? {
    guard let value = lookup(name), !value.isEmpty else { return nil }
    return value
  }

  /// The variables that name proxies, as curl has them.
  var proxies: [String: String] {
    [
      "http_proxy": nonEmpty("http_proxy"), "https_proxy": nonEmpty("https_proxy"),
      "HTTPS_PROXY": nonEmpty("HTTPS_PROXY"), "all_proxy": nonEmpty("all_proxy"),
      "ALL_PROXY": nonEmpty("ALL_PROXY"), "no_proxy": nonEmpty("no_proxy"),
      "NO_PROXY": nonEmpty("NO_PROXY"),
    ].compactMapValues(\.self)
  }

  /// Whether the locale says that the terminal shows UTF-8.
  var isUTF8: Bool {
    let locale = nonEmpty("LC_ALL") ?? nonEmpty("LC_CTYPE") ?? nonEmpty("LANG") ?? "C.UTF-8"
    let lowered = locale.lowercased()
    return lowered.contains("utf-8") || lowered.contains("utf8")
  }
}
