import Core
import HTTP

/// The URL under which the client sees this server, which a proxy may know better.
extension ListenerRequest {
  /// The path's segments, decoded.
  ///
  /// Below a database a plus is a blank unless the settings say otherwise. Empty segments at both
  /// ends do not count: CouchDB's replicator asks for `/db/`.
  var segments: [String] {
    var segments = http.segments[...]
    if configuration.decodesPlus {
      let database = http.rawSegments.firstIndex { !$0.isEmpty } ?? 0
      for (index, raw) in http.rawSegments.enumerated().dropFirst(database + 1)
      where raw.utf8.contains(UInt8(ascii: "+")) {
        segments[index] =
          PercentEncoding.decodeText(raw.utf8, plusIsSpace: true) ?? segments[index]
      }
    }
    while segments.first == "" { segments.removeFirst() }
    while segments.last == "" { segments.removeLast() }
    return Array(segments)
  }

  /// The URL of a path on this server, for `Location`; its segments are not yet encoded.
  func location(_ segments: String...) -> String {
    origin + "/" + segments.map { PercentEncoding.encode($0) }.joined(separator: "/")
  }

  private var origin: String {
    func forwarded(_ key: String, default name: String) -> String? {
      http.headers[configuration.forwardingHeader(key, default: name)]
    }
    let host =
      forwarded("x_forwarded_host", default: "X-Forwarded-Host")
      ?? http.headers["Host"] ?? "localhost"
    if forwarded("x_forwarded_ssl", default: "X-Forwarded-Ssl") == "on" { return "https://" + host }
    switch forwarded("x_forwarded_proto", default: "X-Forwarded-Proto") {
    case "https": return "https://" + host
    case "http": return "http://" + host
    default: return (http.isSecure ? "https://" : "http://") + host
    }
  }
}
