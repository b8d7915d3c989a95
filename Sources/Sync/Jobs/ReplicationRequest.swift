import Core
import HTTP

/// A replication that a client orders: the body of `_replicate`, or a document of `_replicator`.
struct ReplicationRequest: Sendable {
  var source: Endpoint
  var target: Endpoint
  /// Make the target if it is not there.
  var createsTarget: Bool
  var options: ReplicationOptions

  /// One side of a replication.
  enum Endpoint: Sendable {
    /// A database of any server; the URL has no user-info.
    case remote(WebURL, RemoteCredentials)
    /// A database of this server, by its name.
    case local(String)

    /// As it is shown: secrets are left out.
    var name: String {
      switch self {
      case .remote(let url, _): "\(url)/"
      case .local(let name): name
      }
    }

    var isLocal: Bool {
      if case .local = self { true } else { false }
    }
  }

  /// Reads an order.
  ///
  /// - Throws: `Refusal` 400 with what is wrong with it.
  init(_ members: JSONObject) throws {
    source = try Endpoint(members["source"], "source")
    target = try Endpoint(members["target"], "target")
    createsTarget = members["create_target"] == true
    options = ReplicationOptions()
    options.isContinuous = members["continuous"] == true
    options.usesCheckpoints = members["use_checkpoints"] != false
    if let since = members["since_seq"], since != .null { options.since = UpdateSequence(since) }
    if let size = members["worker_batch_size"]?.integerValue, size > 0 {
      options.batchSize = min(Int(size), ReplicationTuning.batchSize * 4)
    }
    if let ids = members["doc_ids"], ids != .null {
      guard case .array(let entries) = ids else {
        throw Refusal.badRequest("`doc_ids` must be an array of strings")
      }
      // By an old custom they may be percent-encoded.
      options.ids = entries.compactMap(\.stringValue)
        .map { PercentEncoding.decodeText($0.utf8) ?? $0 }
    }
    if let selector = members["selector"], selector != .null {
      options.selector = try Selector(selector)
    }
    if let filter = members["filter"]?.stringValue {
      let parameters = (members["query_params"]?.objectValue ?? [:]).map { key, value in
        (key, value.stringValue ?? value.serialized())
      }
      options.filter = DesignFilter(
        name: filter, parameters: Dictionary(parameters, uniquingKeysWith: { $1 }))
    }
    let chosen = [options.ids != nil, options.selector != nil, options.filter != nil]
    guard chosen.filter({ $0 }).count < 2 else {
      throw Refusal.badRequest("`doc_ids`,`filter`,`selector` are mutually exclusive")
    }
  }
}

extension ReplicationRequest.Endpoint {
  /// Reads a URL or name, or an object with `url`, `auth` and `headers`.
  fileprivate init(_ json: JSON?, _ member: String) throws {
    guard let text = json?.stringValue ?? json?["url"]?.stringValue, !text.isEmpty else {
      throw Refusal.badRequest("Missing required `\(member)` field")
    }
    guard text.contains("://") else {
      self = .local(text)
      return
    }
    guard var url = try? WebURL(text) else {
      throw Refusal.badRequest("`\(member)` is no URL of a database")
    }
    let credentials = Self.credentials(json) ?? RemoteCredentials(from: url)
    while url.path.utf8.count > 1, url.path.utf8.last == UInt8(ascii: "/") { url.path.removeLast() }
    self = .remote(url.withoutUserInfo, credentials)
  }

  private static func credentials(_ json: JSON?) -> RemoteCredentials? {
    if let basic = json?["auth"]?["basic"], let user = basic["username"]?.stringValue {
      return .password(user: user, password: basic["password"]?.stringValue ?? "")
    }
    for (name, value) in json?["headers"]?.objectValue ?? [:]
    where name.lowercased() == "authorization" {
      guard let text = value.stringValue else { continue }
      if let basic = BasicCredentials(authorization: text) {
        return .password(user: basic.user, password: basic.password)
      }
      if text.hasPrefix("Bearer ") { return .bearer(String(text.dropFirst("Bearer ".count))) }
    }
    return nil
  }
}
