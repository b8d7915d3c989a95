/// The rules for partitions: groups of documents that are listed and searched without the others.
///
/// In a partitioned store an id is `partition:key`; design and local documents belong to none.
public enum Partition {
  /// The partition that an id names; nil when it names none.
  public static func name(in id: String) -> String? {
    guard let colon = id.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    return String(decoding: id.utf8[..<colon], as: UTF8.self)
  }

  /// Ids of a partition's documents begin with this.
  public static func prefix(_ name: String) -> String { name + ":" }

  /// Why a partition cannot have the name, in CouchDB's words; nil when it can.
  public static func objection(to name: String) -> String? {
    guard let first = name.utf8.first else { return "Partition must not be empty" }
    guard first != UInt8(ascii: "_") else {
      return "Partition must not start with an underscore"
    }
    return name.utf8.contains(UInt8(ascii: ":")) ? "Partition must not contain a colon" : nil
  }

  /// Checks that a document of a partitioned store may have the id, which may stand in any store.
  ///
  /// - Throws: `StoreError.invalidDocumentID` with CouchDB's reason.
  public static func check(documentID id: String) throws(StoreError) {
    if DocumentID.isDesign(id) || DocumentID.isLocal(id) { return }
    guard let name = name(in: id) else {
      throw .invalidDocumentID(reason: "Doc id must be of form partition:id")
    }
    if let reason = objection(to: name) { throw .invalidDocumentID(reason: reason) }
    try DocumentID.check(String(decoding: id.utf8.dropFirst(name.utf8.count + 1), as: UTF8.self))
  }
}

/// What a partition holds.
public struct PartitionInfo: Sendable {
  /// Live documents.
  public var documentCount = 0
  /// Tombstones.
  public var deletedCount = 0
  /// Bytes of the winning revisions' bodies, and of their attachments as they were sent.
  public var externalSize = 0
  /// Bytes that these and their ids take on disk.
  public var activeSize = 0
}
