/// The members of a document that are the user's own, as canonical JSON text.
///
/// Canonical means: members sorted by the bytes of their names, no spaces, shortest numbers. The text
/// is what is stored, hashed and matched; the value tree is made only when asked for.
public struct DocumentBody: Sendable, Hashable {
  /// One JSON object in canonical form, UTF-8.
  public let bytes: [UInt8]

  /// The body without members.
  public static let empty = DocumentBody(canonical: Array("{}".utf8))

  /// Takes text that is canonical already: from the store, or from a canonical writer.
  package init(canonical bytes: [UInt8]) { self.bytes = bytes }

  /// What a replicator writes into the documents that order replications, in any store: members like
  /// the user's own, for all their underscores.
  package static let replicationMembers: Set<String> = [
    "_replication_id", "_replication_state", "_replication_state_reason",
    "_replication_state_time", "_replication_stats",
  ]

  /// Makes a body from members.
  ///
  /// - Throws: `StoreError.badRequest` when a member's name begins with an underscore: such names are
  ///   the store's own.
  public init(_ members: JSONObject) throws(StoreError) {
    for (key, _) in members
    where key.utf8.first == UInt8(ascii: "_") && !Self.replicationMembers.contains(key) {
      throw .invalidDocument("Bad special document member: \(key)")
    }
    bytes = JSON.object(members).serializedBytes(.canonical)
  }

  /// The members, parsed anew at every call.
  public var members: JSONObject {
    // A body is canonical JSON by construction; `verify` finds a file damaged below that.
    guard let json = try? JSON(parsing: bytes), case .object(let members) = json else { return [:] }
    return members
  }
}
