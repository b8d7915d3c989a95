import Core

/// The name under which a replication keeps its checkpoints on both sides.
///
/// It depends on the two databases and on the filter, so that another selection of documents starts
/// from the beginning. It does not depend on credentials, batch sizes or whether the run is
/// continuous: changing a password must not start a replication again.
struct ReplicationID: Hashable, Sendable {
  /// 32 hexadecimal digits.
  let text: String

  init(source: String, target: String, filter: JSON) {
    let parts: JSON = ["tote", 1, .string(source), .string(target), filter]
    var md5 = MD5()
    md5.update(parts.serializedBytes(.canonical))
    let (high, low) = md5.finish()
    text = withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { hexadecimal($0) }
  }

  /// The id of the checkpoint document.
  var documentID: String { DocumentID.localPrefix + text }
}
