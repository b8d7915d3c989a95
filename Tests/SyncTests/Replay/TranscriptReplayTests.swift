import Core
import Foundation
import HTTP
import Sync
import TestSupport
import Testing

/// What CouchDB's own replicator sent to a peer, sent again to a listener: it must get the answers
/// that CouchDB gave, in status, shape and meaning.
@Suite struct TranscriptReplayTests {
  /// Transcripts that are not sent, and why.
  private static let skipped = [
    "pull_filter_function": "filter functions need JavaScript",
    "push_target_refuses_doc": "validation functions need JavaScript",
    "push_partly_present": "what the target had before is not recorded",
  ]

  static var names: [String] {
    get throws { try ReplayFile("replication_transcripts").cases.map(\.name) }
  }

  @Test("every transcript is sent, or named with the reason why not")
  func count() throws {
    let names = try Self.names
    #expect(names.count == 23)
    #expect(Set(Self.skipped.keys).isSubset(of: names))
  }

  @Test(
    "CouchDB's replicator gets from a listener what it gets from CouchDB",
    arguments: try names.filter { skipped[$0] == nil })
  func replay(name: String) async throws {
    let file = try ReplayFile("replication_transcripts")
    let transcript = try #require(file.cases.first { $0.name == name })
    let library = RevisionLibrary(file)
    try await withListener(HTTPReplayServer.prepare) { listener in
      let server = HTTPReplayServer(listener)
      var rules = Self.rules
      if name == "pull_continuous" {
        rules.append(
          ReplayRule(
            reason: "what came while the feed was open is there from its beginning",
            action: .ignoring(["doc_count"])
          ) { $0.path.hasSuffix("/") })
      }
      var replay = HTTPReplay(file, server, rules: rules)
      replay.ignoresNumbers = true
      let database = Self.database(of: transcript)
      let isSource = transcript.json["proxied"] == "source"
      if let database, isSource || name != "push_create_target" {
        try server.create(database)
        try listener.stores.open(database).setSecurity([:])
      }
      if let database, isSource { try await library.seed(database, server) }
      var cookie = ""
      var sequence = ""
      let exchanges = transcript.json["transcript"]?.arrayValue ?? []
      for (index, exchange) in exchanges.enumerated() where exchange["injected"] == nil {
        // What a feed names was there when its run began: after the checkpoint of the one before.
        let begins = index > 0 && Self.isCheckpoint(exchanges[index - 1])
        if let database, isSource, begins || !Self.rows(of: exchange).isEmpty {
          let next = exchanges[index...].lazy.map { Self.rows(of: $0) }.first { !$0.isEmpty } ?? []
          for row in next { try await library.write(row, database, server) }
        }
        let sent = Self.prepared(exchange, cookie: cookie, sequence: sequence)
        guard let answer = try await replay.play(sent) else { continue }
        if let line = answer.headers["Set-Cookie"], let set = SetCookie(parsing: line) {
          cookie = set.value
        }
        sequence = answer.json?["last_seq"]?.stringValue ?? sequence
      }
      #expect(replay.outcome.applied > 0)
    }
  }

  private static var rules: [ReplayRule] {
    [
      ReplayRule(
        reason: "a number of the database, not its time",
        action: .ignoring(["instance_start_time"])
      ) { $0.path.hasSuffix("_ensure_full_commit") },
      ReplayRule(
        reason: "pending does not count what a filter passed over", action: .ignoring(["pending"])
      ) { $0.path.contains("_changes") },
      ReplayRule(reason: "apache/pouchdb#3942: revpos is never 0", action: .ignoring(["revpos"])) {
        _ in true
      },
    ]
  }

  /// The database of a transcript; nil for one that is not to be there.
  private static func database(of transcript: ReplayCase) -> String? {
    let names = (transcript.json["transcript"]?.arrayValue ?? []).compactMap { exchange in
      exchange["request"]?["path"]?.stringValue?.split(separator: "/").first.map(String.init)
    }
    return names.first { $0.hasPrefix("vec_rep") }
  }

  private static func isCheckpoint(_ exchange: JSON) -> Bool {
    exchange["request"]?["method"] == "PUT"
      && exchange["request"]?["path"]?.stringValue?.contains("/_local/") == true
  }

  /// The rows of a recorded feed.
  private static func rows(of exchange: JSON) -> [JSON] {
    guard exchange["request"]?["path"]?.stringValue?.contains("_changes") == true else { return [] }
    return ReplayCase(exchange).feedOrBody?["results"]?.arrayValue ?? []
  }

  /// An exchange as a case: without what belongs to its connection, with what is ours put in.
  private static func prepared(_ exchange: JSON, cookie: String, sequence: String) -> ReplayCase {
    var request = exchange["request"] ?? .null
    request["auth"] = "none"
    var headers = request["headers"]?.objectValue ?? [:]
    headers["Content-Length"] = nil
    if headers["Cookie"] != nil { headers["Cookie"] = .string("AuthSession=\(cookie)") }
    if headers["Authorization"] != nil {
      let own = BasicCredentials(user: "admin", password: testPassword("admin"))
      headers["Authorization"] = .string(own.authorization)
    }
    request["headers"] = .object(headers)
    if let text = request["body_text"]?.stringValue {
      request["body_text"] = .string(
        text.replacingOccurrences(of: "REDACTED", with: testPassword("admin")))
    }
    let path = request["path"]?.stringValue ?? ""
    request["path"] = .string(path.replacing(/\d+-SEQ/) { _ in sequence })
    var response = exchange["response"] ?? .null
    if path.contains("feed=continuous"), let text = response["body_text"]?.stringValue {
      response["lines"] = .array(text.components(separatedBy: "\n").map { .string($0) })
      response["server_closed"] = false
      response["body_text"] = nil
    }
    let number = exchange["n"]?.integerValue ?? 0
    return ReplayCase([
      "name": .string("\(number) \(request["method"]?.stringValue ?? "") \(path)"),
      "request": request, "response": response,
    ])
  }
}

/// The revisions that the replicator moved in any transcript, as it wrote them to its targets.
private struct RevisionLibrary {
  private var writes: [String: JSON] = [:]
  private var first: [JSON] = []

  init(_ file: ReplayFile) {
    for transcript in file.cases {
      for exchange in transcript.json["transcript"]?.arrayValue ?? [] {
        guard let request = exchange["request"] else { continue }
        for case .object(let document) in request["body"]?["docs"]?.arrayValue ?? [] {
          guard let key = Self.key(document["_id"], document["_rev"]) else { continue }
          writes[key] = [
            "method": "POST", "path": "_bulk_docs",
            "body": ["new_edits": false, "docs": [.object(document)]],
          ]
        }
        if request["method"] == "PUT" { note(request) }
        for result in exchange["response"]?["body"]?["results"]?.arrayValue ?? [] {
          for case .object(let document)? in (result["docs"]?.arrayValue ?? []).map({ $0["ok"] }) {
            noteRead(document)
          }
        }
        if transcript.name == "pull", request["path"]?.stringValue?.contains("_changes") == true {
          first = exchange["response"]?["body"]?["results"]?.arrayValue ?? []
        }
      }
    }
  }

  /// Keeps a `PUT ?new_edits=false`, by the document in it.
  private mutating func note(_ request: JSON) {
    var document = request["body"]
    if let text = request["body_base64"]?.stringValue, let data = Data(base64Encoded: text),
      let start = data.firstIndex(of: UInt8(ascii: "{"))
    {
      let end = data[start...].firstRange(of: Data("\r\n--".utf8))?.lowerBound ?? data.endIndex
      document = try? JSON(parsing: [UInt8](data[start..<end]))
    }
    guard let key = Self.key(document?["_id"], document?["_rev"]),
      let path = request["path"]?.stringValue, !path.contains("_local")
    else { return }
    var write = request
    write["path"] = .string(
      path.split(separator: "/", omittingEmptySubsequences: true).dropFirst().joined(
        separator: "/"))
    writes[key] = write
  }

  /// Keeps a document that was read, if no target was sent it.
  private mutating func noteRead(_ document: JSONObject) {
    guard let key = Self.key(document["_id"], document["_rev"]), writes[key] == nil else { return }
    writes[key] = [
      "method": "POST", "path": "_bulk_docs",
      "body": ["new_edits": false, "docs": [.object(document)]],
    ]
  }

  private static func key(_ id: JSON?, _ revision: JSON?) -> String? {
    guard let id = id?.stringValue, let revision = revision?.stringValue else { return nil }
    return "\(id) \(revision)"
  }

  /// Writes the documents that every source had at first.
  func seed(_ database: String, _ server: HTTPReplayServer) async throws {
    for row in first { try await write(row, database, server) }
  }

  /// Writes the revisions of a feed's row.
  func write(_ row: JSON, _ database: String, _ server: HTTPReplayServer) async throws {
    for change in row["changes"]?.arrayValue ?? [] {
      guard let key = Self.key(row["id"], change["rev"]), var request = writes[key] else {
        continue
      }
      request["path"] = .string("/\(database)/\(request["path"]?.stringValue ?? "")")
      request["auth"] = nil
      var headers = request["headers"]?.objectValue ?? [:]
      headers["Cookie"] = nil
      headers["Authorization"] = nil
      headers["Content-Length"] = nil
      request["headers"] = .object(headers)
      let answer = try await server.send(ReplayCase(["request": request]), whileOpen: nil) { $0 }
      #expect(answer.status == 201, "\(key)")
    }
  }
}

extension ReplayCase {
  /// The answer of a feed in either form, as the object that a normal feed sends.
  var feedOrBody: JSON? {
    if let feed { return feed }
    guard body?["results"] == nil, let text = response["body_text"]?.stringValue else {
      return body
    }
    let lines = text.components(separatedBy: "\n").map { JSON.string($0) }
    return ReplayCase(["response": ["lines": .array(lines)]]).feed
  }
}
