/// A live todo of a store.
public struct TodoEntry: Sendable {
  /// The id and the todo.
  public var record: TodoRecord
  /// The short form of the id, as it is now.
  public var shortID: String
  /// The revision that was read.
  public var revision: RevisionID
  /// Whether another machine's change of it still waits to be merged.
  public var hasConflicts: Bool
}

/// The todos of a store as they were at one moment.
public struct TodoSnapshot: Sendable {
  /// The live todos in list order.
  public var entries: [TodoEntry]
  /// The short ids of all documents of the store, tombstones included.
  public var ids: ShortIDs
}

/// The todos of a store: the one place where they are read and changed.
///
/// A change that meets a newer revision is repeated on it, so none is lost.
public struct TodoStore: Sendable {
  /// Why a todo cannot be named or changed.
  public enum Failure: Error, Sendable, Equatable {
    /// No todo has this id.
    case unknown(String)
    /// Several have ids that begin with it: their short forms and texts.
    case ambiguous(String, candidates: [Candidate])
    /// A deleted todo whose text is gone.
    case textIsGone(String)
  }

  /// A todo as an error names it.
  public struct Candidate: Sendable, Equatable {
    /// Its short id.
    public let shortID: String
    /// Its text.
    public let name: String
  }

  /// The store that holds the documents.
  public let store: LocalStore

  /// Creates a view of a store.
  public init(_ store: LocalStore) { self.store = store }

  // MARK: Reading

  /// Reads all todos.
  public func snapshot() throws -> TodoSnapshot {
    var request = ChangesRequest()
    request.documents = ReadOptions()
    let rows = try store.changes(request).rows
    let ids = ShortIDs(documentIDs: rows.map(\.id).filter { !DocumentID.isDesign($0) })
    let conflicted = Set(try store.conflictedDocuments().map { UTF8Key($0) })
    let entries = rows.compactMap { row -> TodoEntry? in
      guard !row.isDeleted, let document = row.document, let revision = document.revision else {
        return nil
      }
      let fields = document.body.members
      guard TodoItem.isTodo(fields) else { return nil }
      return TodoEntry(
        record: TodoRecord(id: row.id, item: TodoItem(fields: fields)),
        shortID: ids.short(for: row.id), revision: revision,
        hasConflicts: conflicted.contains(UTF8Key(row.id)))
    }
    return TodoSnapshot(
      entries: entries.sorted { TodoRecord.inListOrder($0.record, $1.record) }, ids: ids)
  }

  /// The document id a person means.
  ///
  /// - Throws: `Failure.unknown` or `.ambiguous`.
  public func resolve(_ text: String, in snapshot: TodoSnapshot) throws -> String {
    switch snapshot.ids.resolve(text) {
    case .found(let id): return id
    case .unknown: throw Failure.unknown(text)
    case .ambiguous(let ids):
      let candidates = ids.map { id in
        Candidate(
          shortID: snapshot.ids.short(for: id),
          name: snapshot.entries.first { utf8Equal($0.record.id, id) }?.record.item.name
            ?? "deleted")
      }
      throw Failure.ambiguous(text, candidates: candidates)
    }
  }

  /// Reads one live todo.
  ///
  /// - Throws: `Failure.unknown` when the document is deleted or no todo.
  public func entry(_ id: String, ids: ShortIDs) throws -> TodoEntry {
    var options = ReadOptions()
    options.conflicts = true
    let document: Document
    do {
      document = try store.document(id, options)
    } catch StoreError.documentNotFound {
      throw Failure.unknown(ids.short(for: id))
    }
    let fields = document.body.members
    guard TodoItem.isTodo(fields), let revision = document.revision else {
      throw Failure.unknown(ids.short(for: id))
    }
    return TodoEntry(
      record: TodoRecord(id: id, item: TodoItem(fields: fields)), shortID: ids.short(for: id),
      revision: revision, hasConflicts: document.annotations.conflicts?.isEmpty == false)
  }

  // MARK: Changing

  /// Adds a todo under a new id, or under the one given.
  public func add(_ item: TodoItem, id: String? = nil, ids: ShortIDs) throws -> TodoEntry {
    var generator = SystemRandomNumberGenerator()
    let id = id ?? ids.makeID(using: &generator)
    let document = Document(id: id, body: try DocumentBody(item.fields))
    let revision = try store.put(document)
    return TodoEntry(
      record: TodoRecord(id: id, item: item), shortID: ids.short(for: id), revision: revision,
      hasConflicts: false)
  }

  /// Changes a todo; when someone else changed it meanwhile, the change is repeated on that.
  ///
  /// - Parameters:
  ///   - id: the document's id.
  ///   - ids: the short ids of the store.
  ///   - change: changes the todo; may be called several times.
  /// - Returns: the todo as it is now; nothing is written when `change` changed nothing.
  /// - Throws: `Failure.unknown`, or what the store says.
  public func update(
    _ id: String, ids: ShortIDs, _ change: (inout TodoItem) -> Void
  ) throws -> TodoEntry {
    for attempt in 1... {
      var entry = try entry(id, ids: ids)
      let before = entry.record.item
      change(&entry.record.item)
      guard entry.record.item != before else { return entry }
      do {
        var document = try store.document(id, ReadOptions(revision: entry.revision))
        document.body = try DocumentBody(entry.record.item.fields)
        entry.revision = try store.put(document)
        return entry
      } catch let error as StoreError {
        guard case .conflict = error, attempt < 8 else { throw error }
      }
    }
    throw Failure.unknown(ids.short(for: id))
  }

  /// Deletes a todo, leaving a tombstone that other machines will see.
  ///
  /// - Returns: the todo as it was.
  public func remove(_ id: String, ids: ShortIDs) throws -> TodoEntry {
    for attempt in 1... {
      let entry = try entry(id, ids: ids)
      do {
        try store.delete(id, revision: entry.revision)
        return entry
      } catch let error as StoreError {
        guard case .conflict = error, attempt < 8 else { throw error }
      }
    }
    throw Failure.unknown(ids.short(for: id))
  }

  /// Opens a done todo again, or brings a deleted one back.
  ///
  /// - Throws: `Failure.textIsGone` when compaction removed the text of a deleted one.
  public func restore(_ id: String, ids: ShortIDs) throws -> TodoEntry {
    do {
      return try update(id, ids: ids) { $0.reopen() }
    } catch Failure.unknown(let name) {
      let history = try store.history(of: id)
      guard history.contains(where: { $0.isWinner && $0.isDeleted }) else {
        throw Failure.unknown(name)
      }
      guard
        let last = history.first(where: { !$0.isDeleted && $0.isAvailable }),
        let old = try? store.document(id, ReadOptions(revision: last.revision)),
        TodoItem.isTodo(old.body.members)
      else { throw Failure.textIsGone(name) }
      var document = old
      // A document without a revision may be written over a tombstone, and over nothing else.
      document.revision = nil
      try store.put(document)
      return try entry(id, ids: ids)
    }
  }

  // MARK: Merging

  /// Merges the competing revisions of a todo field by field.
  ///
  /// - Returns: whether there was something to merge.
  public func merge(_ id: String) throws -> Bool {
    let leaves = try store.history(of: id).filter { $0.isLeaf && !$0.isDeleted }
    guard leaves.count > 1 else { return false }
    let bodies = try leaves.map { leaf in
      TodoMerge.Leaf(
        revision: leaf.revision,
        fields: try store.document(id, ReadOptions(revision: leaf.revision)).body.members)
    }
    let ancestor = try store.commonAncestor(of: id)?.body.members
    guard let merged = TodoMerge.merge(ancestor: ancestor, leaves: bodies) else { return false }
    try store.resolve(id, merged: try DocumentBody(merged))
    return true
  }

  /// Merges all todos that were changed on several machines; other documents are left to a person.
  ///
  /// - Returns: how many were merged.
  public func mergeConflicts() throws -> Int {
    try store.conflictedDocuments().filter { id in
      guard TodoItem.isTodo(try store.document(id).body.members) else { return false }
      return try merge(id)
    }.count
  }
}
