/// The forms of output that an export writes.
public enum ExportFormat: String, Sendable, Hashable, CaseIterable {
  /// One JSON document a line.
  case jsonLines = "jsonl"
  /// One JSON array with a document a line.
  case json
  /// Comma-separated values with a header row: `_id`, then every member that any document has.
  ///
  /// Strings that would read as something else are quoted; arrays and objects are JSON text.
  case csv
}

/// What an export writes.
public struct ExportOptions: Sendable {
  /// What becomes of attachments.
  public enum Attachments: Sendable, Hashable {
    /// They are left out, and so is what the documents say about them.
    case none
    /// They stand in the documents in base 64. An import reads records of at most 64 MiB.
    case inline
    /// They are written into files of a folder, named by SHA-256, each content once.
    ///
    /// `path` is the folder, which is made if need be; `name` is what the documents call it: relative
    /// to the place of the export.
    case folder(path: String, name: String)
  }

  /// The form of the output.
  public var format = ExportFormat.jsonLines
  /// Every revision whose body is stored, tombstones and conflicts too, with its history.
  ///
  /// An import of that into an empty store restores the revision trees. Not for CSV.
  public var allRevisions = false
  /// What becomes of attachments.
  ///
  /// CSV has none.
  public var attachments = Attachments.inline
  /// Compress the output (gzip).
  public var gzip = false
  /// End with a line that tells the number of records and the SHA-256 of all bytes before it.
  ///
  /// Only for JSON Lines. An import checks it.
  public var endLine = true
  /// Called now and then with what is done so far; an error thrown from here ends the export.
  public var progress: (@Sendable (ExportSummary) throws -> Void)?

  /// JSON Lines, winners only, attachments inline, with an end line.
  public init() {}
}

/// What an export has written.
public struct ExportSummary: Sendable, Hashable {
  /// Records written.
  public var records = 0
  /// Attachments written, counted once a record.
  public var attachments = 0
  /// Bytes written, after compression; without the files of attachments.
  public var bytes = 0
  /// Time taken, in seconds.
  public var seconds = 0.0

  /// Nothing done.
  public init() {}
}
