/// What became of the files of an offer.
public struct DropSendReport: Sendable {
  /// One for each file, in their order.
  public var results: [Result]
  /// Bytes that went out, repeated ones too.
  public var sentBytes: Int64 = 0
  /// How long it took, from the first byte of a file.
  public var duration: Duration = .zero
  /// The receiver's address.
  public var address: String
  /// Why the run ended before every file had its turn; nil when it did not.
  public var stop: (any Error)?

  /// The receiver takes no more files: what is missing will not come by the same ticket.
  public var hasEnded: Bool { if case DropSendError.ended? = stop { true } else { false } }

  /// What became of one file.
  public struct Result: Sendable {
    /// The file.
    public var file: OutgoingFile
    /// What became of it.
    public var outcome: Outcome
  }

  /// What became of a file.
  public enum Outcome: Sendable {
    /// The receiver has saved it and has told its digest, which is that of what was sent.
    case saved(name: String, digest: String)
    /// The receiver has it already: from an earlier run, or the same file by that name.
    case wasThere
    /// It was not sent.
    case failed(FileFailure)

    /// Whether the receiver has the file.
    public var isSuccess: Bool { if case .failed = self { false } else { true } }
  }

  /// Files that were not sent.
  public var failedCount: Int { results.count { !$0.outcome.isSuccess } }
}

/// What a sender tells while it works.
public enum DropSendEvent: Sendable {
  /// The receiver answered and has the right key.
  case connected(address: String)
  /// The receiver's person is asked; nothing moves until they agree.
  case asking
  /// The first bytes go out.
  case started(files: Int, bytes: Int64)
  /// Bytes went out.
  case progress(DropSendProgress)
  /// A file is done, well or not.
  case finished(DropSendReport.Result)
  /// The connection was lost; the next attempt comes after so many seconds.
  case retrying(reason: String, seconds: Double)
}

/// How far an offer is.
public struct DropSendProgress: Sendable {
  /// The file whose bytes went out last.
  public var name: String
  /// Its bytes so far, and all of them.
  public var fileBytes: (done: Int64, total: Int64)
  /// Files that are done, and all of them.
  public var files: (done: Int, total: Int)
  /// Bytes of all files so far, and all of them.
  public var bytes: (done: Int64, total: Int64)
}
