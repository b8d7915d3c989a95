/// A few thousand decoded records on their way from the reader's thread to the writer's.
///
/// The texts of documents that can be inserted straight away lie in one buffer; the memory is reused
/// from batch to batch.
struct ImportBatch: ~Copyable {
  /// One record, in the order of the input.
  struct Entry {
    enum Kind: UInt8 {
      /// A new document of one revision: id and body lie in ``ImportBatch/text``.
      case plain
      /// A revision made elsewhere, without attachments: the same, and its name and tree.
      case revision
      /// Anything else: ``number`` is its place in ``ImportBatch/documents``.
      case document
      /// A bad record: ``number`` is its place in ``ImportBatch/problems``.
      case problem
    }

    var kind: Kind
    var number = 0
    var idOffset = 0
    var idLength = 0
    var bodyOffset = 0
    var bodyLength = 0
    /// The hash of a plain document's first revision.
    var digest: (UInt64, UInt64) = (0, 0)
    /// The encoded name of a revision, behind the body; the encoded tree, if any, follows.
    var revisionLength = 0
    var treeLength = 0
    var flags: RowFlags = []
    /// The record carries its history: it is merged into a document that is there, not judged by
    /// the rule for those.
    var isMerge = false
    var line: Int
    var column: Int
  }

  /// A document that needs the store's general way of writing.
  struct GeneralDocument {
    var document: Document
    /// Attachments whose bytes lie in files beside the input: by name, the path.
    var files: [(name: String, path: String)] = []
  }

  var text = ByteBuffer(capacity: ImportBatch.size * 2)
  var entries: [Entry] = []
  var documents: [GeneralDocument] = []
  var problems: [TransferProblem] = []
  /// Rough size of what is in `documents`.
  var documentBytes = 0
  /// Bytes read of the input when the batch was filled.
  var bytesRead = 0

  /// A batch is handed over when it holds so many bytes, or so many records.
  static let size = 256 << 10
  static let maximumCount = 4096

  init() {
    entries.reserveCapacity(1024)
  }

  var isFull: Bool {
    text.count + documentBytes >= Self.size || entries.count >= Self.maximumCount
  }

  mutating func reset() {
    text.reset()
    entries.removeAll(keepingCapacity: true)
    documents.removeAll(keepingCapacity: true)
    problems.removeAll(keepingCapacity: true)
    documentBytes = 0
  }

  mutating func add(_ problem: TransferProblem) {
    entries.append(
      Entry(kind: .problem, number: problems.count, line: problem.line, column: problem.column))
    problems.append(problem)
  }

  mutating func add(_ document: GeneralDocument, at record: InputRecord) {
    entries.append(
      Entry(kind: .document, number: documents.count, line: record.line, column: record.column))
    documents.append(document)
    documentBytes += record.bytes.count
  }
}
