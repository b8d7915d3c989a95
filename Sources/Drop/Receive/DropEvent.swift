/// What happens while files are received.
public enum DropEvent: Sendable {
  /// The first bytes of a file have come.
  case receiving(DropFile)
  /// A file has its final name.
  case saved(DropSaved)
  /// A file will not come, or not be kept.
  case failed(DropFailure)
  /// An address has guessed at the token too often and is not listened to any more.
  case cutOff(address: String)
  /// The end; nothing follows.
  case done(DropTotals)
}

/// A file that was received.
public struct DropSaved: Sendable {
  /// What the sender said of it.
  public var file: DropFile
  /// Its name beneath the target folder, with folders.
  public var name: String
  /// The target folder's path and the name.
  public var path: String
  /// Bytes.
  public var size: Int64
  /// The digest in lower-case hexadecimal.
  public var sha256: String
  /// From its first byte to its name.
  public var duration: Duration
  /// The same file had been there under that name: it was left as it is.
  public var wasThere: Bool
}

/// A file that was not received.
public struct DropFailure: Sendable {
  /// What the sender said of it.
  public var file: DropFile
  /// A stable word: `declined`, `no_space`, `too_long`, `digest`, `incomplete`, `io`.
  public var code: String
  /// What went wrong, for people.
  public var message: String
}

/// What came of a session.
public struct DropTotals: Sendable, Hashable {
  /// Why it ended.
  public enum Reason: String, Sendable {
    /// The sender said so, or as many files as asked for have come.
    case complete
    /// Nothing happened for the time that was given.
    case expired
    /// The receiver was told to stop.
    case stopped
  }

  /// Files that were saved, those among them that had been there already too.
  public var saved = 0
  /// Files that were offered and are not there.
  public var failed = 0
  /// Bytes of the saved files.
  public var bytes: Int64 = 0
  /// Why it ended.
  public var reason = Reason.stopped

  /// Nothing yet.
  public init() {}
}

/// Files that a person is asked about.
public struct DropRequest: Sendable {
  /// How the sender calls itself.
  public var sender: String
  /// The sender's address.
  public var address: String
  /// The files.
  public var files: [DropFile]
  /// Bytes of the files whose size is known.
  public var size: Int64 { files.reduce(0) { $0 + ($1.size ?? 0) } }
}

/// What a person answers.
public enum DropDecision: Sendable {
  /// These files may come.
  case accept
  /// None of these; nothing more of this sender is listened to.
  case refuse
}

/// How far a session is.
public struct DropProgress: Sendable {
  /// Files that are being received now.
  public var current: [(file: DropFile, received: Int64)] = []
  /// Bytes that have come, of all files.
  public var received: Int64 = 0
  /// Bytes of all files that are wanted.
  public var expected: Int64 = 0
  /// Files that were saved.
  public var saved = 0
  /// Files that are wanted.
  public var files = 0
}
