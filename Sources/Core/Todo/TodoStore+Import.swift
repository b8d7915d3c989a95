extension TodoStore {
  /// What an import did, or would do.
  public struct ImportCounts: Sendable, Hashable {
    /// Todos that are new.
    public var added = 0
    /// Todos that were changed.
    public var updated = 0
    /// Todos that were there already.
    public var unchanged = 0

    /// Nothing yet.
    public init() {}
  }

  /// Writes imported todos in one transaction.
  ///
  /// A todo whose id the store knows is updated; the others are added under their own id, or under a
  /// new one.
  ///
  /// - Parameters:
  ///   - todos: what a file held.
  ///   - snapshot: the todos of the store.
  ///   - now: what is written as the moment of creation where the file names none.
  ///   - zone: the zone in which the file's days are compared with the store's times.
  ///   - isDryRun: whether only to count.
  /// - Returns: what was done.
  /// - Throws: what the store says; then nothing was written, except beside a todo that another
  ///   process changed at the same moment (`StoreError.conflict`).
  public func importTodos(
    _ todos: [ImportedTodo], into snapshot: TodoSnapshot, now: Instant, zone: LocalZone,
    isDryRun: Bool
  ) throws -> ImportCounts {
    var counts = ImportCounts()
    var ids = snapshot.ids
    var pending: [UTF8Key: Document] = [:]
    var order: [UTF8Key] = []
    let known = Dictionary(
      snapshot.entries.map { (UTF8Key($0.record.id), $0) }, uniquingKeysWith: { first, _ in first })
    var generator = SystemRandomNumberGenerator()
    for todo in todos {
      if let typed = todo.id, case .found(let id) = ids.resolve(typed),
        let old = known[UTF8Key(id)]
      {
        let item = todo.updating(old.record.item, zone: zone)
        guard item != old.record.item else {
          counts.unchanged += 1
          continue
        }
        counts.updated += 1
        if pending[UTF8Key(id)] == nil { order.append(UTF8Key(id)) }
        var document = try store.document(id, ReadOptions(revision: old.revision))
        document.body = try DocumentBody(item.fields)
        pending[UTF8Key(id)] = document
        continue
      }
      var item = todo.item
      if item.created == nil { item.created = .instant(now.wholeSeconds) }
      let id = todo.id ?? ids.makeID(using: &generator)
      // A file that names one id twice means its last todo.
      if pending[UTF8Key(id)] == nil {
        order.append(UTF8Key(id))
        ids.insert(id)
        counts.added += 1
      }
      pending[UTF8Key(id)] = Document(id: id, body: try DocumentBody(item.fields))
    }
    guard !isDryRun, !order.isEmpty else { return counts }
    for result in try store.write(order.compactMap { pending[$0] }, mode: .edits) {
      if case .refused(_, let error) = result { throw error }
    }
    return counts
  }
}
