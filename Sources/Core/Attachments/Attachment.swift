/// A file attached to a revision: what is known about it, and where its bytes are.
public struct Attachment: Sendable, Hashable {
  /// Unique within the revision; compared as UTF-8 bytes.
  public var name: String
  /// A media type such as `image/jpeg`.
  public var contentType: String
  /// `md5-` and the base-64 MD5 of the bytes as stored (after `encoding`), as CouchDB writes it.
  public var digest: String
  /// Bytes of the file itself, before `encoding`.
  public var length: Int
  /// The generation of the revision that brought these bytes.
  public var revisionPosition: Int
  /// `gzip` when the bytes are stored compressed, as the client that wrote them sent them.
  public var encoding: String?
  /// Bytes as stored, when `encoding` is set.
  public var encodedLength: Int?
  /// Where the bytes are.
  public var content: Content

  /// Where an attachment's bytes are.
  public enum Content: Sendable, Hashable {
    /// In the store: the writer says "as before", a reader did not ask for the bytes.
    case stub
    /// Given with the document.
    case inline([UInt8])
    /// Already written into the store's blob folder, waiting to be named by a revision.
    case staged(StagedBlob)
    /// To come after the document, as a part of a multipart message.
    case follows
  }

  /// Describes an attachment.
  public init(
    name: String, contentType: String, digest: String = "", length: Int = 0,
    revisionPosition: Int = 0, encoding: String? = nil, encodedLength: Int? = nil,
    content: Content = .stub
  ) {
    self.name = name
    self.contentType = contentType
    self.digest = digest
    self.length = length
    self.revisionPosition = revisionPosition
    self.encoding = encoding
    self.encodedLength = encodedLength
    self.content = content
  }

  /// Bytes as stored.
  package var storedLength: Int { encodedLength ?? length }
}

extension [Attachment] {
  /// Sorts by the bytes of the names, the order in which attachments are hashed and listed.
  package mutating func sortByName() {
    sort { utf8Less($0.name, $1.name) }
  }
}
