/// The form of a bundle file.
///
/// A first line with the version; frames, each a line `KIND LENGTH`, that many bytes and a line feed;
/// a last line with the SHA-256 of everything before it. The first frame is the header, then each
/// document (CouchDB's JSON with `_revisions`) is followed by the bytes of its attachments as they
/// are stored, in the order of their names, and the last frame counts what there was.
enum BundleFormat {
  /// The version this program writes, and the last it reads.
  static let version = 1
  /// How the first line begins.
  static let magic = "tote-bundle "
  /// How the last line begins.
  static let trailer = "sha256 "
  /// Bytes of the last line with its line feed.
  static let trailerLength = trailer.utf8.count + 64 + 1
  /// Bytes read or written at a time.
  static let pieceSize = 1 << 20
  /// No line that is not a frame's content is longer.
  static let lineLimit = 40

  /// What a frame holds.
  enum Kind: String {
    /// The header.
    case header
    /// A document.
    case document = "doc"
    /// The bytes of the next attachment of the last document.
    case file
    /// The last document turned out to be damaged and does not count.
    case void
    /// What there was.
    case end
  }
}
