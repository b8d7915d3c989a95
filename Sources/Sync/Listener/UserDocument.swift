import Core

/// The rules for documents of `_users`, and what becomes of the password in one.
enum UserDocument {
  /// Checks a document that is to be written and replaces its password by what may be stored.
  ///
  /// - Throws: 403 with CouchDB's reason when a rule is broken.
  static func prepared(_ document: Document) throws -> Document {
    if document.isDeleted || DocumentID.isDesign(document.id) || DocumentID.isLocal(document.id) {
      return document
    }
    var members = document.body.members
    try check(document.id, members)
    guard let password = members["password"] else { return document }
    guard case .string(let text) = password else {
      throw forbidden("Password value of '\(password.serialized())' is invalid.")
    }
    members.removeValue(forKey: "password")
    for (key, value) in PasswordHash(password: text).members { members[key] = value }
    var result = document
    result.body = try DocumentBody(members)
    return result
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
