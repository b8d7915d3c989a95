import Core
import HTTP

/// One changes feed on its way to a client, read and sent page by page: however long it is, only a
/// page is in memory.
struct ChangesFeed: Sendable {
  let store: LocalStore
  let watch: ChangeWatch
  let wanted: ChangesParameters
  /// Whether the reader may go on reading.
  let mayContinue: @Sendable () throws -> Bool

  /// Changes looked at together: fewer when each brings a document, or its attachments' bytes, so
  /// that neither memory nor the pause between two heartbeats grows.
  private var pageSize: Int {
    guard let options = wanted.request.documents else {
      return wanted.request.selector == nil ? 1_000 : 200
    }
    return options.attachmentBytes ? 20 : 200
  }

  var response: HTTPResponse {
    let isStream = wanted.form == .eventSource
    return HTTPResponse(
      headers: [
        "Content-Type": isStream ? "text/event-stream" : "application/json",
        "Cache-Control": isStream ? "no-cache" : "must-revalidate",
      ],
      body: .stream(length: nil) { writer in
        let sender = Sender(feed: self, writer: writer)
        switch wanted.form {
        case .normal, .longpoll: try await sender.sendArray()
        case .continuous, .eventSource: try await sender.sendEndlessly()
        }
      })
  }

  /// How far a feed came.
  private struct Cursor {
    var since: UpdateSequence
    /// Where the next page of a descending feed begins.
    var before: UpdateSequence?
    var limit: Int?
    var rowCount = 0
    /// Nothing was behind the last page when it was read.
    var isComplete = false
  }

  /// Writes a feed.
  private struct Sender {
    let feed: ChangesFeed
    let writer: HTTPBodyWriter
    let mark: String

    init(feed: ChangesFeed, writer: HTTPBodyWriter) {
      self.feed = feed
      self.writer = writer
      mark = String(feed.store.identity.prefix(8))
    }

    private var wanted: ChangesParameters { feed.wanted }

    private var start: Cursor {
      Cursor(since: wanted.request.since, limit: wanted.request.limit)
    }

    func sendArray() async throws {
      try await writer.write("{\"results\":[\n")
      var cursor = start
      try await sendRows(&cursor)
      // A long poll that found nothing waits for the first change.
      while wanted.form == .longpoll, cursor.rowCount == 0, cursor.limit != 0 {
        guard try await waitForChange(after: cursor.since) else { break }
        try await sendRows(&cursor)
      }
      let end = try end(cursor)
      try await writer.write((cursor.rowCount == 0 ? "" : "\n") + "],\n" + end + "}\n")
    }

    func sendEndlessly() async throws {
      var cursor = start
      try await sendRows(&cursor)
      while cursor.limit != 0, try await waitForChange(after: cursor.since) {
        try await sendRows(&cursor)
      }
      guard wanted.form == .continuous else { return }
      try await writer.write("{" + (try end(cursor)) + "}\n")
    }

    /// The members that end a feed.
    private func end(_ cursor: Cursor) throws -> String {
      let descending = wanted.request.descending
      let pending =
        cursor.isComplete
        ? 0 : try feed.store.pendingChanges(behind: cursor.since, descending: descending)
      return "\"last_seq\":\"\(cursor.since)-\(mark)\",\"pending\":\(pending)"
    }

    /// Reads and sends all there is now, page by page.
    private func sendRows(_ cursor: inout Cursor) async throws {
      var request = wanted.request
      request.scanLimit = feed.pageSize
      var lastSent = ContinuousClock.now
      while cursor.limit != 0 {
        try checkReader()
        request.since = cursor.since
        request.before = cursor.before
        request.limit = cursor.limit
        let page = try feed.store.changes(request)
        let rows =
          wanted.designOnly ? page.rows.filter { DocumentID.isDesign($0.id) } : page.rows
        if !rows.isEmpty { try await send(rows, &cursor) }
        if request.descending {
          // A feed from the end goes on below its last change.
          if !page.isComplete || !page.rows.isEmpty { cursor.since = page.lastSequence }
          cursor.before = page.lastSequence
        } else {
          cursor.since = page.lastSequence
        }
        if let limit = cursor.limit { cursor.limit = max(limit - rows.count, 0) }
        cursor.isComplete = page.isComplete
        if page.isComplete { return }
        // A filter that lets nothing pass must not look like a dead connection.
        let now = ContinuousClock.now
        if !rows.isEmpty {
          lastSent = now
        } else if let heartbeat = wanted.heartbeat, now - lastSent >= heartbeat {
          try await beat()
          lastSent = now
        }
      }
    }

    /// Waits for a change; false when the feed's time is over.
    ///
    /// Heartbeats go out meanwhile.
    private func waitForChange(after sequence: UpdateSequence) async throws -> Bool {
      let known = sequence.number ?? 0
      // Tells the client that all there is has come, as CouchDB does.
      try await writer.write("\n")
      guard let heartbeat = wanted.heartbeat else {
        return try await feed.watch.wait(after: known, atMost: wanted.timeout) == .changed
      }
      while true {
        switch try await feed.watch.wait(after: known, atMost: heartbeat) {
        case .changed: return true
        case .over: return false
        case .timedOut:
          try checkReader()
          try await beat()
        }
      }
    }

    private func beat() async throws {
      try await writer.write(
        wanted.form == .eventSource ? "event: heartbeat\ndata: \n\n" : "\n")
    }

    /// Breaks a feed off whose reader lost the right to read, or the password it showed.
    private func checkReader() throws {
      guard try feed.mayContinue() else {
        throw Refusal(401, "unauthorized", "You are not authorized to access this db.")
      }
    }

    // MARK: Rows

    private func send(_ rows: [Change], _ cursor: inout Cursor) async throws {
      let isArray = wanted.form == .normal || wanted.form == .longpoll
      var text = ByteBuffer(capacity: 1 << 14)
      for row in rows {
        if isArray, cursor.rowCount > 0 { text.append(",\n") }
        if wanted.form == .eventSource { text.append("data: ") }
        let hasSequence = cursor.rowCount % wanted.sequenceInterval == 0
        try append(row, hasSequence: hasSequence, to: &text)
        switch wanted.form {
        case .normal, .longpoll: break
        case .continuous: text.append("\n")
        case .eventSource: text.append("\nid: \"\(row.sequence)-\(mark)\"\n\n")
        }
        cursor.rowCount += 1
      }
      try await writer.write(text.bytes())
    }

    private func append(
      _ change: Change, hasSequence: Bool, to text: inout ByteBuffer
    ) throws {
      text.append(hasSequence ? "{\"seq\":\"\(change.sequence)-\(mark)\"" : "{\"seq\":null")
      text.append(",\"id\":")
      text.appendJSONString(change.id)
      text.append(",\"changes\":[")
      for (index, revision) in change.revisions.enumerated() {
        text.append(index == 0 ? "{\"rev\":\"\(revision)\"}" : ",{\"rev\":\"\(revision)\"}")
      }
      text.append(change.isDeleted ? "],\"deleted\":true" : "]")
      if wanted.request.documents != nil {
        text.append(",\"doc\":")
        let document = try change.document?.expanded()
        if let projection = wanted.projection, let json = document?.json {
          text.append(projection.apply(to: json).serializedBytes())
        } else {
          text.append(document?.jsonBytes ?? Array("null".utf8))
        }
      }
      text.append("}")
    }
  }
}
