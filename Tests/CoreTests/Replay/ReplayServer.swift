import Core
import TestSupport

/// Answers recorded requests from local stores, as CouchDB's HTTP layer answers from databases.
///
/// It translates only: parameters into requests of the store, results into JSON. What an answer
/// means is the store's to say.
final class ReplayServer {
  let stores: StoreDirectory
  private var opened: [String: LocalStore] = [:]
  /// What was written, one after the other, while the recorded feed was open.
  var whileOpen: [Document] = []

  init(_ stores: StoreDirectory) { self.stores = stores }

  func answer(_ request: ReplayRequest) async throws -> ReplayAnswer {
    var answer = try await answerWithBody(request)
    if request.method == "HEAD" { answer.json = nil }
    return answer
  }

  private func answerWithBody(_ request: ReplayRequest) async throws -> ReplayAnswer {
    do {
      return try await route(request)
    } catch let error as StoreError {
      let (status, word, reason) = error.couchDB
      return .refusal(status, word, reason)
    } catch let error as QueryError {
      return .refusal(400, "bad_request", "\(error)")
    } catch is JSONError {
      return .refusal(400, "bad_request", "invalid UTF-8 JSON")
    } catch let error as ReplayRefusal {
      return .refusal(error.status, error.error, error.reason)
    }
  }

  func store(_ name: String) throws -> LocalStore {
    if let store = opened[name] { return store }
    let store = try stores.open(name)
    opened[name] = store
    return store
  }

  private func route(_ request: ReplayRequest) async throws -> ReplayAnswer {
    guard let name = request.segments.first else { throw unsupported(request) }
    guard request.segments.count > 1 else { return try database(request, name) }
    let store = try store(name)
    switch (request.method, request.segments[1]) {
    case ("POST", "_bulk_docs"): return try bulkDocs(request, store)
    case ("POST", "_bulk_get"): return try bulkGet(request, store)
    case ("POST", "_revs_diff"): return try revsDiff(request, store)
    case ("POST", "_missing_revs"): return try missingRevs(request, store)
    case ("POST", "_purge"): return try purge(request, store)
    case ("GET", "_revs_limit"):
      return ReplayAnswer(200, .integer(Int64(try store.revisionsLimit())))
    case ("PUT", "_revs_limit"): return try setRevisionsLimit(request, store)
    case ("GET", "_changes"), ("POST", "_changes"): return try await changes(request, store)
    case ("HEAD", "_changes"), ("HEAD", "_all_docs"): return ReplayAnswer(200)
    case (_, "_all_docs"): return try allDocs(request, store)
    case (_, "_local_docs"): return try localDocs(request, store)
    case ("GET", "_design_docs"): return try designDocs(request, store)
    default: return try document(request, store)
    }
  }

  func unsupported(_ request: ReplayRequest) -> ReplayUnsupported {
    ReplayUnsupported(request: request.method + " /" + request.segments.joined(separator: "/"))
  }

  private func document(_ request: ReplayRequest, _ store: LocalStore) throws -> ReplayAnswer {
    let isPrefixed = ["_design", "_local"].contains(request.segments[1])
    let id = request.segments[1..<min(isPrefixed ? 3 : 2, request.segments.count)]
      .joined(separator: "/")
    let rest = request.segments.dropFirst(isPrefixed ? 3 : 2)
    guard rest.isEmpty else {
      return try attachment(request, store, id, name: rest.joined(separator: "/"))
    }
    switch request.method {
    case "GET": return try read(request, store, id)
    case "HEAD": return try read(request, store, id)
    case "PUT": return try write(request, store, id)
    case "DELETE":
      let revision = try store.delete(id, revision: request.namedRevision())
      return .written(200, id, revision)
    case "COPY": return try copy(request, store, id)
    default: throw unsupported(request)
    }
  }

  // MARK: Databases

  private func database(_ request: ReplayRequest, _ name: String) throws -> ReplayAnswer {
    switch request.method {
    case "PUT":
      _ = try stores.create(name)
      return ReplayAnswer(201, ["ok": true])
    case "DELETE":
      try stores.delete(name)
      return ReplayAnswer(200, ["ok": true])
    case "GET": return ReplayAnswer(200, try information(store(name)))
    case "HEAD":
      _ = try store(name)
      return ReplayAnswer(200)
    case "POST":
      let document = try Document(json: request.json())
      return ReplayAnswer(201, .written(document.id, try store(name).put(document)))
    default: throw unsupported(request)
    }
  }

  private func information(_ store: LocalStore) throws -> JSON {
    let info = try store.info()
    return [
      "db_name": .string(info.name), "doc_count": .integer(Int64(info.documentCount)),
      "doc_del_count": .integer(Int64(info.deletedCount)),
      "update_seq": .sequence(info.lastSequence), "purge_seq": .sequence(info.purgeSequence),
    ]
  }

  private func setRevisionsLimit(
    _ request: ReplayRequest, _ store: LocalStore
  ) throws -> ReplayAnswer {
    guard let limit = try request.json().integerValue else {
      throw ReplayRefusal(400, "bad_request", "`_revs_limit` must be an integer")
    }
    try store.setRevisionsLimit(Int(limit))
    return ReplayAnswer(200, ["ok": true])
  }
}

extension JSON {
  /// A sequence as the recorded files write it.
  static func sequence(_ number: Int) -> JSON { .string("\(number)-SEQ") }

  static func sequence(_ sequence: UpdateSequence) -> JSON { .string("\(sequence)-SEQ") }
}
