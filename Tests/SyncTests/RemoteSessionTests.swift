import Core
import HTTP
import Synchronization
import TestSupport
import Testing

@testable import Sync

/// Sessions, tokens and Basic authentication of a client.
@Suite struct RemoteSessionTests {
  private static let joe = RemoteCredentials.password(user: "joe", password: "s:e@c/r%t ü")

  /// Gives cookies `c1`, `c2`, …; other requests need the newest one.
  private final class Sessions: Sendable {
    let newest = Mutex(0)

    func answer(
      _ request: ScriptedPeer.Request, expiry: (Int, String) = (401, "unauthorized")
    ) -> ScriptedPeer.Action {
      guard request.route == "POST _session" else {
        let cookie = "AuthSession=c\(newest.withLock { $0 })"
        return request.header("cookie") == cookie ? .forward : .error(expiry.0, expiry.1)
      }
      let number = newest.withLock { number in
        number += 1
        return number
      }
      let cookie = "AuthSession=c\(number); Version=1; Path=/; HttpOnly"
      return .answer(
        ScriptedPeer.Response(
          200, #"{"ok":true,"name":"joe","roles":[]}"#, headers: [("Set-Cookie", cookie)]))
    }
  }

  @Test("a password is changed into a cookie once, whatever is asked at the same time")
  func oneLogin() async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.store, count: 3)
      let sessions = Sessions()
      world.peer.script { sessions.answer($0) }
      let remote = try world.remote(Self.joe)
      _ = try await concurrently(Array(0..<8), limit: 8) {
        try await remote.document("d\($0 % 3)", ReadOptions())
      }
      #expect(world.peer.count("POST _session") == 1)
      let login = try #require(world.peer.requests.first { $0.route == "POST _session" })
      #expect(try JSON(parsing: login.body)["password"]?.stringValue == "s:e@c/r%t ü")
      #expect(!world.peer.requests.contains { $0.header("authorization") != nil })
    }
  }

  @Test(
    "a session that ran out is renewed once",
    arguments: [(401, "unauthorized"), (403, "credentials_expired")])
  func renewal(_ status: Int, _ error: String) async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.store, count: 1)
      let sessions = Sessions()
      world.peer.script { sessions.answer($0, expiry: (status, error)) }
      let remote = try world.remote(Self.joe)
      _ = try await remote.document("d0", ReadOptions())
      sessions.newest.withLock { $0 = 7 }
      _ = try await remote.document("d0", ReadOptions())
      #expect(world.peer.count("POST _session") == 2)
      // What no session helps against is told.
      world.peer.script { request in
        request.route == "POST _session"
          ? sessions.answer(request) : .error(status, error)
      }
      await #expect(throws: RemoteError.self) { try await remote.document("d0", ReadOptions()) }
      #expect(world.peer.count("POST _session") == 3)
    }
  }

  @Test("a session is renewed before it runs out", arguments: [nil, 100] as [Int?])
  func renewalAhead(_ life: Int?) async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.store, count: 1)
      world.peer.script { request in
        guard request.route == "POST _session" else { return .forward }
        let age = life.map { "; Max-Age=\($0)" } ?? ""
        return .answer(
          ScriptedPeer.Response(200, headers: [("Set-Cookie", "AuthSession=x\(age); Path=/")]))
      }
      let remote = try world.remote(Self.joe)
      let seconds = Double(life ?? 600)
      for (skip, logins) in [(0.0, 1), (seconds * 0.8, 1), (seconds * 0.15, 2)] {
        world.pauses.skip(skip)
        _ = try await remote.document("d0", ReadOptions())
        #expect(world.peer.count("POST _session") == logins)
      }
    }
  }

  @Test("couchdb#5066, #5540: cookies of any answer are taken, foreign ones are not")
  func adoptedCookies() async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.store, count: 1)
      world.peer.script { request in
        if request.route == "POST _session" {
          return .answer(
            ScriptedPeer.Response(
              200,
              headers: [
                ("Set-Cookie", "lb=node7; Path=/"), ("Set-Cookie", "AuthSession=first; Path=/"),
                ("Set-Cookie", "XAuthSession=no"),
              ]))
        }
        return .edit {
          $0.headers.append(("Set-Cookie", "lb=node8"))
          $0.headers.append(("Set-Cookie", "AuthSession=second; Path=/"))
        }
      }
      let remote = try world.remote(Self.joe)
      for _ in 0..<2 { _ = try await remote.document("d0", ReadOptions()) }
      let cookies = world.peer.requests.compactMap { $0.header("cookie") }
      #expect(cookies == ["AuthSession=first", "AuthSession=second"])
    }
  }

  @Test(
    "couchbase-lite-android#497: without '_session', or without its cookie, Basic does",
    arguments: [200, 404, 405, 501])
  func basic(_ status: Int) async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.store, count: 1)
      world.peer.script { request in
        if request.route == "POST _session" { return .error(status) }
        let basic = BasicCredentials(user: "joe", password: "s:e@c/r%t ü").authorization
        return request.header("authorization") == basic ? .forward : .error(401)
      }
      let remote = try world.remote(Self.joe)
      for _ in 0..<3 { _ = try await remote.document("d0", ReadOptions()) }
      #expect(world.peer.count("POST _session") == 1)
    }
  }

  @Test("a wrong password is told at once")
  func wrongPassword() async throws {
    try await PeerWorld.run { (world) async throws in
      world.peer.script { _ in
        .error(401, "unauthorized", "Name or password is incorrect.")
      }
      let remote = try world.remote(Self.joe)
      let error = await #expect(throws: RemoteError.self) { _ = try await remote.info() }
      #expect(world.peer.requests.count == 1)
      #expect(!"\(String(describing: error))".contains("s:e@c"))
    }
  }

  @Test("couchbase-lite-ios#777, #1633: a server that wants Digest is told apart")
  func digest() async throws {
    try await PeerWorld.run { (world) async throws in
      world.peer.script { _ in
        .answer(
          ScriptedPeer.Response(401, "", headers: [("WWW-Authenticate", "Digest realm=\"x\"")]))
      }
      let error = await #expect(throws: RemoteError.self) {
        _ = try await world.remote(Self.joe).info()
      }
      let text = "\(try #require(error))"
      #expect(text.contains("Digest"))
    }
  }

  @Test("couchdb#2892: user and password of a URL are decoded once")
  func userInfo() throws {
    let url = try WebURL("http://joe%40x:p%40ss%2525%3A@host/db")
    guard case .password(let user, let password) = RemoteCredentials(from: url) else {
      Issue.record("no password")
      return
    }
    #expect(user == "joe@x" && password == "p@ss%25:")
  }

  @Test("a bearer token stands in each request, and no session is asked for")
  func bearer() async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.store, count: 1)
      let remote = try world.remote(.bearer("t0ken"))
      _ = try await remote.document("d0", ReadOptions())
      #expect(world.peer.requests.map { $0.header("authorization") } == ["Bearer t0ken"])
    }
  }

  @Test("an API key is changed into tokens, which are kept until shortly before they end")
  func apiKey() async throws {
    try await PeerWorld.run { (world) async throws in
      try fill(world.store, count: 1)
      world.peer.script { request in
        guard request.path == "/identity/token" else {
          return request.header("authorization")?.hasPrefix("Bearer t") == true
            ? .forward : .error(401)
        }
        let json: JSON = ["access_token": .string("t\(request.number)"), "expires_in": 3600]
        return .answer(ScriptedPeer.Response(200, json.serialized()))
      }
      let tokens = try WebURL("http://127.0.0.1:\(world.peer.port)/identity/token")
      let remote = try world.remote(.apiKey("k&=y", tokens: tokens))
      func asked() -> Int { world.peer.requests.filter { $0.path == "/identity/token" }.count }
      for _ in 0..<3 { _ = try await remote.document("d0", ReadOptions()) }
      #expect(asked() == 1)
      let form = try #require(
        HTTPQuery(parsing: world.peer.requests.first { $0.path == "/identity/token" }?.text ?? ""))
      #expect(form["apikey"] == "k&=y")
      #expect(form["grant_type"] == "urn:ibm:params:oauth:grant-type:apikey")
      world.pauses.skip(3_300)
      _ = try await remote.document("d0", ReadOptions())
      #expect(asked() == 2)
      // A token that is revoked is replaced.
      world.pauses.skip(60)
      world.peer.script { request in
        if request.path == "/identity/token" {
          return .answer(ScriptedPeer.Response(200, #"{"access_token":"new","expires_in":3600}"#))
        }
        return request.header("authorization") == "Bearer new" ? .forward : .error(401)
      }
      _ = try await remote.document("d0", ReadOptions())
      #expect(asked() == 3)
    }
  }

  @Test("a refused API key is told without the key")
  func badKey() async throws {
    try await PeerWorld.run { (world) async throws in
      world.peer.script { _ in
        .answer(
          ScriptedPeer.Response(
            400,
            #"{"errorCode":"BXNIM0415E","errorMessage":"Provided API key could not be found."}"#))
      }
      let tokens = try WebURL("http://127.0.0.1:\(world.peer.port)/identity/token")
      let error = await #expect(throws: RemoteError.self) {
        _ = try await world.remote(.apiKey("s3cret", tokens: tokens)).info()
      }
      let text = "\(try #require(error))"
      #expect(text.contains("could not be found") && !text.contains("s3cret"))
    }
  }

  @Test("credentials do not follow a redirect to another host")
  func redirect() async throws {
    try await PeerWorld.run { (world) async throws in
      try await PeerWorld.run { (other) async throws in
        let port = other.peer.port
        world.peer.script { request in
          .answer(
            ScriptedPeer.Response(
              302, "", headers: [("Location", "http://127.0.0.1:\(port)\(request.target)")]))
        }
        _ = try await world.remote(.bearer("t0ken")).info()
        #expect(other.peer.requests.count == 1)
        #expect(other.peer.requests.first?.header("authorization") == nil)
      }
    }
  }
}
