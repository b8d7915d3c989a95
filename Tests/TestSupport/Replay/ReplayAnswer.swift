public import Core

/// An answer that is compared with a recorded one: the parts of it that matter.
public struct ReplayAnswer {
  /// The status.
  public var status: Int
  /// The body, when it is JSON; a feed by lines is the object that a normal feed sends.
  public var json: JSON?
  /// The body, when it is not JSON.
  public var bytes: [UInt8]?
  /// What `ETag` quotes: a revision, or an attachment's digest without `md5-`.
  public var tag: String?
  /// The `Content-Type`, when it is compared.
  public var contentType: String?
  /// The `Content-Range`.
  public var contentRange: String?

  /// An answer with a body or without.
  public init(_ status: Int, _ json: JSON? = nil, tag: String? = nil) {
    self.status = status
    self.json = json
    self.tag = tag
  }
}
