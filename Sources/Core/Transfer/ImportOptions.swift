/// The forms of input that an import reads.
public enum ImportFormat: String, Sendable, Hashable, CaseIterable {
  /// One JSON document a line. Blank lines are passed over; U+2028 and U+2029 end no line.
  case jsonLines = "jsonl"
  /// JSON values one after the other: arrays of documents, documents, or what CouchDB answers
  /// (`{"docs":[…]}`, `{"rows":[{"doc":…}]}`).
  case json
  /// Comma-separated values with a header row (RFC 4180); `;` and tab are detected too.
  case csv
  /// The file of couchbackup: lines that are arrays of documents with their revision histories.
  case couchbackup
}

/// How an import treats its records.
public struct ImportOptions: Sendable {
  /// What happens when a document exists already.
  public enum ConflictRule: String, Sendable, CaseIterable {
    /// It stays as it is. The default.
    case skip
    /// It gets a new revision with the record's content, unless it has that content already.
    case update
    /// The import stops and leaves the store as it was.
    case fail
  }

  /// The format; `nil` to find out from the first bytes.
  public var format: ImportFormat?
  /// The member, or column, whose value becomes the id of a record without `_id`.
  ///
  /// It may be a string or an integer and stays in the document. Records that have neither get
  /// generated ids in time order.
  public var idMember: String?
  /// The value of `@datatype` for records that do not say theirs.
  public var datatype: String?
  /// What happens when a document exists already.
  ///
  /// Records with `_revisions` are not asked: they are merged into the document's tree.
  public var onConflict = ConflictRule.skip
  /// Whether the input must end with the end line of an export.
  public var requiresEndLine = false
  /// Whether everything is undone at the end: the summary tells what would have happened.
  public var isDryRun = false
  /// How many problems the summary names; the others are only counted.
  public var maximumProblems = 100
  /// How long one record may be, in bytes.
  public var maximumRecordLength = 64 << 20
  /// Called now and then with what is done so far; an error thrown from here ends the import.
  public var progress: (@Sendable (ImportSummary) throws -> Void)?

  /// Find out the format, generate ids, skip what exists.
  public init() {}
}

/// What an import has done.
public struct ImportSummary: Sendable, Hashable {
  /// The format that was read.
  public var format = ImportFormat.jsonLines
  /// Records read, bad ones included.
  public var read = 0
  /// Documents that are new in the store.
  public var inserted = 0
  /// Documents that were there and got a new revision.
  public var updated = 0
  /// Records that changed nothing: the document was there, by the rule or with the same content.
  public var skipped = 0
  /// Records that could not be imported.
  public var failed = 0
  /// Bytes read, before decompression.
  public var bytes = 0
  /// Time taken, in seconds.
  public var seconds = 0.0
  /// Whether the input proved itself complete by its end line.
  public var isProvenComplete = false
  /// The first problems, at most ``ImportOptions/maximumProblems``.
  public var problems: [TransferProblem] = []

  /// Nothing done.
  public init() {}
}
