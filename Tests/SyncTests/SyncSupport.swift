import Core
import TestSupport

/// Makes two stores in a folder that is removed afterwards.
func withTwoStores(_ body: (LocalStore, LocalStore) async throws -> Void) async throws {
  try await withTemporaryDirectory { path in
    let stores = StoreDirectory(path: "\(path)")
    try await body(try stores.create("left"), try stores.create("right"))
  }
}

/// Everything a store holds of its documents: each leaf with its history, body and attachments.
func leaves(_ store: LocalStore) throws -> [String: [Document]] {
  var options = ReadOptions()
  options.attachmentBytes = true
  var result: [String: [Document]] = [:]
  for change in try store.changes().rows {
    result[change.id] = try store.openRevisions(of: change.id, .leaves, options).compactMap {
      if case .found(let document) = $0 { document } else { nil }
    }
  }
  return result
}

/// Writes a document with one member.
@discardableResult
func write(
  _ id: String, _ text: String, over revision: RevisionID? = nil, to store: LocalStore,
  attachment: String? = nil
) throws -> RevisionID {
  let file = attachment.map {
    Core.Attachment(name: "f", contentType: "a/b", content: .inline(Array($0.utf8)))
  }
  return try store.put(
    Document(
      id: id, revision: revision, body: try DocumentBody(["text": .string(text)]),
      attachments: file.map { [$0] } ?? []))
}
