import Core
import TestSupport

extension ReplayAnswer {
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
