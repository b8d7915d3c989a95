/// The numbers that decide speed and patience, each with its reason.
enum ReplicationTuning {
  /// Rows of the changes feed asked for at once: CouchDB's own worker batch.
  static let batchSize = 500

  /// Documents are written when so many bytes of bodies are together: requests stay far below
  /// servers' limits.
  static let batchBytes = 4 << 20

  /// Bytes of bodies that are read and not yet written: memory stays bounded however large they are.
  static let heldBytes = 12 << 20

  /// Documents read at once, before their sizes are known.
  static let readCount = 100

  /// The very first read of a run, alone: one document may have a megabyte.
  static let firstReadCount = 25

  /// Reads under way at once, so that the way to a far server is never empty.
  static let readsAtOnce = 4

  /// Writes under way at once; a local store has one writer.
  static let writesAtOnce = 2

  /// Pages of the feed that are looked at or waiting.
  static let pagesAhead = 3

  /// Documents whose attachments are fetched at once.
  static let attachmentsAtOnce = 4

  /// Attachments of a document that are together smaller, in bytes, come with other documents' in one
  /// answer, in base 64.
  static let inlineBytes = 16 << 10

  /// Seconds until a revision that is not there is asked for again: a cluster's nodes may lag.
  static let missingPause = 2.0

  /// Checkpoints while running: a kill costs at most this much work again.
  static let checkpointInterval: Duration = .seconds(5)

  /// Attempts before a one-shot run gives up on a transient failure.
  static let attempts = 6

  /// Failed documents remembered by a checkpoint; with more the checkpoint stays before the first.
  static let rememberedFailures = 1_000

  /// How long one wait for changes lasts; servers behind proxies cut longer ones.
  static let waitMilliseconds = 25_000
}
