import Core

/// The rules for documents of `_users`, and what becomes of the password in one.
struct UserDocument {
  /// The document that is to be written.
  let document: Document
  /// Who writes it.
  let user: UserContext
  /// The document's present state; nil when there is none.
  let present: Document?

  /// Checks the document and replaces its password by what may be stored.
  ///
  /// - Throws: 403 with CouchDB's reason when a rule is broken, 404 for other people's documents.
  func prepared() async throws -> Document {
    if DocumentID.isDesign(document.id) || DocumentID.isLocal(document.id) { return document }
    if !user.isServerAdmin { try checkOwner() }
    if document.isDeleted { return document }
    var members = document.body.members
    try Self.check(document.id, members)
    if !user.isServerAdmin { try checkUnchanged(members) }
    guard let password = members["password"], password != .null else { return document }
    guard case .string(let text) = password else {
      throw Self.forbidden("Password value of '\(password.serialized())' is invalid.")
    }
    members.removeValue(forKey: "password")
    // What older servers and schemes left must not stay beside the new one.
    for key in Self.secrets { members.removeValue(forKey: key) }
    for (key, value) in try await PasswordThread.shared.run({ PasswordHash(password: text) })
      .members
    {
      members[key] = value
    }
    var result = document
    result.body = try DocumentBody(members)
    return result
  }

  private static let secrets = [
    "password_scheme", "pbkdf2_prf", "salt", "iterations", "derived_key", "password_sha",
  ]

  /// Users change their own document; who has no name may make a new one.
  private func checkOwner() throws {
    guard let name = user.name else {
      guard present == nil, !document.isDeleted else {
        throw StoreError.conflict(id: document.id, current: present?.revision)
      }
      return
    }
    guard utf8Equal(document.id, Users.documentID(of: name)) else {
      throw StoreError.documentNotFound(id: document.id, .missing)
    }
  }

  /// Neither roles nor a ready-made key can a user set.
  private func checkUnchanged(_ members: JSONObject) throws {
    let old = present?.body.members ?? ["roles": []]
    guard members["roles"] == old["roles"] else {
      throw Self.forbidden(
        present == nil ? "Only _admin may set roles" : "Only _admin may edit roles")
    }
    guard members["password"] == nil || members["password"] == .null else { return }
    guard Self.secrets.allSatisfy({ members[$0] == old[$0] }) else {
      throw Self.forbidden("Only _admin may set a derived key; send a password.")
    }
  }

  private static func check(_ id: String, _ members: JSONObject) throws {
    guard members["type"] == "user" else { throw forbidden("doc.type must be user") }
    guard let name = members["name"]?.stringValue else { throw forbidden("doc.name is required") }
    guard let roles = members["roles"] else { throw forbidden("doc.roles must exist") }
    guard case .array(let list) = roles else { throw forbidden("doc.roles must be an array") }
    guard utf8Equal(id, Users.documentID(of: name)) else {
      throw forbidden("Doc ID must be of the form org.couchdb.user:name")
    }
    guard !name.utf8.contains(UInt8(ascii: ":")) else {
      throw forbidden("Character `:` is not allowed in usernames.")
    }
    guard name.utf8.first != UInt8(ascii: "_") else {
      throw forbidden("No system names (starting with underscore) in users db.")
    }
    for role in list {
      guard let text = role.stringValue else {
        throw forbidden("roles must be an array of strings")
      }
      guard text.utf8.first != UInt8(ascii: "_") else {
        throw forbidden("No system roles (starting with underscore) in users db.")
      }
    }
  }

  private static func forbidden(_ reason: String) -> Refusal {
    Refusal(403, "forbidden", reason)
  }
}
