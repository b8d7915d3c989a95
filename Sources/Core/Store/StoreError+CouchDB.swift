extension StoreError {
  /// The answer CouchDB gives in the same case: its status, its `error` word and its `reason`.
  public var couchDB: (status: Int, error: String, reason: String) {
    switch self {
    case .storeNotFound: (404, "not_found", "Database does not exist.")
    case .storeExists:
      (412, "file_exists", "The database could not be created, the file already exists.")
    case .invalidStoreName(let name, _) where name.utf8.count > StoreDirectory.longestName:
      (
        400, "database_name_too_long",
        "At least one path segment of `\(name)` is too long."
      )
    case .invalidStoreName(let name, _):
      (
        400, "illegal_database_name",
        "Name: '\(name)'. Only lowercase characters (a-z), digits (0-9), and any of the characters "
          + "_, $, (, ), +, -, and / are allowed. Must begin with a letter."
      )
    case .documentNotFound(_, let absence): (404, "not_found", absence.rawValue)
    case .conflict: (409, "conflict", "Document update conflict.")
    case .invalidDocumentID(let reason): (400, "illegal_docid", reason)
    case .invalidDocument(let reason): (400, "doc_validation", reason)
    case .invalidDesignDocument(_, let reason): (400, "invalid_design_doc", reason)
    case .badRequest(let reason): (400, "bad_request", reason)
    case .attachmentNotFound: (404, "not_found", "Document is missing attachment")
    case .missingStub(let id, let name):
      (412, "missing_stub", "Invalid attachment stub in \(id) for \(name)")
    case .damagedAttachment(let name, let detail):
      (500, "damaged_attachment", "\(name): \(detail)")
    case .indexNotFound: (404, "not_found", "Index not found.")
    case .readOnly, .forbidden: (403, "forbidden", "The store is read-only.")
    case .diskFull: (507, "insufficient_storage", "The disk is full.")
    case .busy: (503, "service_unavailable", "The store is busy.")
    case .locked, .wrongKey: (403, "forbidden", "The store is locked.")
    case .newerFormat, .notAStore, .damaged, .damagedBackup, .sqlite, .io:
      (500, "internal_server_error", "The store cannot be read.")
    }
  }
}
