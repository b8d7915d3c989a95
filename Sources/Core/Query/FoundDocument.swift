/// One document that a query found, lent while it is handed over: its bytes lie in the database's own
/// memory and are gone afterwards.
public struct FoundDocument {
  let idBytes: UnsafeRawBufferPointer
  let bodyBytes: UnsafeRawBufferPointer
  /// The winning revision.
  public let revision: RevisionID
  /// What the row does not hold: attachments and conflicts; nil when there are none to tell.
  let whole: Document?
  let fields: [FieldPath]

  init(
    idBytes: UnsafeRawBufferPointer, bodyBytes: UnsafeRawBufferPointer, revision: RevisionID,
    whole: Document?, fields: [FieldPath]
  ) {
    self.idBytes = idBytes
    self.bodyBytes = bodyBytes
    self.revision = revision
    self.whole = whole
    self.fields = fields
  }

  /// A document that a server found.
  ///
  /// - Parameters:
  ///   - document: all of it.
  ///   - fields: what to show of it; everything when empty.
  package init(_ document: Document, fields: [FieldPath]) {
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    self.init(
      idBytes: nothing, bodyBytes: nothing,
      revision: document.revision ?? RevisionID(generation: 0, hash: ""), whole: document,
      fields: fields)
  }

  /// The document's id.
  public var id: String { whole?.id ?? String(decoding: idBytes, as: UTF8.self) }

  /// A copy of the whole document, whatever fields were asked for.
  public var document: Document {
    whole
      ?? Document(
        id: id, revision: revision, body: DocumentBody(canonical: Array(bodyBytes)))
  }

  /// The document, or the fields of it that were asked for, as CouchDB shows them.
  public var json: JSON {
    let json = document.json
    return fields.isEmpty ? json : Projection(fields: fields).apply(to: json)
  }

  /// Writes ``json`` without making a value tree, where all of the document was asked for.
  ///
  /// - Parameter buffer: where the text is appended.
  public func append(to buffer: inout ByteBuffer) {
    guard fields.isEmpty, whole == nil else {
      buffer.append(json)
      return
    }
    buffer.append(literal: "{\"_id\":")
    buffer.appendJSONString(idBytes)
    buffer.append(literal: ",\"_rev\":")
    buffer.appendJSONString(revision.description)
    // A body without members is `{}`.
    if bodyBytes.count > 2 {
      buffer.append(literal: ",")
      buffer.append(UnsafeRawBufferPointer(rebasing: bodyBytes.dropFirst()))
    } else {
      buffer.append(literal: "}")
    }
  }
}

/// What a query tells beside its documents.
public struct FindSummary: Sendable {
  /// Documents handed over.
  public var count = 0
  /// Documents looked at to find them.
  public var examined = 0
  /// Index entries looked at to find them.
  public var keysExamined = 0
  /// Give it to the next query to go on after the last document; nil when nothing was found and no
  /// bookmark was given.
  public var bookmark: String?
  /// What a person should know.
  public var warnings: [String] = []
  /// How long it took, in milliseconds.
  public var milliseconds: Double = 0
  /// Whether CouchDB tells nothing beside an empty list.
  var isWithoutBookmark = false
  /// Of how many copies a cluster would read each document.
  var readQuorum: Int64 = 1

  /// Nothing found.
  public init() {}

  /// The members of `_find`'s answer beside `docs`: `bookmark`, `warning`, `execution_stats`.
  ///
  /// - Parameter withStatistics: whether the statistics were asked for.
  /// - Returns: the members, in CouchDB's order.
  public func json(withStatistics: Bool) -> JSONObject {
    guard !isWithoutBookmark else { return [:] }
    var members: JSONObject = ["bookmark": .string(bookmark ?? "nil")]
    if withStatistics {
      let documents = Int64(examined)
      members["execution_stats"] = [
        "total_keys_examined": .integer(Int64(keysExamined)),
        "total_docs_examined": .integer(readQuorum == 1 ? documents : 0),
        "total_quorum_docs_examined": .integer(readQuorum == 1 ? 0 : documents),
        "results_returned": .integer(Int64(count)), "execution_time_ms": .double(milliseconds),
      ]
    }
    if !warnings.isEmpty { members["warning"] = .string(warnings.joined(separator: "\n")) }
    return members
  }
}

/// A query's documents and what it tells beside them.
public struct FindResult: Sendable {
  /// The documents, in order.
  public var documents: [Document]
  /// The rest.
  public var summary: FindSummary
}
