public import Core

extension StoreError: ReplicationFault {
  /// Another process holds the store.
  public var isTransient: Bool {
    if case .busy = self { true } else { false }
  }

  /// The store cannot be written.
  public var isRefusal: Bool {
    switch self {
    case .readOnly, .forbidden: true
    default: false
    }
  }

  /// A local store takes documents of any size.
  public var isTooLarge: Bool { false }

  /// The document is malformed, or its attachment is not there.
  public var concernsDocuments: Bool {
    switch self {
    case .conflict, .invalidDocument, .invalidDocumentID, .badRequest, .missingStub,
      .damagedAttachment, .attachmentNotFound, .documentNotFound:
      true
    default: false
    }
  }
}

extension StoreError {
  /// A server takes no such document from this user, by its rules or by a validation function.
  var isDenial: Bool {
    switch self {
    case .badRequest(let reason):
      ["forbidden", "unauthorized"].contains { reason.utf8.starts(with: $0.utf8) }
    case .forbidden: true
    default: false
    }
  }
}

/// An error as a report tells it: a short text in lower case.
func replicationReason(_ error: any Error) -> String {
  guard let error = error as? StoreError else { return "\(error)" }
  switch error {
  case .badRequest(let reason), .invalidDocument(let reason), .invalidDocumentID(let reason):
    return reason
  case .damagedAttachment(let name, let detail): return "attachment '\(name)' is damaged: \(detail)"
  case .missingStub(_, let name):
    return "the target lacks an attachment\(name.isEmpty ? "" : " '\(name)'")"
  default: return error.couchDB.reason
  }
}
