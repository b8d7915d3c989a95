import Core

/// What the adapter answers: the parts of an HTTP answer that the store decides.
struct ReplayAnswer {
  var status: Int
  var json: JSON?
  var bytes: [UInt8]?
  /// What `ETag` quotes: a revision, or an attachment's digest without `md5-`.
  var tag: String?
  var contentType: String?
  var contentRange: String?

  init(_ status: Int, _ json: JSON? = nil, tag: String? = nil) {
    self.status = status
    self.json = json
    self.tag = tag
  }

  static func refusal(_ status: Int, _ error: String, _ reason: String) -> ReplayAnswer {
    ReplayAnswer(status, ["error": .string(error), "reason": .string(reason)])
  }

  /// The answer to a write of one document.
  static func written(_ status: Int, _ id: String, _ revision: RevisionID) -> ReplayAnswer {
    ReplayAnswer(status, .written(id, revision), tag: revision.description)
  }
}

extension JSON {
  static func written(_ id: String, _ revision: RevisionID) -> JSON {
    ["ok": true, "id": .string(id), "rev": .string(revision.description)]
  }
}
