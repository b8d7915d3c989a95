public import Core

/// What writing or applying a bundle did.
public struct BundleReport: Sendable {
  /// The bundle; nil when none was written since nothing had changed.
  public var header: BundleHeader?
  /// The place in the source's feed where it ends.
  public var through: UpdateSequence
  /// Documents in it, each with a revision; one with several leaves counts as often.
  public var documents = 0
  /// Attachments in it.
  public var attachments = 0
  /// Bytes of the file.
  public var bytes = 0
  /// Revisions that were written to the store; the rest was there already.
  public var written = 0
  /// The store had applied this bundle before.
  public var isRepeated = false
  /// Documents that could not be moved.
  public var failures: [ReplicationReport.Failure] = []

  /// Nothing had changed, so there is no bundle.
  public static let nothing = BundleReport(header: nil, through: .start)

  init(header: BundleHeader?, through: UpdateSequence) {
    self.header = header
    self.through = through
  }
}
