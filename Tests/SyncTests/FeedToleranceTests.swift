import Core
import HTTP
import Synchronization
import TestSupport
import Testing

@testable import Sync

/// What a client must tolerate of a changes feed.
@Suite struct FeedToleranceTests {
  /// Changes the answers of `_changes`.
  private func pull(
    _ count: Int = 7, _ change: @escaping @Sendable (inout ScriptedPeer.Response) -> Void
  ) async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.store, count: count)
      world.peer.script { request in
        request.route.hasSuffix("_changes") ? .edit(change) : .forward
      }
      let report = try await world.pull()
      #expect(report.written == count && report.failureCount == 0)
      #expect(try leaves(world.local) == leaves(world.store))
    }
  }

  @Test("rows without line ends between them")
  func noLineEnds() async throws {
    try await pull { $0.text = $0.text.filter { $0 != "\n" } }
  }

  @Test("commas at the beginnings of lines")
  func leadingCommas() async throws {
    try await pull { response in
      var text = ""
      for (index, line) in response.text.split(separator: "\n").enumerated() {
        text += index > 1 && line.hasPrefix("{") ? ",\(line)\n" : "\(line)\n"
      }
      response.text = text.replacing(",\n", with: "\n")
    }
  }

  @Test("a comma after the last row, as some proxies and old servers leave it")
  func trailingComma() async throws {
    try await pull { $0.text = $0.text.replacing("}]}\n]", with: "}]},\n]") }
  }

  @Test("empty lines, as heartbeats are, anywhere between rows")
  func heartbeats() async throws {
    try await pull { $0.text = "\n\n" + $0.text.replacing(",\n", with: ",\n\n\n") + "\n" }
  }

  @Test("no 'pending'")
  func noPending() async throws {
    try await pull { response in
      response.text = response.text.replacing(#/,"pending":\d+/#, with: "")
    }
  }

  @Test("no 'last_seq': the last row's sequence counts")
  func noLastSequence() async throws {
    try await pull { response in
      response.text = response.text.replacing(#/"last_seq":"[^"]*",/#, with: "")
    }
  }

  @Test("couchdb: rows repeated after a failover")
  func repeatedRows() async throws {
    try await pull { response in
      let lines = response.text.split(separator: "\n").map(String.init)
      let rows = lines.filter { $0.hasPrefix("{\"seq\"") }.map { $0.trimmingSuffix(",") }
      let all = (rows + rows.reversed() + rows).joined(separator: ",\n")
      response.text = "{\"results\":[\n\(all)\n],\n\(lines.last ?? "")"
    }
  }

  @Test("Sync Gateway: users among the documents")
  func pseudoDocuments() async throws {
    try await pull { response in
      response.text = response.text.replacing(
        "{\"results\":[\n",
        with: "{\"results\":[\n{\"seq\":1,\"id\":\"_user/joe\",\"changes\":[]},\n")
    }
  }

  @Test("an answer in gzip")
  func gzip() async throws {
    try await pull(60) { response in
      guard response["Content-Encoding"] == nil,
        let small = try? GzipEncoder.encode(response.body)
      else { return }
      response.body = small
      response["Content-Encoding"] = "gzip"
    }
  }

  @Test("an empty feed without rows and without line ends")
  func emptyFeed() async throws {
    try await PeerWorld.run { (world) async throws in
      world.peer.script {
        $0.route.hasSuffix("_changes")
          ? .answer(ScriptedPeer.Response(200, #"{"results":[],"last_seq":0}"#)) : .forward
      }
      #expect(try await world.pull().checked == 0)
    }
  }

  /// Sequences in another form; what the client sends back is turned round again.
  @Test(
    "pouchdb#5272, #3220: sequences may be numbers, strings and arrays, and differ each time",
    arguments: ["number", "string", "array", "array as text", "object"])
  func sequences(_ form: String) async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.store, count: 25)
      world.peer.script { request in
        guard request.route.hasSuffix("_changes") else { return .forward }
        let number = request.number
        // Whatever came back holds the number after a mark.
        let query = request.query.split(separator: "&").map { part -> String in
          guard part.hasPrefix("since="), part != "since=0" else { return String(part) }
          let digits = part.dropFirst(6).split { !$0.isNumber }.map(String.init)
          return "since="
            + (digits.first { $0.hasPrefix("900") }.map { "\($0.dropFirst(3))" } ?? "0")
        }
        let target = request.path + "?" + query.joined(separator: "&")
        return .replace(request.with(target: target)) { response in
          response.text = response.text.replacing(#/seq":"(\d+)-[0-9a-f]+"/#) { match in
            let value = "900\(match.1)"
            switch form {
            case "number": return "seq\":\(value)"
            case "string": return "seq\":\"\(value)-x\(number)\""
            case "array": return "seq\":[\(value),\"opaque \(number)&+=/?%\"]"
            case "array as text": return "seq\":\"[\(value), \\\"x\\\"]\""
            default: return "seq\":{\"n\":\(value),\"at\":\(number)}"
            }
          }
        }
      }
      var options = ReplicationOptions()
      options.batchSize = 10
      #expect(try await world.pull(options).written == 25)
      #expect(try leaves(world.local) == leaves(world.store))
      try write("new", "x", to: world.store)
      let second = try await world.pull(options)
      #expect(second.checked == 1 && second.written == 1)
    }
  }

  @Test("a feed cut in the middle goes on behind the last whole row", arguments: [200, 900, 1_500])
  func cut(_ bytes: Int) async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.store, count: 40)
      world.peer.script {
        $0.route.hasSuffix("_changes") && $0.number == 1 ? .cut(after: bytes) : .forward
      }
      #expect(try await world.pull().written == 40)
      #expect(try leaves(world.local) == leaves(world.store))
      #expect(world.pauses.seconds.withLock { $0.isEmpty })
    }
  }

  @Test("a feed that is no JSON is asked for again, and then fails with the address")
  func garbage() async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.store, count: 3)
      let page = ScriptedPeer.Response(200, "<html>please log in</html>", type: "text/html")
      world.peer.script { request in
        request.route.hasSuffix("_changes") && request.number < 3 ? .answer(page) : .forward
      }
      #expect(try await world.pull().written == 3)
      world.peer.script { $0.route.hasSuffix("_changes") ? .answer(page) : .forward }
      await #expect(throws: RemoteError.self) { try await world.pull() }
    }
  }

  @Test("couchdb#1070: a filtered run records the feed's last sequence, not the last match")
  func filteredTail() async throws {
    try await PeerWorld.run { (world) async throws in
      try write("wanted", "yes", to: world.store)
      try fill(world.store, count: 30)
      var options = ReplicationOptions()
      options.selector = try Selector(["text": "yes"])
      #expect(try await world.pull(options).written == 1)
      world.peer.forget()
      #expect(try await world.pull(options).checked == 0)
      #expect(world.peer.requests.contains { $0.query.contains("since=31-") })
    }
  }

  @Test("a filter of a design document goes to the source, with its parameters, encoded")
  func designFilter() async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.store, count: 3)
      world.peer.script { request in
        guard request.query.contains("filter=app%2Fmine") else { return .forward }
        let plain = request.query.split(separator: "&")
          .filter { !$0.hasPrefix("filter") && !$0.hasPrefix("who") }
        return .replace(
          request.with(target: request.path + "?" + plain.joined(separator: "&"))
        ) { _ in }
      }
      var options = ReplicationOptions()
      options.filter = DesignFilter(name: "app/mine", parameters: ["who": "a&b é"])
      #expect(try await world.pull(options).written == 3)
      #expect(world.peer.requests.contains { $0.query.contains("who=a%26b%20%C3%A9") })
      await #expect(throws: StoreError.self) { try await world.push(options) }
    }
  }

  @Test("pouchdb#3578: deletions move along with a selector when they are asked for")
  func tombstonesWithSelector() async throws {
    try await PeerWorld.run { (world) async throws in
      let first = try write("a", "yes", to: world.store)
      var options = ReplicationOptions()
      options.selector = try Selector(["text": "yes"])
      try await world.pull(options)
      try world.store.delete("a", revision: first)
      try await world.pull(options)
      #expect(throws: Never.self) { try world.local.document("a") }
      options.movesEveryTombstone = true
      try await world.pull(options)
      #expect(throws: StoreError.documentNotFound(id: "a", .deleted)) {
        try world.local.document("a")
      }
    }
  }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}
