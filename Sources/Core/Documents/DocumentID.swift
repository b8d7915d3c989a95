/// The rules for document ids.
public enum DocumentID {
  /// Ids of design documents begin with this.
  public static let designPrefix = "_design/"
  /// Ids of documents that are never replicated begin with this.
  public static let localPrefix = "_local/"

  /// Whether the id is that of a `_local/…` document.
  public static func isLocal(_ id: String) -> Bool { id.utf8.starts(with: localPrefix.utf8) }

  /// Whether the id is that of a `_design/…` document.
  public static func isDesign(_ id: String) -> Bool { id.utf8.starts(with: designPrefix.utf8) }

  /// Checks that a document may have the id.
  ///
  /// - Throws: `StoreError.invalidDocumentID` with CouchDB's reason.
  public static func check(_ id: String) throws(StoreError) {
    guard let first = id.utf8.first else {
      throw .invalidDocumentID(reason: "Document id must not be empty")
    }
    guard first == UInt8(ascii: "_") else { return }
    for prefix in [designPrefix, localPrefix] where id.utf8.starts(with: prefix.utf8) {
      guard id.utf8.count > prefix.utf8.count else {
        let kind = prefix == designPrefix ? "_design" : "_local"
        throw .invalidDocumentID(reason: "Invalid \(kind) document id.")
      }
      return
    }
    throw .invalidDocumentID(
      reason: "Only reserved document ids may start with underscore.")
  }
}
