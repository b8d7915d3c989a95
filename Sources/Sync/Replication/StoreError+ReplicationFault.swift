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
