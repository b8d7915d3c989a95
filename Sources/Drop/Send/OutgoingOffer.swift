import Core

/// The one-time store whose documents are the offer: one a file, its bytes the file itself.
struct OutgoingOffer: Sendable {
  let store: LocalStore
  /// The documents' ids, in the order of the files.
  let ids: [String]

  private static let batch = 1_000

  /// Makes the store in a folder that does not exist yet.
  ///
  /// Ids and revisions follow from the session's secret and the files, so that a sender that is
  /// started again goes on where it was: the receiver knows the documents already.
  ///
  /// - Parameters:
  ///   - files: what is offered.
  ///   - sender: what this machine is called.
  ///   - token: the session's secret.
  ///   - folder: where the store lies.
  /// - Throws: `StoreError`.
  init(
    _ files: [OutgoingFile], sender: String, token: DropToken, folder: String
  ) throws {
    store = try StoreDirectory(path: folder).create("offer")
    var documents: [Document] = []
    for file in files {
      let members = Self.members(of: file, sender: sender)
      documents.append(
        Document(
          id: Self.identifier(of: file, members, token), body: try DocumentBody(members)))
    }
    ids = documents.map(\.id)
    for start in stride(from: 0, to: documents.count, by: Self.batch) {
      let end = min(start + Self.batch, documents.count)
      for case .refused(_, let error) in try store.write(Array(documents[start..<end])) {
        throw error
      }
    }
  }

  private static func members(of file: OutgoingFile, sender: String) -> JSONObject {
    var members: JSONObject = [
      "@datatype": "DropFile", "name": .string(file.name), "size": .integer(file.size),
      "modified": .string(text(of: file.modified)), "mode": .integer(Int64(file.mode)),
      "type": .string(file.type), "sender": .string(sender),
    ]
    if let path = file.path { members["path"] = .string(path) }
    return members
  }

  /// A moment with all nine digits of its fraction, since files have them.
  private static func text(of moment: Instant) -> String {
    let digits = String(moment.nanoseconds)
    let fraction = String(repeating: "0", count: 9 - digits.utf8.count) + digits
    return "\(moment.wholeSeconds.rfc3339.dropLast()).\(fraction)Z"
  }

  /// 128 bits that nobody can guess without the token, and that name just this file in this state.
  private static func identifier(
    of file: OutgoingFile, _ members: JSONObject, _ token: DropToken
  ) -> String {
    var hash = SHA256()
    hash.update(Array("\(token.text) \(file.identity) ".utf8))
    hash.update(JSON.object(members).serializedBytes())
    hash.update(file.location)
    for replacement in file.replacements {
      hash.update(Array(" \(replacement.offset) ".utf8))
      hash.update(replacement.bytes)
    }
    return hexadecimal(hash.finish().prefix(16))
  }
}
