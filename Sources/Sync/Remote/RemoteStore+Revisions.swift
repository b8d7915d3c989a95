public import Core
import HTTP

extension RemoteStore {
  /// Requests for single documents that are under way at once.
  static let requestsAtOnce = 8

  /// Reads revisions of many documents; the answers stand in the order asked.
  ///
  /// By `_bulk_get`, or document by document where a server does not know it or fails at it.
  public func openRevisions(
    ofEach asked: [(id: String, choice: RevisionChoice)], _ options: ReadOptions
  ) async throws -> [[OpenRevision]] {
    if options.attachmentBlobs { return try await openRevisionsWithBlobs(ofEach: asked, options) }
    if let found = try await bulkGet(asked, options) { return found }
    return try await concurrently(asked, limit: Self.requestsAtOnce) { [self] one in
      do {
        return try await openRevisions(of: one.id, one.choice, options)
      } catch StoreError.documentNotFound {
        switch one.choice {
        case .leaves: return []
        case .named(let revisions), .latest(let revisions): return revisions.map { .missing($0) }
        }
      }
    }
  }

  /// The documents come together, the bytes of their attachments after them.
  private func openRevisionsWithBlobs(
    ofEach asked: [(id: String, choice: RevisionChoice)], _ options: ReadOptions
  ) async throws -> [[OpenRevision]] {
    var stubs = options
    stubs.attachmentBlobs = false
    stubs.attachmentEncoding = true
    stubs.history = true
    let found = try await openRevisions(ofEach: asked, stubs)
    return try await concurrently(found, limit: Self.requestsAtOnce) { [self] answers in
      var filled: [OpenRevision] = []
      for answer in answers {
        guard case .found(let document) = answer, !document.attachments.isEmpty else {
          filled.append(answer)
          continue
        }
        filled.append(
          .found(try await withAttachments(document, since: options.attachmentsSince)))
      }
      return filled
    }
  }

  /// Asks `_bulk_get`; nil when the server does not answer it.
  private func bulkGet(
    _ asked: [(id: String, choice: RevisionChoice)], _ options: ReadOptions
  ) async throws -> [[OpenRevision]]? {
    guard asked.count > 1, bulkGets.isWorthTrying else { return nil }
    let (body, owners) = Self.bulkGetBody(asked)
    var query: [(name: String, value: String)] = [("revs", options.history ? "true" : "false")]
    if asked.contains(where: { if case .latest = $0.choice { true } else { false } }) {
      query.append(("latest", "true"))
    }
    query.append(("attachments", options.attachmentBytes ? "true" : "false"))
    if options.attachmentEncoding { query.append(("att_encoding_info", "true")) }
    let call = RemoteConnection.Call(
      method: .post, segments: ["_bulk_get"], query: query,
      body: .bytes(body, type: "application/json"))
    let bytes: [UInt8]
    do {
      bytes = try await connection.read(try await connection.send(call))
    } catch RemoteError.status(let status, _, let reason, _)
      where [400, 404, 405, 415, 500, 501].contains(status) && reason != "Database does not exist."
      && reason != "no_db_file"
    {
      bulkGets.fail(isAbsent: [404, 405, 501].contains(status))
      return nil
    }
    let results = try reading {
      var reader = AnswerReader()
      return try bytes.withUnsafeBytes { try reader.bulkGet(in: $0) }
    }
    guard results.count == owners.count else {
      // Servers that group their answers differently are asked for each document by itself.
      bulkGets.fail(isAbsent: true)
      return nil
    }
    bulkGets.succeed()
    var answers = [[OpenRevision]](repeating: [], count: asked.count)
    for (owner, result) in zip(owners, results) { answers[owner] += result }
    return answers.map { $0.count > 1 ? Self.unique($0) : $0 }
  }

  /// The body of `_bulk_get`, and whose each of its entries is.
  private static func bulkGetBody(
    _ asked: [(id: String, choice: RevisionChoice)]
  ) -> (body: [UInt8], owners: [Int]) {
    var body = ByteBuffer(capacity: asked.count * 96)
    var owners: [Int] = []
    owners.reserveCapacity(asked.count)
    body.append("{\"docs\":[")
    func add(_ id: [UInt8], _ revision: RevisionID?, _ owner: Int, _ body: inout ByteBuffer) {
      body.append(owners.isEmpty ? "{\"id\":" : ",{\"id\":")
      body.append(id)
      if let revision {
        body.append(",\"rev\":")
        body.append(JSON.string(revision.description).serializedBytes())
      }
      body.append("}")
      owners.append(owner)
    }
    for (index, one) in asked.enumerated() {
      let id = JSON.string(one.id).serializedBytes()
      switch one.choice {
      case .leaves: add(id, nil, index, &body)
      case .named(let revisions), .latest(let revisions):
        for revision in revisions { add(id, revision, index, &body) }
      }
    }
    body.append("]}")
    return (body.bytes(), owners)
  }

  /// Two revisions asked for may have the same leaf.
  private static func unique(_ answers: [OpenRevision]) -> [OpenRevision] {
    var seen: Set<RevisionID> = []
    return answers.filter { answer in
      switch answer {
      case .found(let document): document.revision.map { seen.insert($0).inserted } ?? true
      case .missing(let revision): seen.insert(revision).inserted
      }
    }
  }

  // MARK: One document

  /// Bytes of revisions in an address; servers and proxies refuse longer ones (414), so lists are
  /// split, and split again when they are refused.
  private static let addressBytes = 7_000
  private static let shortestAddressBytes = 200

  /// Reads several revisions of a document.
  public func openRevisions(
    of id: String, _ choice: RevisionChoice, _ options: ReadOptions
  ) async throws -> [OpenRevision] {
    try await openRevisions(of: id, choice, options, addressBytes: Self.addressBytes)
  }

  private func openRevisions(
    of id: String, _ choice: RevisionChoice, _ options: ReadOptions, addressBytes: Int
  ) async throws -> [OpenRevision] {
    var answers: [OpenRevision] = []
    for part in Self.parts(choice, addressBytes: addressBytes) {
      do {
        answers += try await openRevisionsOnce(of: id, part, options)
      } catch RemoteError.status(414, _, _, _) where addressBytes > Self.shortestAddressBytes {
        answers += try await openRevisions(
          of: id, part, options, addressBytes: addressBytes / 2)
      }
    }
    return answers.count > 1 ? Self.unique(answers) : answers
  }

  private func openRevisionsOnce(
    of id: String, _ choice: RevisionChoice, _ options: ReadOptions
  ) async throws -> [OpenRevision] {
    if options.attachmentBlobs {
      let answers = try await openRevisionsWithBlobs(ofEach: [(id, choice)], options)
      return answers.first ?? []
    }
    let wanted = RemoteConnection.Call(
      segments: [id], query: Self.parameters(options) + Self.parameters(choice))
    let bytes = try await rethrowing(id: id) {
      try await connection.read(try await connection.send(wanted))
    }
    return try reading {
      var reader = AnswerReader()
      return try bytes.withUnsafeBytes { try reader.openRevisions(in: $0) }
    }
  }

  private static func parts(_ choice: RevisionChoice, addressBytes: Int) -> [RevisionChoice] {
    // Quotes, comma and percent signs make about ten more bytes of each.
    func split(_ revisions: [RevisionID]) -> [[RevisionID]] {
      var parts: [[RevisionID]] = [[]]
      var bytes = 0
      for revision in revisions {
        let size = revision.description.utf8.count + 10
        if bytes + size > addressBytes, !parts[parts.count - 1].isEmpty {
          parts.append([])
          bytes = 0
        }
        parts[parts.count - 1].append(revision)
        bytes += size
      }
      return parts
    }
    switch choice {
    case .leaves: return [.leaves]
    case .named(let revisions): return split(revisions).map { .named($0) }
    case .latest(let revisions): return split(revisions).map { .latest($0) }
    }
  }
}
