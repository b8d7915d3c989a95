/// Which changes `changes` lists.
public struct ChangesRequest: Sendable {
  /// Only changes after this one.
  public var since = UpdateSequence.start
  /// Only changes before this one, for the next page of a descending feed.
  public var before: UpdateSequence?
  /// At most so many rows; nil for all.
  public var limit: Int?
  /// Look at so many changes at most, whether filters let them pass or not; nil for all.
  ///
  /// For readers that have other things to do between pages: memory and time stay bounded.
  public var scanLimit: Int?
  /// From the last change back; `since` is then ignored, as in CouchDB.
  public var descending = false
  /// Name every leaf of a document, not just the winner.
  public var allLeaves = false
  /// Only these documents.
  public var ids: [String]?
  /// Only documents whose winner matches; with `allLeaves` the leaves that match.
  public var selector: Selector?
  /// Only documents that pass a filter function; local stores run none.
  public var filter: DesignFilter?
  /// Bring the documents along, read with these options.
  public var documents: ReadOptions?
  /// Count what lies behind the last row; costs a walk over an index.
  public var countsPending = false

  /// All changes.
  public init() {}
}

/// A document's last change.
public struct Change: Sendable {
  /// The change's sequence.
  public var sequence: UpdateSequence
  /// The document.
  public var id: String
  /// The winner, or all leaves with the winner first; without those that the selector refused.
  public var revisions: [RevisionID]
  /// The winner is a tombstone.
  public var isDeleted: Bool
  /// The winner, when documents were asked for.
  public var document: Document?

  /// A row with its parts.
  public init(
    sequence: UpdateSequence, id: String, revisions: [RevisionID], isDeleted: Bool,
    document: Document? = nil
  ) {
    self.sequence = sequence
    self.id = id
    self.revisions = revisions
    self.isDeleted = isDeleted
    self.document = document
  }
}

/// A page of the changes feed.
public struct ChangesPage: Sendable {
  /// In the order of the sequences, or against it when descending.
  public var rows: [Change]
  /// Where to go on: give it as `since`.
  ///
  /// The sequence of the last row when there may be more, else that of the last change, whatever
  /// the filters passed over; descending, the sequence of the last row.
  public var lastSequence: UpdateSequence
  /// Changes behind `lastSequence`, filters not considered; nil unless asked for.
  public var pending: Int?
  /// Neither the limit of rows nor that of the look ended the page: there is nothing more now.
  public var isComplete: Bool

  /// A page with its parts.
  public init(
    rows: [Change], lastSequence: UpdateSequence, pending: Int?, isComplete: Bool = true
  ) {
    self.rows = rows
    self.lastSequence = lastSequence
    self.pending = pending
    self.isComplete = isComplete
  }
}

extension LocalStore {
  /// Lists documents by their last change, each once.
  public func changes(_ request: ChangesRequest = ChangesRequest()) throws -> ChangesPage {
    if let filter = request.filter {
      throw StoreError.badRequest(
        "a local store runs no JavaScript, so not filter '\(filter.name)' either; use a selector")
    }
    return try read { connection in
      let wanted = request.ids.map { Set($0.map(UTF8Key.init)) }
      var rows: [Change] = []
      var isCut = request.limit == 0
      /// The last change looked at, when the limit of the look ended the page.
      var lookedUpTo: Int?
      if !isCut {
        var rest = request.scanLimit ?? .max
        try forEachChange(request, in: connection) { statement in
          rest -= 1
          if rest == 0 { lookedUpTo = statement.integer(0) }
          if let wanted, !wanted.contains(UTF8Key(statement.text(5))) { return rest > 0 }
          guard let change = try change(statement, request, in: connection) else {
            return rest > 0
          }
          rows.append(change)
          isCut = rows.count == request.limit
          return !isCut && rest > 0
        }
      }
      let last: UpdateSequence
      switch (request.descending, isCut) {
      case (_, false) where lookedUpTo != nil: last = UpdateSequence(lookedUpTo ?? 0)
      case (true, _): last = rows.last?.sequence ?? .start
      case (false, true): last = rows.last?.sequence ?? request.since
      case (false, false): last = UpdateSequence(try lastSequence(in: connection))
      }
      let pending = try request.countsPending ? pending(behind: last, request, connection) : nil
      return ChangesPage(
        rows: rows, lastSequence: last, pending: pending,
        isComplete: !isCut && lookedUpTo == nil)
    }
  }

  /// Counts the changes after one, or before it when descending.
  package func pendingChanges(behind sequence: UpdateSequence, descending: Bool) throws -> Int {
    var request = ChangesRequest()
    request.descending = descending
    return try read { try pending(behind: sequence, request, $0) } ?? 0
  }

  private func pending(
    behind sequence: UpdateSequence, _ request: ChangesRequest, _ connection: Connection
  ) throws -> Int? {
    let last = try number(of: sequence)
    // Descending and without a row, everything is still to come.
    let condition = request.descending && last > 0 ? "seq < ?" : "seq > ?"
    return try connection.first(
      "SELECT count(*) FROM docs INDEXED BY sqlite_autoindex_docs_1 WHERE \(condition)",
      .integer(last)
    ) { $0.integer(0) }
  }

  private func number(of sequence: UpdateSequence) throws(StoreError) -> Int {
    guard let number = sequence.number else {
      throw .badRequest("Malformed sequence supplied in 'since' parameter.")
    }
    return number
  }

  /// The sequence of the store's last change; 0 for an empty store.
  public func lastSequence() throws -> Int {
    try access { try lastSequence(in: $0) }
  }

  func lastSequence(in connection: Connection) throws -> Int {
    try nextSequence(in: connection) - 1
  }

  /// Waits until there is a change after `sequence`, by this or any other process.
  ///
  /// - Parameters:
  ///   - sequence: the last change the caller knows.
  ///   - milliseconds: how long to wait at most.
  /// - Returns: whether there is one.
  /// - Throws: `StoreError` when the store cannot be read, `CancellationError`.
  public func waitForChange(
    after sequence: UpdateSequence, milliseconds: Int
  ) async throws -> Bool {
    let known = try number(of: sequence)
    var rest = milliseconds
    while true {
      if try lastSequence() > known { return true }
      guard rest > 0 else { return false }
      let step = min(rest, Self.pollInterval)
      try await Task.sleep(for: .milliseconds(step))
      rest -= step
    }
  }

  /// Looking for the last sequence costs microseconds, so a follower may look often, in
  /// milliseconds; readers are promised to see a write within 100.
  private static let pollInterval = 40

  /// So many documents are looked up one by one; for more the feed is read through.
  private static let lookedUpIDs = 500

  private func forEachChange(
    _ request: ChangesRequest, in connection: Connection, _ body: (Statement) throws -> Bool
  ) throws {
    let since = try number(of: request.since)
    let before = try request.before.map { try number(of: $0) } ?? .max
    let order = request.descending ? "DESC" : "ASC"
    // A few documents are looked up by their ids, which the plus signs make SQLite do.
    let ids = request.ids.flatMap { $0.count <= Self.lookedUpIDs ? $0 : nil }
    let sql =
      ids == nil
      ? """
      SELECT seq, rev, flags, tree, body, id FROM docs WHERE seq > ?1 AND seq < ?2
      ORDER BY seq \(order)
      """
      : """
      SELECT seq, rev, flags, tree, body, id FROM docs
      WHERE id IN (SELECT value FROM json_each(?3)) AND +seq > ?1 AND +seq < ?2
      ORDER BY +seq \(order)
      """
    try connection.with(sql) { statement in
      statement.bind(1, request.descending ? 0 : since)
      statement.bind(2, before)
      if let ids { statement.bind(3, JSON.array(ids.map { .string($0) }).serialized()) }
      while try statement.step(), try body(statement) {}
    }
  }

  /// Makes the row of a document; nil when the selector matches none of its leaves.
  private func change(
    _ statement: Statement, _ request: ChangesRequest, in connection: Connection
  ) throws -> Change? {
    let id = statement.text(5)
    let flags = RowFlags(rawValue: statement.integer(2))
    var change = Change(
      sequence: UpdateSequence(statement.integer(0)), id: id,
      revisions: [try decodedRevision(statement, column: 1)],
      isDeleted: flags.contains(.deleted))
    guard request.allLeaves || request.documents != nil || request.selector != nil else {
      return change
    }
    let row = try decodedRow(statement)
    if request.allLeaves {
      change.revisions = row.tree.leaves.map { row.tree.nodes[$0].revision }
    }
    if let selector = request.selector {
      change.revisions = try change.revisions.filter { revision in
        let document = try document(id, row, revision, ReadOptions(), in: connection)
        return document.map { selector.matches($0.json, collation: collation) } ?? false
      }
      guard !change.revisions.isEmpty else { return nil }
    }
    if let options = request.documents {
      change.document = try document(id, row, row.revision, options, in: connection)
    }
    return change
  }
}
