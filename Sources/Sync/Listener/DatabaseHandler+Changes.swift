import Core
import HTTP

/// The changes feed in its four forms.
extension DatabaseHandler {
  func changes() async throws -> HTTPResponse {
    try request.allow(.get, .post, .head)
    try require(.read)
    var members = JSONObject()
    if request.method == .post { members = try await request.object(mayBeEmpty: true) }
    let wanted = try ChangesParameters(self, members)
    let feed = ChangesFeed(store: store, watch: watch, wanted: wanted, mayContinue: mayReadStill)
    guard wanted.form == .normal else { return feed.response }
    let tag = try changesTag()
    if request.method != .post, request.hasCurrent(tag: tag) {
      return HTTPResponse(status: 304, headers: ["ETag": "\"\(tag)\""])
    }
    return feed.response.tagged(tag)
  }

  /// Names what a normal feed answers: the state of the store and what was asked for.
  private func changesTag() throws -> String {
    var hasher = SHA256()
    let text = "\(store.identity) \(try store.lastSequence()) \(request.http.queryText ?? "")"
    hasher.update(Array(text.utf8))
    return hexadecimal(hasher.finish().prefix(16))
  }

  /// The text of a design document's filter is not run, but it must be there.
  func checkFilter(_ name: String, kind: String) throws {
    let parts = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      throw Refusal.badRequest("`\(kind)` must be of the form `designname/\(kind)name`")
    }
    let members = try store.document("_design/\(parts[0])").body.members
    guard members[kind + "s"]?[String(parts[1])] != nil else {
      throw Refusal(404, "not_found", "missing json key: \(parts[1])")
    }
  }
}

/// What a feed lists and how it is sent, read from a request.
struct ChangesParameters: Sendable {
  enum Form: Sendable { case normal, longpoll, continuous, eventSource }

  var form = Form.normal
  var request = ChangesRequest()
  /// Only design documents.
  var designOnly = false
  /// An empty line is sent so often while nothing happens; nil for none.
  var heartbeat: Duration?
  /// A waiting feed ends after so long without a change.
  var timeout = Self.defaultTimeout
  /// Only every so many rows have a sequence.
  var sequenceInterval = 1
  /// Which fields of the documents are shown; nil for all.
  var projection: Projection?

  /// CouchDB's own, and the longest it allows.
  private static let defaultTimeout = Duration.milliseconds(60_000)

  init(_ handler: DatabaseHandler, _ members: JSONObject) throws {
    let parameters = handler.parameters
    form = try Self.form(parameters["feed"])
    let since = parameters.first("since", "last-event-id") ?? members["since"]?.text
    if let since { request.since = try handler.updateSequence(since) }
    // A browser that comes back tells where it was, whatever its page's address says.
    if form == .eventSource, let last = handler.request.http.headers["Last-Event-ID"] {
      request.since = try handler.updateSequence(last)
    }
    request.limit = try Self.limit(parameters["limit"] ?? members["limit"]?.text)
    // Of flags CouchDB looks for "true" only.
    request.descending = parameters.isTrue("descending")
    request.allLeaves = try Self.allLeaves(parameters["style"])
    if parameters.isTrue("include_docs") {
      var options = ReadOptions()
      options.conflicts = parameters.isTrue("conflicts")
      options.attachmentBytes = parameters.isTrue("attachments")
      options.attachmentEncoding = parameters.isTrue("att_encoding_info")
      request.documents = options
    }
    heartbeat = try Self.heartbeat(parameters["heartbeat"])
    if let time = try parameters.count("timeout") { timeout = .milliseconds(time) }
    if let interval = try parameters.count("seq_interval") { sequenceInterval = max(interval, 1) }
    try readFilter(handler, members)
  }

  private static func form(_ text: String?) throws -> Form {
    switch text ?? "normal" {
    case "normal": .normal
    case "longpoll": .longpoll
    case "continuous", "live": .continuous
    case "eventsource": .eventSource
    default:
      throw Refusal.badRequest(
        "Supported `feed` types: normal, continuous, live, longpoll, eventsource")
    }
  }

  private static func limit(_ text: String?) throws -> Int? {
    guard let text else { return nil }
    guard let number = Int(text) else {
      throw Refusal(
        400, "query_parse_error", "Invalid value for integer: \(JSON.string(text).serialized())")
    }
    // CouchDB takes a negative limit for none.
    return number < 0 ? nil : number
  }

  private static func allLeaves(_ style: String?) throws -> Bool {
    switch style {
    case nil, "main_only": false
    case "all_docs": true
    default: throw Refusal.badRequest("Supported `style` types: main_only, all_docs")
    }
  }

  private static func heartbeat(_ text: String?) throws -> Duration? {
    switch text {
    case nil, "false": return nil
    case "true": return defaultTimeout
    case .some(let text):
      guard let number = Int(text) else {
        throw Refusal.badRequest(
          "Invalid heartbeat value. Expecting a positive integer value (in milliseconds).")
      }
      guard number > 0 else {
        throw Refusal.badRequest(
          "The heartbeat value should be a positive integer (in milliseconds).")
      }
      return .milliseconds(number)
    }
  }

  // MARK: Filters

  private mutating func readFilter(_ handler: DatabaseHandler, _ members: JSONObject) throws {
    let parameters = handler.parameters
    switch parameters["filter"] ?? members["filter"]?.stringValue {
    case nil: return
    case "_design": designOnly = true
    case "_doc_ids":
      guard case .array(let ids)? = try members["doc_ids"] ?? parameters.json("doc_ids") else {
        throw Refusal.badRequest("`doc_ids` filter parameter is not a list of doc ids.")
      }
      request.ids = ids.compactMap(\.stringValue)
    case "_selector": try readSelector(handler, members)
    case "_view":
      try handler.checkFilter(parameters["view"] ?? "", kind: "view")
      throw Refusal.notImplemented("Filters by views")
    case .some(let name) where name.utf8.first == UInt8(ascii: "_"):
      throw Refusal.badRequest("unknown builtin filter name")
    case .some(let name):
      try handler.checkFilter(name, kind: "filter")
      throw Refusal.notImplemented("Filter functions")
    }
  }

  private mutating func readSelector(_ handler: DatabaseHandler, _ members: JSONObject) throws {
    guard handler.request.method == .post else {
      throw Refusal.badRequest("Selector must be specified in POST payload")
    }
    guard case .object? = members["selector"] else {
      throw Refusal.badRequest("Selector error: expected a JSON object")
    }
    do throws(QueryError) {
      request.selector = try Selector(members["selector"] ?? .null)
      if let fields = members["fields"] {
        projection = Projection(fields: try FindRequest.fields(fields))
      }
    } catch {
      throw Refusal.badRequest(error.reason)
    }
  }
}
