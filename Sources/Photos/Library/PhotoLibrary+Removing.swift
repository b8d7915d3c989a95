import Core

extension PhotoLibrary {
  /// Removes a photo: from the stream, from what finds it, and its bytes from this machine's disk.
  ///
  /// The bytes go at once, or as soon as nobody is adding photos.
  ///
  /// - Parameters:
  ///   - id: the photo.
  ///   - user: who asks; nil for an administrator, who may remove every photo.
  /// - Returns: false when there is no such photo of this user.
  /// - Throws: `StoreError`, `RemoteError`, ``PhotoLibraryError/contended``.
  public func remove(_ id: PhotoID, by user: String?) async throws -> Bool {
    var isRemoved = false
    let note = try? tidier?.note()
    // A copy of the library may have brought another revision beside the one that is deleted.
    for _ in 0..<16 {
      guard let document = try await document(id), Self.belongs(document, to: user) else {
        guard isRemoved else {
          note?.end()
          return false
        }
        cache.remove(id)
        await tidier?.remove([], pastOf: [PhotoDocument.id(of: id)], ending: note)
        return true
      }
      let gone = try await tombstones(of: document, id)
      let results = try await store.write(gone, mode: .edits)
      for case .refused(_, let error) in results {
        guard case .conflict = error else { throw error }
      }
      if case .written? = results.last { isRemoved = true }
    }
    throw PhotoLibraryError.contended
  }

  private static func belongs(_ document: Document, to user: String?) -> Bool {
    guard let user else { return true }
    return document.body.members["user"]?.stringValue.map { utf8Equal($0, user) } ?? false
  }

  /// The tombstones of a photo and of what finds it, the photo's the last.
  private func tombstones(of document: Document, _ id: PhotoID) async throws -> [Document] {
    let members = document.body.members
    var request = ListRequest()
    request.ids =
      [members["sent"]?.stringValue, members["number"]?.integerValue.map { "number:\($0)" }]
      .compactMap { $0 }.filter { $0.utf8.starts(with: "sent:".utf8) || !$0.utf8.contains(0x2f) }
    request.documents = ReadOptions()
    request.countsRows = false
    let mappings = try await store.allDocuments(request).rows.compactMap(\.document)
      .filter { PhotoDocument.target(of: $0) == id }
    return (mappings + [document]).map {
      Document(id: $0.id, revision: $0.revision, isDeleted: true)
    }
  }
}
