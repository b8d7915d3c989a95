import Core

/// Walks a store's changes in pages, filtered, as far as wanted.
struct ChangesFeed {
  private static let pageRows = 1_000
  /// How long one wait for a change lasts, in milliseconds; between two the run may end.
  private static let waitMilliseconds = 500

  private let store: any DocumentStore
  private var request: ChangesRequest
  private let selector: Selector?
  private let hasDocuments: Bool
  private var rest: Int
  /// Where to go on.
  private(set) var lastSequence: UpdateSequence
  /// Changes behind the last row, filters not considered.
  private(set) var pending = 0

  /// - Parameters:
  ///   - store: whose changes.
  ///   - request: which ones; its `limit` counts rows that pass the selector.
  ///   - selector: what changed documents must match, or nil for all.
  init(store: any DocumentStore, request: ChangesRequest, selector: Selector?) {
    self.store = store
    self.request = request
    self.selector = selector
    hasDocuments = request.documents != nil
    if selector != nil { self.request.documents = request.documents ?? ReadOptions() }
    rest = request.limit ?? .max
    lastSequence = request.limit == 0 ? .start : request.since
  }

  /// Gives all changes there are to `body`.
  mutating func forEach(_ body: (Change) throws -> Void) async throws {
    if request.descending || rest == 0 { return try await all(body) }
    while rest > 0 {
      let limit = selector == nil ? min(rest, ChangesFeed.pageRows) : ChangesFeed.pageRows
      let page = try await self.page(limit: limit)
      var isCut = false
      for change in page.rows where matches(change) {
        try give(change, to: body)
        guard rest == 0 else { continue }
        lastSequence = change.sequence
        isCut = true
        break
      }
      lastSequence = isCut ? lastSequence : page.lastSequence
      request.since = lastSequence
      if isCut { pending = try await countPending() }
      if isCut || page.rows.count < limit { return }
    }
  }

  /// Waits for changes and gives them to `body` until the limit is reached or the task cancelled.
  mutating func follow(_ body: (Change) throws -> Void) async throws {
    while rest > 0, !Task.isCancelled {
      let isThere = try await store.waitForChange(
        after: lastSequence, milliseconds: ChangesFeed.waitMilliseconds)
      if isThere { try await forEach(body) }
    }
  }

  private mutating func all(_ body: (Change) throws -> Void) async throws {
    var whole = request
    whole.countsPending = true
    whole.limit = selector == nil ? request.limit : nil
    let page = try await store.changes(whole)
    for change in page.rows where rest > 0 && matches(change) { try give(change, to: body) }
    lastSequence = page.lastSequence
    pending = page.pending ?? 0
  }

  private func page(limit: Int) async throws -> ChangesPage {
    var request = self.request
    request.limit = limit
    return try await store.changes(request)
  }

  /// Counts what lies behind the last row given.
  private func countPending() async throws -> Int {
    var request = ChangesRequest()
    request.since = lastSequence
    request.limit = 0
    request.countsPending = true
    return try await store.changes(request).pending ?? 0
  }

  private mutating func give(_ change: Change, to body: (Change) throws -> Void) throws {
    var change = change
    if !hasDocuments { change.document = nil }
    try body(change)
    rest -= 1
  }

  private func matches(_ change: Change) -> Bool {
    guard let selector else { return true }
    return change.document.map { selector.matches($0.json, collation: store.collation) } ?? false
  }
}
