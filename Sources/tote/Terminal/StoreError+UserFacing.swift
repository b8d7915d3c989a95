import Core

/// The words of the store's errors; the switch is exhaustive so that a new case cannot be forgotten.
extension StoreError: UserFacing {
  var code: String {
    switch self {
    case .storeNotFound, .documentNotFound, .attachmentNotFound, .indexNotFound: "not_found"
    case .storeExists: "exists"
    case .invalidStoreName, .invalidDocumentID, .invalidDocument, .invalidDesignDocument,
      .badRequest, .missingStub:
      "invalid_input"
    case .conflict: "conflict"
    case .busy: "busy"
    case .readOnly, .forbidden: "forbidden"
    case .locked: "locked"
    case .wrongKey: "wrong_key"
    case .newerFormat: "config"
    case .notAStore, .damagedBackup: "invalid_input"
    case .damagedAttachment, .damaged, .diskFull, .sqlite, .io: "io"
    }
  }

  var exitClass: ExitClass {
    switch self {
    case .storeNotFound, .documentNotFound, .attachmentNotFound, .indexNotFound: .notFound
    case .storeExists: .cannotCreate
    case .invalidStoreName, .invalidDocumentID, .invalidDocument, .invalidDesignDocument,
      .badRequest, .missingStub, .notAStore, .damagedBackup:
      .invalidInput
    case .conflict, .busy: .conflict
    case .readOnly, .forbidden, .locked, .wrongKey: .notPermitted
    case .newerFormat: .configuration
    case .damagedAttachment, .damaged, .diskFull, .sqlite, .io: .inputOutput
    }
  }

  var message: String {
    switch self {
    case .storeNotFound(let name): "store '\(name)' not found"
    case .storeExists(let name): "store '\(name)' already exists"
    case .invalidStoreName(let name, let reason): "'\(name)' cannot name a store: \(reason)"
    case .documentNotFound(let id, let absence):
      absence == .deleted ? "document '\(id)' is deleted" : "document '\(id)' not found"
    case .conflict(let id, _): "document '\(id)' was changed by someone else"
    case .invalidDocumentID(let reason): "this cannot be a document's id: \(lowered(reason))"
    case .invalidDocument(let reason): "this cannot be a document: \(lowered(reason))"
    case .invalidDesignDocument(let id, let reason):
      "'\(id)' cannot be a design document: \(lowered(reason))"
    case .badRequest(let reason): lowered(reason)
    case .attachmentNotFound(let id, let name): "document '\(id)' has no attachment '\(name)'"
    case .missingStub(let id, let name):
      "document '\(id)' names an attachment '\(name)' that the store does not hold"
    case .damagedAttachment(let name, let detail): "attachment '\(name)' is damaged: \(detail)"
    case .indexNotFound(let name): "index '\(name)' not found"
    case .newerFormat(let path, let found, let supported):
      "'\(path)' has format \(found), and this version of tote knows formats up to \(supported)"
    case .notAStore(let path): "'\(path)' is not a store"
    case .locked(let name): "store '\(name)' is locked: it is encrypted, and no key is given"
    case .wrongKey(let name): "the passphrase or key does not open store '\(name)'"
    case .damaged(let path, let detail): "'\(path)' is damaged: \(lowered(detail))"
    case .damagedBackup(let path, let detail):
      "'\(path)' is not a whole backup: \(lowered(detail))"
    case .busy(let path): "'\(path)' is in use by another process"
    case .readOnly(let path): "'\(path)' cannot be written: it is read-only"
    case .forbidden(let path): "'\(path)' cannot be used: permission denied"
    case .diskFull(let path): "cannot write '\(path)': no space left on device"
    case .sqlite(let code, let message, let path):
      "the database '\(path)' failed: \(lowered(message)) (sqlite \(code))"
    case .io(let operation, let path, let code):
      "cannot \(operation) '\(path)': \(systemMessage(code))"
    }
  }

  var hint: String? {
    switch self {
    case .storeNotFound: "run 'tote store list' to see your stores"
    case .storeExists: "choose another name"
    case .invalidStoreName: "begin with a-z and go on with a-z, 0-9 and _ $ ( ) + - /"
    case .conflict(let id, _):
      "read it again with 'tote store get STORE \(id)' and repeat your change"
    case .documentNotFound(_, .deleted): "its history may still be read: 'tote store history'"
    case .busy: "try again"
    case .newerFormat: "update tote"
    case .locked: "run 'tote store unlock', or pass --passphrase-file FILE or --key-file FILE"
    case .wrongKey: "nothing was changed; try again with the passphrase it was given last"
    case .damaged, .damagedAttachment: "run 'tote store verify', and restore a backup"
    case .documentNotFound, .invalidDocumentID, .invalidDocument, .invalidDesignDocument,
      .badRequest, .attachmentNotFound, .missingStub, .damagedBackup, .indexNotFound, .notAStore,
      .readOnly, .forbidden, .diskFull, .sqlite, .io:
      nil
    }
  }

  var details: [(String, JSON)] {
    switch self {
    case .conflict(let id, let current):
      [
        ("id", .string(id)),
        ("current", current.map { .string($0.description) } ?? .null),
      ]
    case .documentNotFound(let id, let absence):
      [("id", .string(id)), ("reason", .string(absence.rawValue))]
    case .storeNotFound(let name), .storeExists(let name), .invalidStoreName(let name, _),
      .locked(let name), .wrongKey(let name):
      [("store", .string(name))]
    default: []
    }
  }

  /// CouchDB's and SQLite's sentences as ours: lower case, no final period.
  private func lowered(_ text: String) -> String {
    var text = text
    if text.last == "." { text.removeLast() }
    // An abbreviation or a name in capitals stays as it is.
    guard let first = text.first, text.dropFirst().first?.isLowercase ?? true else { return text }
    return first.lowercased() + text.dropFirst()
  }
}
