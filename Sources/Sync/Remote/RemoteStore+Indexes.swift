public import Core
import HTTP

extension RemoteStore {
  /// The indexes, by design document and name, without that of all documents.
  public func indexes() async throws -> [IndexDefinition] {
    let json = try await rethrowing { try await connection.json(.get, ["_index"]) }
    return (json["indexes"]?.arrayValue ?? []).compactMap { row in
      guard row["type"] != "special", case .object(var members) = row,
        let definition = members["def"]
      else { return nil }
      members["index"] = definition
      for key in ["def", "partitioned"] { members[key] = nil }
      // An index of a kind that is not known here is left out.
      return try? IndexDefinition(json: .object(members))
    }
  }

  /// Makes an index.
  ///
  /// - Parameter definition: what it is over.
  /// - Returns: whether it was there already.
  /// - Throws: `QueryError` in CouchDB's words, `RemoteError`.
  @discardableResult
  public func createIndex(_ definition: IndexDefinition) async throws -> IndexCreation {
    guard case .object(var members) = definition.json else { return .exists }
    members["index"] = members["def"]
    for key in ["def", "partitioned"] { members[key] = nil }
    let body = members
    do {
      let json = try await rethrowing {
        try await connection.json(.post, ["_index"], .json(.object(body)))
      }
      return json["result"] == "exists" ? .exists : .created
    } catch RemoteError.status(400, let error, let reason, _) {
      throw QueryError(code: error, reason: reason)
    }
  }

  /// Removes an index.
  ///
  /// - Parameters:
  ///   - name: its name.
  ///   - designDocument: its design document; nil when the name alone tells which.
  /// - Throws: `StoreError.indexNotFound` when there is none, or when the name fits several.
  public func deleteIndex(_ name: String, designDocument: String?) async throws {
    let found = try await indexes().filter { index in
      utf8Equal(index.name, name)
        && (designDocument.map {
          utf8Equal($0, index.designDocument) || utf8Equal("_design/" + $0, index.designDocument)
        } ?? true)
    }
    guard let index = found.first, found.count == 1 else {
      throw StoreError.indexNotFound(name: name)
    }
    _ = try await rethrowing {
      try await connection.json(
        .delete, ["_index", index.designDocument, index.kind.rawValue, index.name])
    }
  }

  /// Deletes the database with everything in it.
  public func delete() async throws {
    _ = try await rethrowing { try await connection.json(.delete, []) }
  }
}
