/// Derives revision ids from content, so that the same edit gets the same id on every machine.
///
/// The hash is the MD5 of the canonical JSON text `[deleted,parent,body,attachments]`: a boolean, the
/// parent's revision as a string or null, the body without reserved members, and an object of
/// attachment names and digests. CouchDB hashes an Erlang term instead; revision ids are opaque to
/// the replication protocol, so the two need not agree.
package struct RevisionHasher: ~Copyable {
  private var md5 = MD5()

  /// What a new document's body stands between when it is hashed: bulk work writes the three in one
  /// piece and hashes that.
  package static let firstPrefix: StaticString = "[false,null,"
  package static let firstSuffix: StaticString = ",{}]"

  package init() {}

  /// The id of an edit.
  ///
  /// - Parameters:
  ///   - isDeleted: whether it is a tombstone.
  ///   - parent: the revision it replaces; nil for a new document.
  ///   - body: the canonical JSON object of the new revision.
  ///   - attachments: sorted by name.
  /// - Returns: the revision, one generation after the parent's.
  package mutating func revision(
    isDeleted: Bool, parent: RevisionID?, body: UnsafeRawBufferPointer,
    attachments: [Attachment] = []
  ) -> RevisionID {
    md5.update(isDeleted ? "[true," : "[false,")
    if let parent {
      md5.update(JSON.string(parent.description).serializedBytes(.canonical))
      md5.update(",")
    } else {
      md5.update("null,")
    }
    md5.update(body)
    if attachments.isEmpty {
      md5.update(",{}]")
    } else {
      let digests = JSONObject(attachments.map { ($0.name, JSON.string($0.digest)) })
      md5.update(",")
      md5.update(JSON.object(digests).serializedBytes(.canonical))
      md5.update("]")
    }
    let (high, low) = md5.finish()
    return RevisionID(generation: (parent?.generation ?? 0) + 1, hash: .digest(high, low))
  }
}
