import Core

/// Why a recorded case is not replayed, or in what the store deliberately differs from its answer.
struct ReplayRule {
  enum Action {
    /// The case is not replayed.
    case skip
    /// The status is this one instead; the body is not compared.
    case status(Int)
    /// Members of these names are not compared, wherever they stand.
    case ignoring([String])
  }

  let reason: String
  let action: Action
  let matches: (ReplayCase) -> Bool

  static func skip(_ names: String..., because reason: String) -> ReplayRule {
    ReplayRule(reason: reason, action: .skip) { names.contains($0.name) }
  }

  static func skip(
    because reason: String, where matches: @escaping (ReplayCase) -> Bool
  ) -> ReplayRule {
    ReplayRule(reason: reason, action: .skip, matches: matches)
  }

  static func status(_ status: Int, _ names: String..., because reason: String) -> ReplayRule {
    ReplayRule(reason: reason, action: .status(status)) { names.contains($0.name) }
  }

  static func ignoring(
    _ members: String..., in names: [String], because reason: String
  ) -> ReplayRule {
    ReplayRule(reason: reason, action: .ignoring(members)) { names.contains($0.name) }
  }

  /// What holds in every file.
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
