import Core
import HTTP
import Synchronization
import TestSupport
import Testing

@testable import Sync

/// Passwords, sessions and what ends them.
struct AuthenticatorTests {
  /// An authenticator over the user `ann` with the password `secret`, and a clock that stands.
  private func withAuthenticator(
    _ body: (Authenticator, StoreDirectory, StandingClock) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { path in
      let stores = StoreDirectory(path: path)
      try Users.make(in: stores, rounds: testRounds).add("ann", password: "secret", roles: ["r"])
      let clock = StandingClock()
      let authenticator = Authenticator(
        UserRegistry(in: stores), rounds: testRounds, clock: { clock.now })
      try await body(authenticator, stores, clock)
    }
  }

  private func request(
    basic password: String? = nil, user: String = "ann", cookie: String? = nil,
    from peer: String = "192.0.2.1"
  ) throws -> HTTPRequest {
    var headers = HTTPHeaders()
    if let password {
      headers["Authorization"] = BasicCredentials(user: user, password: password).authorization
    }
    if let cookie { headers["Cookie"] = "AuthSession=\(cookie)" }
    return try HTTPRequest(method: .get, target: "/", headers: headers, peer: peer)
  }

  /// The status of the refusal, or 200.
  private func status(_ authenticator: Authenticator, _ request: HTTPRequest) async throws -> Int {
    do {
      _ = try await authenticator.identity(of: request)
      return 200
    } catch let refusal as Refusal {
      return refusal.status
    }
  }

  // MARK: Ends

  @Test("another password ends what the old one opened, also when another process sets it")
  func newPassword() async throws {
    try await withAuthenticator { authenticator, stores, _ in
      let old = try await authenticator.identity(of: try request(basic: "secret"))
      let holder = try await authenticator.verify("ann", "secret", from: "192.0.2.1")
      let token = authenticator.startSession(holder)
      let session = try await authenticator.identity(of: try request(cookie: token))
      #expect(session.user == UserContext(name: "ann", roles: ["r"]))
      // A connection of its own, as another process has.
      try Users.make(in: stores, rounds: testRounds).setPassword("other", of: "ann")
      #expect(try old.current() == nil)
      #expect(try session.current() == nil)
      #expect(try await status(authenticator, try request(basic: "secret")) == 401)
      #expect(try await authenticator.identity(of: try request(cookie: token)).user == .anonymous)
      #expect(try await status(authenticator, try request(basic: "other")) == 200)
    }
  }

  @Test("other roles count at once, and end neither session nor password") func newRoles()
    async throws
  {
    try await withAuthenticator { authenticator, stores, _ in
      let identity = try await authenticator.identity(of: try request(basic: "secret"))
      try Users.make(in: stores, rounds: testRounds).setRoles(["s", "t"], of: "ann")
      #expect(try identity.current()?.roles == ["s", "t"])
      let again = try await authenticator.identity(of: try request(basic: "secret"))
      #expect(again.user.roles == ["s", "t"])
    }
  }

  @Test("a removed user is out at once, and removing the last one opens nothing") func removal()
    async throws
  {
    try await withAuthenticator { authenticator, stores, _ in
      let identity = try await authenticator.identity(of: try request(basic: "secret"))
      try Users.make(in: stores, rounds: testRounds).remove("ann")
      #expect(try identity.current() == nil)
      #expect(try await status(authenticator, try request(basic: "secret")) == 401)
      #expect(try await authenticator.identity(of: try request()).user == .anonymous)
      try stores.delete("_users")
      #expect(try await status(authenticator, try request(basic: "secret")) == 401)
      #expect(try await authenticator.identity(of: try request()).user == .anonymous)
    }
  }

  @Test("an administrator who is one no longer loses that at once") func administrator()
    async throws
  {
    try await withAuthenticator { authenticator, stores, _ in
      let users = Users.make(in: stores, rounds: testRounds)
      try users.add("root", password: "secret", isAdmin: true)
      let identity = try await authenticator.identity(
        of: try request(basic: "secret", user: "root"))
      #expect(identity.user.isServerAdmin)
      try users.setPassword("x", of: "root")
      #expect(try identity.current() == nil)
      try users.remove("root")
      #expect(try await status(authenticator, try request(basic: "x", user: "root")) == 401)
    }
  }

  @Test("the first user ends the time in which everybody may do everything") func firstUser()
    async throws
  {
    try await withTemporaryDirectory { path in
      let stores = StoreDirectory(path: path)
      let authenticator = Authenticator(UserRegistry(in: stores), rounds: testRounds)
      let party = try await authenticator.identity(of: try request())
      #expect(party.user == .party)
      try Users.make(in: stores, rounds: testRounds).add("ann", password: "secret")
      #expect(try party.current() == nil)
      #expect(try await authenticator.identity(of: try request()).user == .anonymous)
      #expect(try await status(authenticator, try request(basic: "wrong")) == 401)
    }
  }

  // MARK: Sessions

  @Test("a session lasts ten minutes after its last request, and its cookie is renewed")
  func sessionTime() async throws {
    try await withAuthenticator { authenticator, _, clock in
      let holder = try await authenticator.verify("ann", "secret", from: "192.0.2.1")
      let token = authenticator.startSession(holder)
      let cookie = try request(cookie: token)
      clock.advance(.seconds(59))
      #expect(try await authenticator.identity(of: cookie).renewedToken == nil)
      clock.advance(.seconds(599))
      #expect(try await authenticator.identity(of: cookie).renewedToken == token)
      clock.advance(.seconds(599))
      #expect(try await authenticator.identity(of: cookie).user.name == "ann")
      clock.advance(.seconds(600))
      #expect(try await authenticator.identity(of: cookie).user == .anonymous)
      #expect(SessionTable.isWellFormed(token))
    }
  }

  @Test("a logout ends the session and what it still does") func logout() async throws {
    try await withAuthenticator { authenticator, _, _ in
      let holder = try await authenticator.verify("ann", "secret", from: "192.0.2.1")
      let token = authenticator.startSession(holder)
      let identity = try await authenticator.identity(of: try request(cookie: token))
      #expect(try identity.current() != nil)
      authenticator.endSession(token)
      #expect(try identity.current() == nil)
      #expect(try await authenticator.identity(of: try request(cookie: token)).user == .anonymous)
    }
  }

  // MARK: Guessing

  @Test("ten wrong passwords, then an address waits; others and what is known do not")
  func guesses() async throws {
    try await withAuthenticator { authenticator, _, clock in
      #expect(try await status(authenticator, try request(basic: "secret")) == 200)
      for number in 0..<10 {
        #expect(try await status(authenticator, try request(basic: "wrong\(number)")) == 401)
      }
      #expect(try await status(authenticator, try request(basic: "wrong")) == 429)
      #expect(try await status(authenticator, try request(basic: "wrong", user: "nobody")) == 429)
      // What was right before needs no derivation.
      #expect(try await status(authenticator, try request(basic: "secret")) == 200)
      let elsewhere = try request(basic: "wrong", from: "192.0.2.2")
      #expect(try await status(authenticator, elsewhere) == 401)
      clock.advance(.seconds(301))
      #expect(try await status(authenticator, try request(basic: "secret")) == 200)
    }
  }

  @Test("a right password does not give an address new guesses") func noReset() async throws {
    try await withAuthenticator { authenticator, stores, clock in
      try Users.make(in: stores, rounds: testRounds).add("eve", password: "hers")
      for number in 0..<9 {
        _ = try await status(authenticator, try request(basic: "wrong\(number)"))
      }
      #expect(try await status(authenticator, try request(basic: "hers", user: "eve")) == 200)
      #expect(try await status(authenticator, try request(basic: "wrong9")) == 401)
      #expect(try await status(authenticator, try request(basic: "wrong10")) == 429)
      clock.advance(.seconds(6))
      #expect(try await status(authenticator, try request(basic: "wrong11")) == 401)
      #expect(try await status(authenticator, try request(basic: "wrong12")) == 429)
    }
  }

  @Test("addresses of one IPv6 network count as one") func networks() {
    let now = ContinuousClock.now
    let throttle = AddressThrottle()
    for number in 0..<10 { #expect(throttle.take("2001:db8:0:1::\(number + 1)", at: now)) }
    #expect(!throttle.take("2001:db8:0:1:ffff::1", at: now))
    #expect(throttle.take("2001:db8:0:2::1", at: now))
    #expect(AddressThrottle.key("::ffff:192.0.2.7") == AddressThrottle.key("192.0.2.7"))
    #expect(AddressThrottle.key("fe80::1%eth0") == AddressThrottle.key("fe80::1"))
  }

  @Test("what is remembered of addresses stays bounded") func manyAddresses() {
    let throttle = AddressThrottle()
    let now = ContinuousClock.now
    for a in 0..<50 {
      for b in 0..<250 { _ = throttle.take("10.0.\(a).\(b)", at: now) }
    }
    #expect(throttle.count <= 10_000)
  }

  @Test("requests that come at once with the same password are one guess") func together()
    async throws
  {
    try await withAuthenticator { authenticator, _, _ in
      let request = try request(basic: "secret")
      let names = try await withThrowingTaskGroup(of: String?.self) { group in
        for _ in 0..<40 {
          group.addTask { try await authenticator.identity(of: request).user.name }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(names == Array(repeating: "ann", count: 40))
    }
  }

  @Test("guesses that come at once are counted like those one by one") func parallelGuesses()
    async throws
  {
    try await withAuthenticator { authenticator, _, _ in
      let answers = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<30 {
          let request = try request(basic: "wrong\(number)")
          group.addTask {
            do {
              _ = try await authenticator.identity(of: request)
              return 200
            } catch let refusal as Refusal {
              return refusal.status
            }
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(answers.count { $0 == 401 } == 10)
      #expect(answers.count { $0 == 429 } == 20)
    }
  }

  // MARK: Over HTTP

  @Test("others are answered while passwords are checked") func notBlocked() async throws {
    try await withListener { options in
      // With the real rounds: this is about how long they take.
      try Users.make(in: options.stores).add("admin", password: "adminpw", isAdmin: true)
    } _: { listener in
      let done = Counter()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          group.addTask {
            let answer = try await listener.send(
              "GET", "/_session", as: "admin", password: "wrong\(number)")
            #expect(answer.status == 401)
            done.add()
          }
        }
        for _ in 0..<8 { #expect(try await listener.send("GET", "/_up").status == 200) }
        #expect(done.value < 8)
        try await group.waitForAll()
      }
    }
  }

  @Test("couchbase-lite-ios#1168: TLS does not turn the password check off") func tls() async throws
  {
    let identity = try TLSIdentity.selfSigned(commonName: "tote", addresses: ["127.0.0.1"])
    try await withListener { options in
      try Users.make(in: options.stores, rounds: testRounds).add(
        "admin", password: "adminpw", isAdmin: true)
      options.server.identity = identity
    } _: { plain in
      var options = HTTPClient.Options()
      options.trust = .pin(identity.pin)
      let listener = RunningListener(
        stores: plain.stores, client: try HTTPClient(options),
        url: try WebURL("\(plain.url)".replacing("http:", with: "https:")))
      #expect(try await listener.send("PUT", "/db").status == 401)
      #expect(try await listener.send("PUT", "/db", as: "admin", password: "no").status == 401)
      #expect(try await listener.send("PUT", "/db", as: "admin").status == 201)
      #expect(try await listener.send("GET", "/db").status == 401)
      let login = try await listener.send(
        "POST", "/_session", body: ["name": "admin", "password": "adminpw"])
      let cookie = try #require(login.headers["Set-Cookie"])
      #expect(cookie.contains("; Secure") && cookie.contains("; SameSite=Strict"))
    }
  }

  @Test("a login goes on to a path of this server only") func next() async throws {
    try await withUsers { listener in
      let body: JSON = ["name": "admin", "password": "adminpw"]
      for (next, place) in [
        ("/_utils/x?y=1", "/_utils/x?y=1"), ("//evil.example", nil),
        ("https://evil.example", nil), ("/\\evil.example", nil), ("evil", nil),
      ] {
        let answer = try await listener.send(
          "POST", "/_session?next=\(PercentEncoding.encode(next))", body: body)
        #expect(answer.status == (place == nil ? 200 : 302))
        #expect(answer.headers["Location"] == place)
      }
    }
  }

  @Test("a new database is the administrators' alone") func newDatabase() async throws {
    try await withUsers([("ann", [])]) { listener in
      #expect(try await listener.send("PUT", "/made", as: "admin").status == 201)
      _ = try listener.stores.create("local")
      for name in ["made", "local"] {
        #expect(try await listener.send("GET", "/\(name)", as: "ann").status == 403)
        #expect(try await listener.send("GET", "/\(name)").status == 401)
      }
    }
  }

  @Test("a feed ends when its reader may read no more", arguments: ["user", "security"])
  func feed(end: String) async throws {
    try await withUsers([("ann", [])]) { listener in
      let store = try listener.stores.create("db")
      try store.setSecurity(["members": ["names": ["ann"]]])
      try write("one", "text", to: store)
      var request = HTTPClientRequest(
        .get, try WebURL("\(listener.url)/db/_changes?feed=continuous&heartbeat=50"))
      request.headers["Authorization"] =
        BasicCredentials(user: "ann", password: "pw-ann").authorization
      let response = try await listener.client.send(request)
      #expect(response.status == 200)
      var text = ""
      do {
        for try await chunk in response.body {
          let isFirst = text.isEmpty
          text += String(decoding: chunk, as: UTF8.self)
          guard isFirst else { continue }
          if end == "user" {
            try Users.make(in: listener.stores, rounds: testRounds).remove("ann")
          } else {
            try store.setSecurity(["members": ["names": ["ben"]]])
          }
          try write("two", "text", to: store)
        }
      } catch is HTTPError {
        // Broken off is as good as ended.
      }
      #expect(text.contains("\"one\""))
      #expect(!text.contains("\"two\""))
    }
  }
}

/// Counts over tasks.
private final class Counter: Sendable {
  private let number = Mutex(0)
  var value: Int { number.withLock { $0 } }
  func add() { number.withLock { $0 += 1 } }
}

/// A clock that goes when it is told to.
private final class StandingClock: Sendable {
  private let moment = Mutex(ContinuousClock.now)
  var now: ContinuousClock.Instant { moment.withLock { $0 } }
  func advance(_ time: Duration) { moment.withLock { $0 += time } }
}
