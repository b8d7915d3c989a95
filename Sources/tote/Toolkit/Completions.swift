import ArgumentParser
import Core
import Sync

/// What the Tab key offers for the values of this program, answered from local data only.
///
/// Every answer is silent: a store that is locked, damaged or missing offers nothing.
extension CompletionKind {
  /// The names of the stores, and of the saved remotes, which may stand for one.
  static var storeNames: CompletionKind {
    .candidates { request in
      let answers = LocalAnswers(request)
      return answers.storeNames().map { CompletionCandidate($0) }
        + answers.remoteNames().map { CompletionCandidate($0, description: "remote") }
    }
  }

  /// Ids of documents of the store that is the first operand.
  static var documentIDs: CompletionKind {
    .candidates { request in
      let typed = Set(request.operands.dropFirst().map { UTF8Key($0) })
      return LocalAnswers(request).documentIDs(prefix: request.prefix)
        .filter { !typed.contains(UTF8Key($0)) }.map { CompletionCandidate($0) }
    }
  }

  /// Revisions of the document that is the second operand.
  static var revisions: CompletionKind {
    .candidates { request in
      guard request.operands.count > 1 else { return [] }
      return LocalAnswers(request).revisions(of: request.operands[1])
    }
  }

  /// Names of the attachments of the document that is the second operand.
  static var attachmentNames: CompletionKind {
    .candidates { request in
      guard request.operands.count > 1 else { return [] }
      return LocalAnswers(request).attachments(of: request.operands[1])
    }
  }

  /// Names of the indexes of the store that is the first operand.
  static var indexNames: CompletionKind {
    .candidates { request in
      LocalAnswers(request).indexNames().map { CompletionCandidate($0) }
    }
  }

  /// Keys of the last hundred documents of the store that is the first operand.
  static var fields: CompletionKind {
    .candidates { request in
      LocalAnswers(request).fields().map { CompletionCandidate($0) }
    }
  }

  /// Names of document types (`@datatype`) of the last hundred documents.
  static var datatypes: CompletionKind {
    .candidates { request in
      LocalAnswers(request).values(of: "@datatype").map { CompletionCandidate($0) }
    }
  }
}

/// Reads what completions offer from the stores on this machine.
struct LocalAnswers {
  /// The most candidates a shell is given.
  static let limit = 200

  private let directory: StoreDirectory?
  private let storeName: String?
  /// The saved remotes.
  let remotes: RemoteDirectory?

  /// - Parameters:
  ///   - request: what is typed so far.
  ///   - store: the store asked, or `nil` for the one that is the first operand.
  init(_ request: CompletionRequest, store: String? = nil) {
    let paths = Paths(
      home: request.value(of: "--home"), environment: Environment(request.environment))
    directory = (try? paths.stores()).map { StoreDirectory(path: $0) }
    remotes = (try? paths.stores()).map { RemoteDirectory(home: $0) }
    storeName = store ?? request.operands.first
  }

  func storeNames() -> [String] { (try? directory?.names()) ?? [] }

  func users() -> [Users.User] {
    guard let directory else { return [] }
    return (try? Users.make(in: directory).list()) ?? []
  }

  func documentIDs(prefix: String) -> [String] {
    var list = ListRequest()
    list.prefix = prefix
    list.limit = LocalAnswers.limit
    return (try? store()?.allDocuments(list).rows.map(\.id)) ?? []
  }

  func revisions(of id: String) -> [CompletionCandidate] {
    var options = ReadOptions()
    options.revisionsInfo = true
    options.conflicts = true
    guard let document = try? store()?.document(id, options) else { return [] }
    let known = document.annotations.revisionsInfo?.filter { $0.status == .available } ?? []
    let conflicts = document.annotations.conflicts ?? []
    return known.map { CompletionCandidate($0.revision.description) }
      + conflicts.map { CompletionCandidate($0.description, description: "conflict") }
  }

  func attachments(of id: String) -> [CompletionCandidate] {
    guard let document = try? store()?.document(id) else { return [] }
    return document.attachments.map {
      CompletionCandidate($0.name, description: "\($0.contentType), \(humanSize($0.length))")
    }
  }

  func indexNames() -> [String] { (try? store()?.indexes().map(\.name)) ?? [] }

  func fields() -> [String] {
    var seen: Set<UTF8Key> = []
    for document in recentDocuments() {
      for key in document.body.members.keys { seen.insert(UTF8Key(key)) }
    }
    return seen.sorted().map(\.string)
  }

  func values(of field: String) -> [String] {
    var seen: Set<UTF8Key> = []
    for document in recentDocuments() {
      let value = document.body.members[field]
      for text in (value?.arrayValue ?? [value].compactMap(\.self)).compactMap(\.stringValue) {
        seen.insert(UTF8Key(text))
      }
    }
    return seen.sorted().map(\.string)
  }

  /// The documents changed last.
  func recentDocuments(limit: Int = 100) -> [Document] {
    var request = ChangesRequest()
    request.descending = true
    request.limit = limit
    request.documents = ReadOptions()
    return (try? store()?.changes(request).rows.compactMap(\.document)) ?? []
  }

  func store() -> LocalStore? {
    guard let storeName, let directory else { return nil }
    return try? directory.open(storeName)
  }
}
