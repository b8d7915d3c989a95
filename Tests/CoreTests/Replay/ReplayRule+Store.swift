import Core
import TestSupport

extension ReplayRule {
  /// What a store without an HTTP layer does not answer, in every file.
  static var common: [ReplayRule] {
    [
      skip(because: "authentication") { $0.request["auth"] != nil },
      skip(because: "HTTP methods") { $0.status == 405 },
      skip(because: "content types") { $0.status == 415 },
      skip(because: "multipart answers") {
        $0.responseHeader("Content-Type")?.hasPrefix("multipart/") == true
      },
      skip(because: "event streams") {
        $0.responseHeader("Content-Type") == "text/event-stream"
      },
      skip(because: "conditional requests") { $0.requestHeader("If-None-Match") != nil },
      skip(because: "syntax of parameters") { $0.error == "query_parse_error" },
      skip(because: "delayed writes") {
        $0.path.contains("batch=ok") && $0.status == 202
      },
      ReplayRule(
        reason: "CouchDB breaks on bad input, the store says what is wrong", action: .status(400)
      ) { $0.status == 500 },
    ]
  }
}
