/// What is refused of an attachment before it is stored.
extension Attachment {
  /// Checks that an attachment may have the name: it must not begin with an underscore.
  ///
  /// - Throws: `StoreError.badRequest` with CouchDB's reason.
  public static func check(name: String) throws(StoreError) {
    guard name.utf8.first != UInt8(ascii: "_") else {
      throw .badRequest("Attachment name '\(name)' starts with prohibited character '_'")
    }
  }

  /// Compares what the writer announced with the bytes that came.
  ///
  /// Of bytes that were streamed, digest and length are promises. Of bytes inside a document only a
  /// replicator's digest is one; a user's is not looked at, as in CouchDB.
  func checkPromises(_ staged: StagedBlob, isMerge: Bool) throws(StoreError) {
    let isStreamed: Bool
    if case .staged = content { isStreamed = true } else { isStreamed = false }
    if isStreamed {
      let announced = encoding == nil ? length : encodedLength ?? 0
      if announced != 0, announced != staged.length {
        throw .badRequest(
          "attachment \(staged.length > announced ? "longer" : "shorter") than expected")
      }
    }
    guard isStreamed || (isMerge && !mayBeDecoded), md5Bytes(digest) != nil else { return }
    guard digest == staged.digest else {
      throw .badRequest("attachment '\(name)' does not match its digest")
    }
  }

  /// Whether a peer may have stored the bytes compressed, and sent the digest of that form with the
  /// bytes themselves: CouchDB does so with text.
  private var mayBeDecoded: Bool {
    let type = contentType.lowercased()
    return ["text/", "application/json", "application/javascript", "application/xml"].contains {
      type.utf8.starts(with: $0.utf8)
    }
  }
}
