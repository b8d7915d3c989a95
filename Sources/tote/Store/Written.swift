import ArgumentParser
import Core

/// What became of a document that was to be written, as CouchDB answers it.
struct Written: ListRow, CommandResult {
  let id: String
  let outcome: Outcome
  /// Whether it was only asked what would happen.
  let isDryRun: Bool

  /// What became of a document.
  enum Outcome: Sendable {
    case written(RevisionID)
    case failed(any UserFacing)
  }

  init(id: String, revision: RevisionID, isDryRun: Bool = false) {
    self.id = id
    outcome = .written(revision)
    self.isDryRun = isDryRun
  }

  init(id: String, error: any UserFacing) {
    self.id = id
    outcome = .failed(error)
    isDryRun = false
  }

  static let outputKeys = [
    OutputKey("ok", "boolean", "true when it was written"),
    OutputKey("id", "string", "the document's id"),
    OutputKey("rev", "string", "the revision it has now"),
  ]

  static let columns = [Column("", .identifier), Column("", .identifier), Column("")]

  var json: JSON {
    switch outcome {
    case .written(let revision):
      var members: JSONObject = [
        "ok": true, "id": .string(id), "rev": .string(revision.description),
      ]
      if isDryRun { members["dryRun"] = true }
      return .object(members)
    case .failed(let error): return errorRow(id: id, error)
    }
  }

  func cells(on screen: Screen) -> [Cell] {
    guard case .written(let revision) = outcome else { return [Cell(id), .empty, .empty] }
    let cells = [Cell(id), Cell(revision.description, look: .dim)]
    return cells + (isDryRun ? [Cell("not changed")] : [])
  }

  func show(on screen: Screen) throws(OutputError) {
    try screen.table(Self.columns, [cells(on: screen)], withHeader: false)
  }
}

/// The row of a document that failed, as CouchDB's bulk answers have it.
func errorRow(id: String, _ error: any UserFacing) -> JSON {
  let (word, reason) =
    (error as? StoreError).map { ($0.couchDB.error, $0.couchDB.reason) }
    ?? (error.code, error.message)
  return ["id": .string(id), "error": .string(word), "reason": .string(reason)]
}

extension PartialFailure {
  /// Takes note of a document's failure and gives it back to be shown in its place.
  mutating func noting(_ error: any Error) throws -> any UserFacing {
    try add(error)
    guard let known = errors.last else { throw error }
    return known
  }
}
