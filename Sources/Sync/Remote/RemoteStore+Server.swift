public import Core
import HTTP

/// What a database's server says of people and permissions.
extension RemoteStore {
  /// Another database of the same server, as the same user.
  public func sibling(_ name: String) -> RemoteStore {
    RemoteStore(connection.sibling(name), spool: spool)
  }

  /// The database's permissions, in the words its server uses.
  ///
  /// - Throws: `RemoteError`, `StoreError.storeNotFound`, `.badRequest` for a malformed object.
  public func permissions() async throws -> StorePermissions {
    let response = try await rethrowing {
      try await connection.send(.init(segments: ["_security"]))
    }
    guard let json = try? JSON(parsing: try await response.bytes(upTo: 16 << 20)),
      case .object(let security) = json
    else {
      throw RemoteError.unexpected(detail: "its security object is no object", url: url)
    }
    let dialect = StorePermissions.dialect(
      security: security, vendor: response.headers["Server"], host: url.host)
    return try StorePermissions(security, dialect: dialect)
  }

  /// Who the server takes the caller for.
  public func caller() async throws -> UserContext {
    let json = try await connection.sibling("_session").json(.get, [])
    let roles = json["userCtx"]?["roles"]?.arrayValue ?? []
    return UserContext(
      name: json["userCtx"]?["name"]?.stringValue, roles: roles.compactMap(\.stringValue))
  }
}
