import Core

extension PhotoLibrary {
  /// How many photos there are.
  ///
  /// It reads the ids of all documents, not the photos: some tenths of a second for a million.
  ///
  /// - Returns: the number; nil when the server does not tell.
  /// - Throws: `StoreError`, `RemoteError`.
  public func count() async throws -> Int? {
    guard let start = try await place(of: PhotoDocument.photoPrefix),
      let end = try await place(of: PhotoDocument.photoEnd)
    else { return nil }
    return end - start
  }

  /// How many documents come before an id.
  private func place(of id: String) async throws -> Int? {
    var request = ListRequest()
    request.start = id
    request.limit = 0
    return try await store.allDocuments(request).offset
  }
}
