import Core
import Synchronization

/// A store that misbehaves on demand, in front of a real one.
final class FaultyStore: CouchDBStore {
  let store: LocalStore
  /// Called before each call with its name; what it throws is what the caller gets.
  ///
  /// In a struct: a closure that is itself what a mutex guards is wrapped once more by each look.
  struct Fault { var throwing: @Sendable (String) throws -> Void }
  let fault: Mutex<Fault>
  /// Documents whose merge is refused.
  let refused: Mutex<Set<String>> = Mutex([])
  let calls = Mutex<[String]>([])

  init(_ store: LocalStore, fault: @escaping @Sendable (String) throws -> Void = { _ in }) {
    self.store = store
    self.fault = Mutex(Fault(throwing: fault))
  }

  func count(_ name: String) -> Int { calls.withLock { $0.filter { $0 == name }.count } }

  func refuse(_ ids: Set<String>) { refused.withLock { $0 = ids } }

  private func call(_ name: String) throws {
    calls.withLock { $0.append(name) }
    try fault.withLock(\.throwing)(name)
  }

  var identity: String { store.identity }

  func info() async throws -> StoreInfo {
    try call("info")
    return try store.info()
  }

  func document(_ id: String, _ options: ReadOptions) async throws -> Document {
    try call(DocumentID.isLocal(id) ? "document.local" : "document")
    return try store.document(id, options)
  }

  func openRevisions(
    of id: String, _ choice: RevisionChoice, _ options: ReadOptions
  ) async throws -> [OpenRevision] {
    try call("openRevisions")
    return try store.openRevisions(of: id, choice, options)
  }

  func openRevisions(
    ofEach asked: [(id: String, choice: RevisionChoice)], _ options: ReadOptions
  ) async throws -> [[OpenRevision]] {
    try call("openRevisions")
    return try store.openRevisions(ofEach: asked, options)
  }

  func put(_ document: Document) async throws -> RevisionID {
    try call(DocumentID.isLocal(document.id) ? "put.local" : "put")
    return try store.put(document)
  }

  func delete(_ id: String, revision: RevisionID?) async throws -> RevisionID {
    try call("delete")
    return try store.delete(id, revision: revision)
  }

  func write(_ documents: [Document], mode: WriteMode) async throws -> [WriteResult] {
    try call("write")
    let refused = refused.withLock { $0 }
    let accepted = documents.filter { !refused.contains($0.id) }
    var results = try store.write(accepted, mode: mode)[...]
    return documents.map { document in
      if refused.contains(document.id) {
        return .refused(id: document.id, .forbidden(path: document.id))
      }
      return results.removeFirst()
    }
  }

  func allDocuments(_ request: ListRequest) async throws -> DocumentList {
    try call("allDocuments")
    return try store.allDocuments(request)
  }

  func changes(_ request: ChangesRequest) async throws -> ChangesPage {
    try call("changes")
    return try store.changes(request)
  }

  func waitForChange(after sequence: UpdateSequence, milliseconds: Int) async throws -> Bool {
    try call("waitForChange")
    return try await store.waitForChange(after: sequence, milliseconds: milliseconds)
  }

  func missingRevisions(
    _ asked: [(id: String, revisions: [RevisionID])]
  ) async throws -> [(id: String, MissingRevisions)] {
    try call("missingRevisions")
    return try store.missingRevisions(asked)
  }

  func synchronize() async throws {
    try call("synchronize")
    try store.synchronize()
  }

  func security() async throws -> JSONObject {
    try call("security")
    return try store.security()
  }

  func setSecurity(_ security: JSONObject) async throws {
    try call("setSecurity")
    try store.setSecurity(security)
  }
}
