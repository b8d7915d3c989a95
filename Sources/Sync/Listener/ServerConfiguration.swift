import Core
import Synchronization

/// The settings that an administrator reads and changes over HTTP while the server runs.
///
/// They have CouchDB's names and last until the server stops. Those that this server knows are obeyed
/// at once; others are kept and given back, as CouchDB does with what it does not know.
final class ServerConfiguration: Sendable {
  private let sections = Mutex(ServerConfiguration.defaults)

  private static let defaults: [String: [String: String]] = [
    "chttpd": ["decode_plus_to_space": "true"],
    "couchdb": ["users_db_security_editable": "false"],
    "httpd": [
      "x_forwarded_host": "X-Forwarded-Host", "x_forwarded_proto": "X-Forwarded-Proto",
      "x_forwarded_ssl": "X-Forwarded-Ssl",
    ],
    "uuids": ["algorithm": "sequential"],
  ]

  /// All sections, or the settings of one.
  func json(section: String?) -> JSON {
    sections.withLock { sections in
      func object(_ settings: [String: String]) -> JSON {
        let pairs = settings.sorted { utf8Less($0.key, $1.key) }
        return .object(JSONObject(pairs.map { ($0.key, .string($0.value)) }))
      }
      if let section { return object(sections[section] ?? [:]) }
      let pairs = sections.sorted { utf8Less($0.key, $1.key) }
      return .object(JSONObject(pairs.map { ($0.key, object($0.value)) }))
    }
  }

  subscript(section: String, key: String) -> String? {
    get { sections.withLock { $0[section]?[key] } }
    set {
      sections.withLock { sections in
        sections[section, default: [:]][key] = newValue
        if sections[section]?.isEmpty == true { sections[section] = nil }
      }
    }
  }

  /// How many settings one section may hold, and of how many sections.
  private static let capacity = 1_000

  /// Whether one more setting may be kept: an administrator's script must not fill the memory.
  func hasRoom(for section: String) -> Bool {
    sections.withLock { sections in
      sections.count < Self.capacity && sections[section]?.count ?? 0 < Self.capacity
    }
  }

  // MARK: Settings with a meaning

  /// A plus in a path stands for a blank, as in a form.
  var decodesPlus: Bool { self["chttpd", "decode_plus_to_space"] != "false" }

  /// Administrators may change who may do what with `_users`.
  var isUsersSecurityEditable: Bool { self["couchdb", "users_db_security_editable"] == "true" }

  /// The name of a header in which a proxy tells what the client asked for.
  func forwardingHeader(_ key: String, default name: String) -> String {
    self["chttpd", key] ?? self["httpd", key] ?? name
  }

  /// At most so many rows of a partition in one answer; nil for no limit.
  var partitionQueryLimit: Int? {
    self["query_server_config", "partition_query_limit"].flatMap { Int($0) }
  }

  /// A new id, by the algorithm that is set.
  func documentID() -> String {
    switch self["uuids", "algorithm"] {
    case "random": RandomIdentifier.uuid()
    case "utc_random": RandomIdentifier.microseconds() + RandomIdentifier.uuid().suffix(18)
    case "utc_id": RandomIdentifier.microseconds() + (self["uuids", "utc_id_suffix"] ?? "")
    default: RandomIdentifier.timeOrdered()
    }
  }
}
