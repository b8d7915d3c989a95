public import Core
import HTTP

extension RemoteStore {
  /// Lists documents by their last change.
  ///
  /// A feed that the server cuts short gives the rows that came, and `pending` is not 0.
  public func changes(_ request: ChangesRequest) async throws -> ChangesPage {
    try await feed(request, [("feed", "normal")])
  }

  /// Waits for a change after a sequence; false when the time is over.
  public func waitForChange(
    after sequence: UpdateSequence, milliseconds: Int
  ) async throws -> Bool {
    var request = ChangesRequest()
    request.since = sequence
    request.limit = 1
    let page = try await feed(
      request, [("feed", "longpoll"), ("timeout", String(milliseconds))],
      waiting: .milliseconds(milliseconds))
    return !page.rows.isEmpty
  }

  private func feed(
    _ request: ChangesRequest, _ form: [(name: String, value: String)],
    waiting: Duration = .zero
  ) async throws -> ChangesPage {
    var call = RemoteConnection.Call(segments: ["_changes"], query: form)
    call.query.append(
      ("since", request.since.json.stringValue ?? request.since.json.serialized()))
    if let limit = request.limit { call.query.append(("limit", String(limit))) }
    if request.descending { call.query.append(("descending", "true")) }
    if request.allLeaves { call.query.append(("style", "all_docs")) }
    if let options = request.documents {
      call.query.append(("include_docs", "true"))
      call.query += Self.parameters(options)
    }
    var timeouts = HTTPClient.Timeouts()
    // Servers may take long to look through a large feed before the first byte.
    timeouts.idle = waiting + .seconds(90)
    call.timeouts = timeouts
    Self.filter(request, &call)
    let wanted = call
    return try await rethrowing {
      let response = try await connection.send(wanted)
      return try await ChangesAnswer(response.body, url: response.url).page
    }
  }

  private static func filter(_ request: ChangesRequest, _ call: inout RemoteConnection.Call) {
    if let ids = request.ids {
      call.query.append(("filter", "_doc_ids"))
      call.body = .json(["doc_ids": .array(ids.map { .string($0) })])
    } else if let selector = request.selector {
      call.query.append(("filter", "_selector"))
      call.body = .json(["selector": selector.json])
    } else if let filter = request.filter {
      call.query.append(("filter", filter.name))
      for (name, value) in filter.parameters.sorted(by: { utf8Less($0.key, $1.key) }) {
        call.query.append((name, value))
      }
    }
    if case .none = call.body { return }
    call.method = .post
  }
}
