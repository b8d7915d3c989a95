import Core
import Foundation
import TestSupport

extension ReplayServer {
  /// A feed of any kind, as the object that a normal feed sends.
  ///
  /// The waiting feeds are loops of `changes` and `waitForChange`; what was written while the
  /// recorded feed was open is written through a second connection to the store.
  func changes(_ request: ReplayRequest, _ store: LocalStore) async throws -> ReplayAnswer {
    var wanted = try changesRequest(request, store)
    var page = try store.changes(wanted)
    var rows = page.rows
    let feed = request.query["feed"] ?? "normal"
    while feed == "continuous" || (feed == "longpoll" && rows.isEmpty) {
      if let limit = wanted.limit, rows.count >= limit { break }
      guard let document = whileOpen.first else { break }
      whileOpen.removeFirst()
      try await write(document, whileWaitingFor: store, after: page.lastSequence)
      wanted.since = page.lastSequence
      page = try store.changes(wanted)
      rows += page.rows
    }
    return ReplayAnswer(
      200,
      [
        "results": .array(rows.map(\.replayJSON)), "last_seq": .sequence(page.lastSequence),
        "pending": page.pending.map { .integer(Int64($0)) } ?? .null,
      ])
  }

  private func write(
    _ document: Document, whileWaitingFor store: LocalStore, after sequence: UpdateSequence
  ) async throws {
    let writer = try stores.open(store.name)
    async let results = writer.write([document], mode: .revisions)
    _ = try await store.waitForChange(after: sequence, milliseconds: 60_000)
    _ = try await results
  }

  private func changesRequest(
    _ request: ReplayRequest, _ store: LocalStore
  ) throws -> ChangesRequest {
    var wanted = ChangesRequest()
    if let since = request.query["since"] ?? request.query["last-event-id"] {
      wanted.since =
        since == "now"
        ? UpdateSequence(try store.lastSequence())
        : UpdateSequence((try? JSON(parsing: since)) ?? .string(since))
    }
    // CouchDB takes a negative limit for none.
    wanted.limit = request.query["limit"].flatMap { Int($0) }.flatMap { $0 < 0 ? nil : $0 }
    wanted.descending = request.flag("descending")
    wanted.allLeaves = request.query["style"] == "all_docs"
    wanted.countsPending = true
    if request.flag("include_docs") { wanted.documents = try readOptions(request) }
    let members = request.method == "POST" ? try request.object() : [:]
    try filter(&wanted, request, members)
    return wanted
  }

  private func filter(
    _ wanted: inout ChangesRequest, _ request: ReplayRequest, _ members: JSONObject
  ) throws {
    switch request.query["filter"] {
    case nil: break
    case "_doc_ids":
      let given = try request.query["doc_ids"].map { try JSON(parsing: $0) } ?? members["doc_ids"]
      guard case .array(let ids)? = given else {
        throw ReplayRefusal(
          400, "bad_request", "`doc_ids` filter parameter is not a list of doc ids.")
      }
      wanted.ids = ids.compactMap(\.stringValue)
    case "_selector":
      wanted.selector = try Selector(members["selector"] ?? .null)
    case "_design": wanted.selector = try Selector(["_id": ["$beginsWith": "_design/"]])
    default: throw unsupported(request)
    }
  }
}

extension Change {
  fileprivate var replayJSON: JSON {
    let leaves = revisions.map { ["rev": .string($0.description)] as JSON }
    var row: JSONObject = [
      "seq": .sequence(sequence), "id": .string(id), "changes": .array(leaves),
    ]
    if isDeleted { row["deleted"] = true }
    if let document { row["doc"] = document.json }
    return .object(row)
  }
}
