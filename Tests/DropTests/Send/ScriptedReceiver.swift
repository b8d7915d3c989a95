import Core
import HTTP
import Synchronization

@testable import Drop

/// Plays a receiver's routes for tests of senders, keeps what arrives in memory, and can misbehave.
final class ScriptedReceiver: Sendable {
  /// A file as it arrived.
  struct File: Sendable {
    var document: JSONObject
    var bytes: [UInt8] = []
    var isSaved = false
    var patches = 0

    var name: String { document["name"]?.stringValue ?? "" }
    var size: Int { Int(document["size"]?.integerValue ?? -1) }
  }

  /// What the receiver does beside the usual.
  struct Script: Sendable {
    /// How often it says that its person is being asked.
    var asking = 0
    /// Names of files that it does not want.
    var refused: Set<String> = []
    /// Answers a PATCH in place of the receiver.
    var patch: @Sendable (File, HTTPRequest) -> HTTPResponse? = { _, _ in nil }
    /// Whether it knows requests of several files.
    var takesTogether = true
    /// How it answers when the sender is finished.
    var done = 204
    /// What it says it has saved.
    var receipt: @Sendable (JSON) -> JSON = { $0 }
  }

  private struct State {
    var files: [UTF8Key: File] = [:]
    var order: [UTF8Key] = []
    var script: Script
    var requests: [String] = []
    var bulks = 0
    var body: Int = 0
    var isDone = false
  }

  let token: DropToken
  let identity: TLSIdentity
  private let state: Mutex<State>
  private let server = Mutex<HTTPServer?>(nil)

  init(token: DropToken = .random(), _ script: Script = Script()) throws {
    self.token = token
    identity = try TLSIdentity.selfSigned(commonName: "tote", addresses: ["127.0.0.1"])
    state = Mutex(State(script: script))
    try start(port: 0)
  }

  /// Listens again, on the same port.
  func start(port: UInt16) throws {
    var options = HTTPServer.Options()
    options.identity = identity
    options.port = port
    options.limits.connectionMemory = 1 << 20
    let started = try HTTPServer(options) { [weak self] request in
      await self?.answer(request) ?? HTTPResponse(status: 500)
    }
    server.withLock { $0 = started }
  }

  func stop() async {
    let running = server.withLock { server in
      defer { server = nil }
      return server
    }
    await running?.stop(draining: .zero)
  }

  var port: UInt16 { server.withLock { $0?.port ?? 0 } }

  func ticket(port: UInt16? = nil) -> DropTicket {
    DropTicket(
      addresses: ["127.0.0.1"], port: port ?? self.port, token: token, pin: identity.pin)
  }

  /// The files by their names.
  var files: [File] { state.withLock { state in state.order.compactMap { state.files[$0] } } }

  func file(_ name: String) -> File? { files.first { utf8Equal($0.name, name) } }

  /// Methods and paths, in order, ids left out.
  var requests: [String] { state.withLock(\.requests) }
  /// Requests that brought documents.
  var bulks: Int { state.withLock(\.bulks) }
  /// Bytes of files that arrived.
  var bodyBytes: Int { state.withLock(\.body) }
  var isDone: Bool { state.withLock(\.isDone) }

  // MARK: Answers

  private func answer(_ request: HTTPRequest) async -> HTTPResponse {
    let credentials = request.basicCredentials
    guard credentials?.user == DropToken.user, credentials?.password == token.text else {
      return HTTPResponse(status: 401)
    }
    let segments = request.segments
    let route = "\(request.method.rawValue) \(segments.map { $0.count > 30 ? "ID" : $0 })"
    state.withLock { $0.requests.append(route) }
    switch (request.method, segments.first, segments.count) {
    case (.get, "", 1): return json(["couchdb": "Welcome", "version": "3"])
    case (.get, "drop", 1), (.head, "drop", 1):
      return json(["db_name": "drop", "update_seq": 0, "instance_start_time": "0"])
    case (.get, "drop", 3) where segments[1] == "_local":
      return json(["error": "not_found", "reason": "missing"], status: 404)
    case (.put, "drop", 3) where segments[1] == "_local":
      return json(["ok": true, "id": "_local/x", "rev": "0-1"], status: 201)
    case (.post, "drop", 2) where segments[1] == "_files": return await together(request)
    case (.post, "drop", 2): return await write(request, segments[1])
    case (.head, "drop", 3): return head(UTF8Key(segments[1]))
    case (.patch, "drop", 3): return await patch(UTF8Key(segments[1]), request)
    case (.post, token.text, 2):
      state.withLock { $0.isDone = true }
      return HTTPResponse(status: state.withLock(\.script.done))
    default: return HTTPResponse(status: 404)
    }
  }

  private func json(_ json: JSON, status: Int = 200) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: ["Content-Type": "application/json"], body: json.serializedBytes())
  }

  private func write(_ request: HTTPRequest, _ route: String) async -> HTTPResponse {
    guard let bytes = try? await request.body.collect(upTo: 64 << 20),
      let body = try? JSON(parsing: bytes)
    else { return HTTPResponse(status: 400) }
    switch route {
    case "_revs_diff":
      var answer = JSONObject()
      state.withLock { state in
        for (id, revisions) in body.objectValue ?? [:] where state.files[UTF8Key(id)] == nil {
          answer[id] = ["missing": revisions]
        }
      }
      return json(.object(answer))
    case "_bulk_docs":
      state.withLock { state in
        state.bulks += 1
        for case .object(let document) in body["docs"]?.arrayValue ?? [] {
          let id = UTF8Key(document["_id"]?.stringValue ?? "")
          if state.files[id] == nil { state.order.append(id) }
          state.files[id] = File(document: document)
        }
      }
      return json([], status: 201)
    case "_ensure_full_commit": return json(["ok": true], status: 201)
    default: return HTTPResponse(status: 404)
    }
  }

  private func head(_ id: UTF8Key) -> HTTPResponse {
    state.withLock { state in
      guard let file = state.files[id] else { return HTTPResponse(status: 404) }
      var word = file.isSaved ? "saved" : "open"
      if state.script.refused.contains(file.name) { word = "refused" }
      if state.script.asking > 0 {
        state.script.asking -= 1
        word = "asking"
      }
      return HTTPResponse(headers: [
        "Upload-Offset": "\(file.bytes.count)", "Upload-Length": "\(file.size)",
        "Upload-State": word,
      ])
    }
  }

  private func patch(_ id: UTF8Key, _ request: HTTPRequest) async -> HTTPResponse {
    let offset = request.query["offset"].flatMap { Int($0) } ?? 0
    let (file, script) = state.withLock { state in
      state.files[id]?.patches += 1
      return (state.files[id], state.script)
    }
    guard let file else { return HTTPResponse(status: 404) }
    if let answer = script.patch(file, request) { return answer }
    if script.refused.contains(file.name) { return refusal(file, "refused") }
    if file.isSaved { return refusal(file, "saved") }
    guard offset == file.bytes.count else { return refusal(file, "open") }
    do {
      for try await chunk in request.body {
        state.withLock { state in
          state.files[id]?.bytes += chunk
          state.body += chunk.count
        }
      }
    } catch {
      return HTTPResponse(status: 400)
    }
    return finish(id, request.query["sha256"], script)
  }

  private func together(_ request: HTTPRequest) async -> HTTPResponse {
    guard state.withLock(\.script.takesTogether) else { return HTTPResponse(status: 404) }
    var rows: [JSON] = []
    var parts = UploadParts(request.body)
    do {
      while let part = try await parts.next() {
        let path = "/drop/\(part.id)/file?offset=0&sha256=\(part.sha256)"
        let single = try HTTPRequest(method: .patch, target: path, body: HTTPBody(part.bytes))
        rows.append(row(of: await patch(UTF8Key(part.id), single)))
      }
    } catch {
      return HTTPResponse(status: 400)
    }
    return json(["files": .array(rows)])
  }

  private func row(of answer: HTTPResponse) -> JSON {
    var row = JSONObject()
    if case .bytes(let bytes) = answer.body, let json = try? JSON(parsing: bytes) {
      row = json.objectValue ?? row
    }
    row["status"] = .integer(Int64(answer.status))
    if let state = answer.headers["Upload-State"] { row["state"] = .string(state) }
    if let offset = answer.headers["Upload-Offset"].flatMap({ Int64($0) }) {
      row["offset"] = .integer(offset)
    }
    return .object(row)
  }

  private func refusal(_ file: File, _ word: String) -> HTTPResponse {
    HTTPResponse(
      status: 409, headers: ["Upload-Offset": "\(file.bytes.count)", "Upload-State": word])
  }

  private func finish(_ id: UTF8Key, _ digest: String?, _ script: Script) -> HTTPResponse {
    state.withLock { state in
      guard let file = state.files[id] else { return HTTPResponse(status: 404) }
      guard file.bytes.count >= file.size else {
        return HTTPResponse(status: 204, headers: ["Upload-Offset": "\(file.bytes.count)"])
      }
      var hash = SHA256()
      hash.update(file.bytes)
      let found = hexadecimal(hash.finish())
      guard let digest, digest == found else {
        state.files[id]?.bytes = []
        return json(["error": "digest_mismatch", "reason": "the digest differs"], status: 422)
      }
      state.files[id]?.isSaved = true
      return json(
        script.receipt([
          "name": .string(file.name), "size": .integer(Int64(file.size)), "sha256": .string(found),
        ]))
    }
  }
}
