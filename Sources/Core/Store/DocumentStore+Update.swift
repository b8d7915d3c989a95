/// What `update` did to a document.
public struct UpdateResult: Sendable, Hashable {
  /// The revision that is current now.
  public var revision: RevisionID
  /// Whether it was written; false when there was nothing to change.
  public var isWritten: Bool
}

extension DocumentStore {
  /// Writes what `change` makes of a document's current revision, and tries again with the new one
  /// when somebody else was faster.
  ///
  /// ```swift
  /// try await store.update("milk") { document in
  ///   guard var document else { throw StoreError.documentNotFound(id: "milk", .missing) }
  ///   document.attachments.removeAll()
  ///   return document
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - id: the document.
  ///   - attempts: how often to try, at least once.
  ///   - change: given the winner, or nil when there is none or it is deleted; returns the document
  ///     to write, whose `revision` is set here. May be called several times.
  /// - Returns: the current revision; nothing is written when `change` returns the document as it is.
  /// - Throws: `StoreError.conflict` when every attempt came too late, and what the store or `change`
  ///   throws.
  @discardableResult
  public func update(
    _ id: String, attempts: Int = 16, _ change: (Document?) throws -> Document
  ) async throws -> UpdateResult {
    var attempt = 1
    while true {
      let current = try await currentDocument(id)
      var next = try change(current)
      next.id = id
      next.revision = current?.revision
      if let revision = current?.revision, next == current {
        return UpdateResult(revision: revision, isWritten: false)
      }
      do {
        return UpdateResult(revision: try await put(next), isWritten: true)
      } catch StoreError.conflict where attempt < attempts {
        attempt += 1
      }
    }
  }

  /// Deletes a document's current revision, and tries again when somebody else was faster.
  ///
  /// - Parameters:
  ///   - id: the document.
  ///   - attempts: how often to try, at least once.
  /// - Returns: the tombstone, and the revision it stands over.
  /// - Throws: `StoreError.documentNotFound` when it is not there or deleted already, `.conflict`
  ///   when every attempt came too late.
  @discardableResult
  public func deleteLatest(
    _ id: String, attempts: Int = 16
  ) async throws -> (tombstone: RevisionID, deleted: RevisionID?) {
    var attempt = 1
    while true {
      let current = try await document(id, ReadOptions()).revision
      do {
        return (try await delete(id, revision: current), current)
      } catch StoreError.conflict where attempt < attempts {
        attempt += 1
      }
    }
  }

  private func currentDocument(_ id: String) async throws -> Document? {
    do {
      return try await document(id, ReadOptions())
    } catch StoreError.documentNotFound {
      return nil
    }
  }
}
