import Core

/// What the source of bundles remembers of a series: the last bundle, and where the next one begins.
///
/// It is a `_local/…` document named by the target and the choice of documents, so that it stays with
/// the store and is never replicated.
struct BundleCheckpoint: Sendable {
  /// The last bundle.
  var last: BundleHeader
  /// Where the last bundle ended.
  var through: UpdateSequence
  /// Digests of large attachments that earlier bundles carry; the next one leaves their bytes out.
  var carried: [String]
  /// Those that the last bundle added.
  var added: [String]
  /// Documents that could not be written and are to be tried again: ids.
  var failed: [String]

  /// Smaller attachments travel again whenever their document changes: to remember them would cost
  /// more than it saves.
  static let largeAttachment = 64 << 10
  /// Digests remembered, the newest ones, so that the document stays small.
  private static let digestLimit = 20_000

  /// The id of the document.
  static func documentID(target: String, filter: JSON) -> String {
    let parts: JSON = ["bundle", .string(target), filter]
    var md5 = MD5()
    md5.update(parts.serializedBytes(.canonical))
    let (high, low) = md5.finish()
    let text = withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { hexadecimal($0) }
    return DocumentID.localPrefix + "bundle-" + text
  }

  init(
    last: BundleHeader, through: UpdateSequence, carried: [String], added: [String],
    failed: [String]
  ) {
    self.last = last
    self.through = through
    self.carried = carried.suffix(Self.digestLimit)
    self.added = added.suffix(Self.digestLimit)
    self.failed = failed
  }

  /// Reads the document; nil when it is not what this program writes.
  init?(_ document: Document) {
    let members = document.body.members
    guard let last = members["last"].flatMap(BundleHeader.init(json:)),
      let through = members["through"]
    else { return nil }
    func texts(_ key: String) -> [String] {
      members[key]?.arrayValue?.compactMap(\.stringValue) ?? []
    }
    self.init(
      last: last, through: UpdateSequence(through), carried: texts("carried"),
      added: texts("added"), failed: texts("failed"))
  }

  /// The members of the document.
  func body(target: String) -> JSONObject {
    func list(_ texts: [String]) -> JSON { .array(texts.map { .string($0) }) }
    return [
      "target": .string(target), "last": last.json, "through": through.json,
      "carried": list(carried), "added": list(added), "failed": list(failed),
    ]
  }
}
