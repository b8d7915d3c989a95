import CSQLite
import Glibc

/// Why a store refused or failed.
public enum StoreError: Error, Sendable, Hashable {
  /// There is no store of that name.
  case storeNotFound(name: String)
  /// A store of that name exists already.
  case storeExists(name: String)
  /// The text cannot name a store; `reason` says why.
  case invalidStoreName(name: String, reason: String)
  /// The document, or the revision asked for, is not there.
  case documentNotFound(id: String, Absence)
  /// The revision named is not a current one; `current` is the winner, nil when there is none.
  case conflict(id: String, current: RevisionID?)
  /// The id cannot name a document; the text is CouchDB's reason.
  case invalidDocumentID(reason: String)
  /// The document has a member it may not have; the text is CouchDB's reason.
  case invalidDocument(String)
  /// A design document says what cannot be; the reason names it.
  case invalidDesignDocument(id: String, reason: String)
  /// The request makes no sense; the text is CouchDB's reason.
  case badRequest(String)
  /// The revision has no attachment of that name.
  case attachmentNotFound(id: String, name: String)
  /// The writer refers to an attachment that the store does not hold.
  case missingStub(id: String, name: String)
  /// An attachment's bytes are gone or are not what their digest says.
  case damagedAttachment(name: String, detail: String)
  /// No index of that name.
  case indexNotFound(name: String)
  /// The store was written by a later version of the program.
  case newerFormat(path: String, found: Int, supported: Int)
  /// The file is something else than a store.
  case notAStore(path: String)
  /// The store is encrypted, and no key was given.
  case locked(store: String)
  /// The passphrase or key given does not open the store.
  case wrongKey(store: String)
  /// The store's file is damaged.
  case damaged(path: String, detail: String)
  /// A backup is cut short, altered, or no backup at all.
  case damagedBackup(path: String, detail: String)
  /// Another process kept the store locked for too long.
  case busy(path: String)
  /// The store cannot be written: read-only medium or missing permission.
  case readOnly(path: String)
  /// The process may not use the file.
  case forbidden(path: String)
  /// The disk is full.
  case diskFull(path: String)
  /// SQLite failed in another way.
  case sqlite(code: Int32, message: String, path: String)
  /// A system call on a file failed.
  case io(operation: String, path: String, code: Int32)

  /// Why a document cannot be read.
  public enum Absence: String, Sendable {
    /// It never was there, or what is asked for is unknown.
    case missing
    /// Its winner is a tombstone.
    case deleted
  }
}

extension StoreError {
  /// Sorts SQLite's result codes into what a person can do about them.
  package init(sqlite code: Int32, message: String, path: String) {
    switch code & 0xff {
    case SQLITE_BUSY, SQLITE_LOCKED: self = .busy(path: path)
    case SQLITE_READONLY: self = .readOnly(path: path)
    case SQLITE_PERM, SQLITE_AUTH: self = .forbidden(path: path)
    case SQLITE_FULL: self = .diskFull(path: path)
    case SQLITE_CORRUPT: self = .damaged(path: path, detail: message)
    case SQLITE_NOTADB: self = .notAStore(path: path)
    default: self = .sqlite(code: code, message: message, path: path)
    }
  }

  /// Sorts an `errno` of a file operation.
  package init(errno code: Int32, operation: String, path: String) {
    switch code {
    case ENOSPC, EDQUOT: self = .diskFull(path: path)
    case EROFS: self = .readOnly(path: path)
    case EACCES, EPERM: self = .forbidden(path: path)
    default: self = .io(operation: operation, path: path, code: code)
    }
  }
}
