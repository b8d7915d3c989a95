import Core
import HTTP

/// The changes feed in its four forms.
extension DatabaseHandler {
  func changes() async throws -> HTTPResponse {
    try request.allow(.get, .post, .head)
    try require(.read)
    var members = JSONObject()
    if request.method == .post { members = try await request.object(mayBeEmpty: true) }
    let feed = try ChangesFeed(self, members)
    return feed.response
  }
}

/// One feed: what it lists, and how it is sent.
struct ChangesFeed: Sendable {
  private let store: LocalStore
  private let watch: ChangeWatch
  private let mark: String
  private let form: Form
  private let wanted: ChangesRequest
  private let designOnly: Bool
  /// An empty line is sent so often while nothing happens; nil for none.
  private let heartbeat: Duration?
  /// Whether the reader may go on reading.
  private let mayContinue: @Sendable () throws -> Bool
  /// A waiting feed ends after so long without a change.
  private let timeout: Duration

  private enum Form: Sendable { case normal, longpoll, continuous, eventSource }

  /// Rows read at once; the answer is streamed.
  private static let pageSize = 500

  /// CouchDB's own, and the longest it allows.
  private static let defaultTimeout = Duration.milliseconds(60_000)

  init(_ handler: DatabaseHandler, _ members: JSONObject) throws {
    let parameters = handler.parameters
    store = handler.store
    watch = handler.watch
    mayContinue = handler.mayReadStill
    mark = String(handler.store.identity.prefix(8))
    switch parameters["feed"] ?? "normal" {
    case "normal": form = .normal
    case "longpoll": form = .longpoll
    case "continuous", "live": form = .continuous
    case "eventsource": form = .eventSource
    default:
      throw Refusal.badRequest(
        "Supported `feed` types: normal, continuous, live, longpoll, eventsource")
    }
    var wanted = ChangesRequest()
    let since = parameters.first("since", "last-event-id") ?? members["since"]?.text
    if let since { wanted.since = try handler.updateSequence(since) }
    wanted.limit = try Self.limit(parameters["limit"] ?? members["limit"]?.text)
    wanted.descending = try parameters.flag("descending")
    wanted.allLeaves = try Self.allLeaves(parameters["style"])
    if try parameters.flag("include_docs") { wanted.documents = try handler.readOptions() }
    designOnly = try Self.filter(&wanted, parameters, members)
    self.wanted = wanted
    heartbeat = try Self.heartbeat(parameters["heartbeat"])
    timeout = try parameters.count("timeout").map { .milliseconds($0) } ?? Self.defaultTimeout
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
      guard let number = Int(text), number > 0 else {
        throw Refusal(400, "query_parse_error", "Invalid heartbeat value.")
      }
      return .milliseconds(number)
    }
  }

  /// Reads the filter; returns whether only design documents are listed.
  private static func filter(
    _ wanted: inout ChangesRequest, _ parameters: QueryParameters, _ members: JSONObject
  ) throws -> Bool {
    switch parameters["filter"] ?? members["filter"]?.stringValue {
    case nil: return false
    case "_design": return true
    case "_doc_ids":
      guard case .array(let ids)? = try members["doc_ids"] ?? parameters.json("doc_ids") else {
        throw Refusal.badRequest("`doc_ids` filter parameter is not a list of doc ids.")
      }
      wanted.ids = ids.compactMap(\.stringValue)
      return false
    case "_selector":
      guard let selector = members["selector"] else {
        throw Refusal.badRequest("Selector must be specified in POST payload")
      }
      wanted.selector = try Selector(selector)
      return false
    case .some(let name) where name.utf8.first == UInt8(ascii: "_") && name != "_view":
      throw Refusal.badRequest("unknown builtin filter name")
    case .some(let name) where name == "_view" || name.contains("/"):
      throw Refusal.notImplemented("Filter functions")
    default:
      throw Refusal.badRequest("`filter` must be of the form `designname/filtername`")
    }
  }

  // MARK: Sending

  var response: HTTPResponse {
    let type = form == .eventSource ? "text/event-stream" : "application/json"
    return HTTPResponse(
      headers: ["Content-Type": type, "Cache-Control": "must-revalidate"],
      body: .stream(length: nil) { writer in
        switch form {
        case .normal, .longpoll: try await sendArray(to: writer)
        case .continuous, .eventSource: try await sendEndlessly(to: writer)
        }
      })
  }

  private func sendArray(to writer: HTTPBodyWriter) async throws {
    try await writer.write("{\"results\":[\n")
    var cursor = Cursor(wanted)
    var isFirst = true
    while true {
      try await sendRows(&cursor) { rows in
        var text: [UInt8] = []
        for row in rows {
          if !isFirst { text += Array(",\n".utf8) }
          isFirst = false
          text += self.json(row).serializedBytes()
        }
        try await writer.write(text)
      }
      // A long poll that found nothing waits for the first change.
      guard form == .longpoll, isFirst, cursor.limit != 0 else { break }
      guard try await waitForChange(after: cursor.since, writer) else { break }
    }
    let pending = try pending(behind: cursor)
    try await writer.write(
      (isFirst ? "" : "\n") + "],\n\"last_seq\":\(text(cursor.since)),\"pending\":\(pending)}\n")
  }

  private func sendEndlessly(to writer: HTTPBodyWriter) async throws {
    var cursor = Cursor(wanted)
    while true {
      try await sendRows(&cursor) { rows in
        var text: [UInt8] = []
        for row in rows { text += self.line(row) }
        try await writer.write(text)
      }
      guard cursor.limit != 0 else { break }
      guard try await waitForChange(after: cursor.since, writer) else { break }
    }
    guard form == .continuous else { return }
    let pending = try pending(behind: cursor)
    try await writer.write("{\"last_seq\":\(text(cursor.since)),\"pending\":\(pending)}\n")
  }

  /// How far a feed came.
  private struct Cursor {
    var since: UpdateSequence
    var limit: Int?

    init(_ wanted: ChangesRequest) {
      since = wanted.since
      limit = wanted.limit
    }
  }

  /// Reads and sends all there is now, page by page.
  private func sendRows(
    _ cursor: inout Cursor, _ send: ([Change]) async throws -> Void
  ) async throws {
    while cursor.limit != 0 {
      try checkReader()
      var request = wanted
      request.since = cursor.since
      request.limit = request.descending ? cursor.limit : min(cursor.limit ?? .max, Self.pageSize)
      let page = try store.changes(request)
      let rows = designOnly ? page.rows.filter { DocumentID.isDesign($0.id) } : page.rows
      if !rows.isEmpty { try await send(rows) }
      cursor.since = page.lastSequence
      if let limit = cursor.limit { cursor.limit = max(limit - rows.count, 0) }
      if page.rows.count < Self.pageSize || request.descending { return }
    }
  }

  /// Waits for a change; false when the feed's time is over.
  ///
  /// Heartbeats go out meanwhile.
  private func waitForChange(
    after sequence: UpdateSequence, _ writer: HTTPBodyWriter
  ) async throws -> Bool {
    let known = sequence.number ?? 0
    guard let heartbeat else {
      return try await watch.wait(after: known, atMost: timeout) == .changed
    }
    while true {
      switch try await watch.wait(after: known, atMost: heartbeat) {
      case .changed: return true
      case .over: return false
      case .timedOut:
        try checkReader()
        try await writer.write(form == .eventSource ? "event: heartbeat\ndata: \n\n" : "\n")
      }
    }
  }

  /// Breaks a feed off whose reader lost the right to read, or the password it showed.
  private func checkReader() throws {
    guard try mayContinue() else {
      throw Refusal(401, "unauthorized", "You are not authorized to access this db.")
    }
  }

  // MARK: Shapes

  private func pending(behind cursor: Cursor) throws -> Int {
    var request = ChangesRequest()
    request.since = cursor.since
    request.limit = 0
    request.descending = wanted.descending
    request.countsPending = true
    return try store.changes(request).pending ?? 0
  }

  private func text(_ sequence: UpdateSequence) -> String { "\"\(sequence)-\(mark)\"" }

  private func json(_ change: Change) -> JSON {
    var members: JSONObject = [
      "seq": .string("\(change.sequence)-\(mark)"), "id": .string(change.id),
      "changes": .array(change.revisions.map { ["rev": .string($0.description)] }),
    ]
    if change.isDeleted { members["deleted"] = true }
    if wanted.documents != nil { members["doc"] = change.document?.json ?? .null }
    return .object(members)
  }

  private func line(_ change: Change) -> [UInt8] {
    let row = json(change).serializedBytes()
    guard form == .eventSource else { return row + [UInt8(ascii: "\n")] }
    return Array("data: ".utf8) + row + Array("\nid: \(text(change.sequence))\n\n".utf8)
  }
}

extension JSON {
  /// A parameter's text: a string as it is, other values as JSON.
  fileprivate var text: String { stringValue ?? serialized() }
}
