import Core
import TestSupport
import Testing

@testable import Photos

struct PhotoUsersTests {
  private static let password = "correct horse"

  @Test("a user registers once, under a name in small letters, and logs in")
  func register() async throws { try await withLibrary { try await checkRegistration($0) } }

  private func checkRegistration(_ world: LibraryWorld) async throws {
    let users = world.library.users
    #expect(try await users.list().isEmpty)
    #expect(try await users.register("Ann", Self.password) == "ann")
    await #expect(throws: PhotoLibraryError.userExists(name: "ann")) {
      try await users.register("ANN", "another one")
    }
    for password in ["", "short", String(repeating: "a", count: 1025)] {
      await #expect(throws: PhotoLibraryError.invalidPassword) {
        try await users.register("bob", password)
      }
    }
    #expect(try await users.exists("ann"))
    #expect(try await !users.exists("bob"))
    #expect(try await users.list() == ["ann"])
    #expect(try await users.verify("ann", Self.password) == "ann")
    #expect(try await users.verify("Ann", Self.password) == "ann")
    for (name, password) in [
      ("ann", "wrong horse"), ("bob", Self.password), ("ann", ""),
      ("_ann", Self.password), ("ann", String(repeating: "a", count: 5000)),
    ] {
      #expect(try await users.verify(name, password) == nil)
    }
  }

  @Test("the users are those of permissions, and the other way round")
  func shared() async throws {
    try await withLibrary { world in
      try await world.library.users.register("ann", Self.password)
      let account = try Users.make(in: world.stores).account("ann")
      #expect(UserAccount.check(Self.password, of: account, rounds: 1))
      #expect(account?.isAdmin == false)
      try Users.make(in: world.stores, rounds: 10).add("bob", password: "bob's words")
      #expect(try await world.library.users.verify("bob", "bob's words") == "bob")
      let store = try world.stores.open(Users.storeName)
      let same = PhotoUsers(store, rounds: 10)
      #expect(try await same.list() == ["ann", "bob"])
      #expect(try await same.verify("ann", Self.password) == "ann")
      try await same.setPassword("new words", of: "ann")
      #expect(try await world.library.users.verify("ann", "new words") == "ann")
      try await same.remove("bob")
      #expect(try await !world.library.users.exists("bob"))
      await #expect(throws: PhotoLibraryError.userNotFound(name: "bob")) {
        try await same.setPassword("new words", of: "bob")
      }
      await #expect(throws: PhotoLibraryError.userNotFound(name: "bob")) {
        try await world.library.users.remove("bob")
      }
    }
  }

  @Test("wrong passwords hold back their address and their user, right ones set nothing back")
  func throttle() async throws {
    try await withTemporaryDirectory { path in
      let now = ContinuousClock.now
      let users = PhotoUsers(in: StoreDirectory(path: "\(path)"), rounds: 1) { now }
      try await users.register("ann", Self.password)
      try await users.register("bob", Self.password)
      for _ in 0..<10 {
        #expect(try await users.verify("ann", "wrong horse", from: "192.0.2.1") == nil)
        #expect(try await users.verify("bob", Self.password, from: "192.0.2.2") == "bob")
      }
      // The address.
      await #expect(throws: PhotoLibraryError.self) {
        try await users.verify("bob", Self.password, from: "192.0.2.1")
      }
      // The user, from anywhere.
      await #expect(throws: PhotoLibraryError.self) {
        try await users.verify("ann", Self.password, from: "192.0.2.3")
      }
      #expect(try await users.verify("bob", Self.password, from: "192.0.2.3") == "bob")
    }
  }
}

struct PhotoSessionsTests {
  private static let password = "correct horse"

  @Test("a session's token tells its user until logout; no other text does")
  func session() async throws {
    try await withLibrary { world in
      let sessions = world.library.sessions
      try await world.library.users.register("ann", Self.password)
      let token = try await sessions.start("ann")
      #expect(token.hasPrefix("tote_YW5u.") && token.utf8.count == 10 + 43)
      let login = try #require(try await sessions.user(of: token))
      #expect(login.user == "ann" && login.scope == .full && login.tokenID == nil)
      let second = try await sessions.start("ann")
      #expect(second != token)
      var forged = [
        "", "tote_", token + "a", String(token.dropLast()), "tote_YW5u.",
        token.replacing("YW5u", with: "Ym9i"), String(token.dropLast()) + "\u{0}",
      ]
      forged.append(String(second.prefix(10)) + String(token.dropFirst(10).reversed()))
      for text in forged {
        #expect(try await sessions.user(of: text) == nil)
      }
      try await sessions.end(token)
      #expect(try await sessions.user(of: token) == nil)
      #expect(try await sessions.user(of: second) != nil)
      await #expect(throws: PhotoLibraryError.userNotFound(name: "bob")) {
        try await sessions.start("bob")
      }
      // The disk holds no secret, only its hash; and nothing of it is replicated.
      let local = try world.store.localDocuments()
      #expect(local.count == 1)
      let stored = String(decoding: local[0].body.bytes, as: UTF8.self)
      #expect(!stored.contains(second.dropFirst(10)))
      #expect(try world.store.changes().rows.allSatisfy { !$0.id.contains("login") })
    }
  }

  @Test("a session ends after 30 idle days, and lives on while it is used")
  func expiry() async throws {
    let clock = FakeClock()
    var options = PhotoLibrary.Options()
    options.now = { clock.seconds * 1000 }
    try await withLibrary(options) { world in
      try await world.library.users.register("ann", Self.password)
      let used = try await world.library.sessions.start("ann")
      let idle = try await world.library.sessions.start("ann")
      clock.advance(by: .seconds(20 * 86_400))
      #expect(try await world.library.sessions.user(of: used) != nil)
      clock.advance(by: .seconds(20 * 86_400))
      #expect(try await world.library.sessions.user(of: used) != nil)
      #expect(try await world.library.sessions.user(of: idle) == nil)
    }
  }

  @Test("another password and the user's end end sessions and tokens; elsewhere within seconds")
  func passwordChange() async throws {
    let clock = FakeClock()
    var options = PhotoLibrary.Options()
    options.now = { clock.seconds * 1000 }
    try await withLibrary(options) { world in
      let other = try await world.other(options)
      let (users, sessions) = (world.library.users, world.library.sessions)
      try await users.register("ann", Self.password)
      func logins() async throws -> [String] {
        [
          try await sessions.start("ann"),
          try await sessions.makeToken("ann", label: "script", scope: .full).text,
        ]
      }
      var tokens = try await logins()
      for token in tokens {
        #expect(try await sessions.user(of: token) != nil)
        #expect(try await other.sessions.user(of: token) != nil)
      }
      try await users.setPassword("another horse", of: "ann")
      for token in tokens { #expect(try await sessions.user(of: token) == nil) }
      clock.advance(by: .seconds(5))
      for token in tokens { #expect(try await other.sessions.user(of: token) == nil) }
      #expect(try await sessions.listTokens("ann").isEmpty)

      tokens = try await logins()
      for token in tokens { #expect(try await other.sessions.user(of: token) != nil) }
      try await sessions.end(tokens[0])
      clock.advance(by: .seconds(5))
      #expect(try await other.sessions.user(of: tokens[0]) == nil)
      #expect(try await other.sessions.user(of: tokens[1]) != nil)
      try await users.remove("ann")
      #expect(try await sessions.user(of: tokens[1]) == nil)
      // A new user of an old name does not come into the old one's tokens.
      try await users.register("ann", Self.password)
      for token in tokens { #expect(try await sessions.user(of: token) == nil) }
      await other.close()
    }
  }

  @Test("API tokens have a label and a scope, are listed and removed one by one")
  func apiTokens() async throws {
    try await withLibrary { world in
      let sessions = world.library.sessions
      for name in ["ann", "bob"] { try await world.library.users.register(name, Self.password) }
      let (upload, text) = try await sessions.makeToken("ann", label: "phone", scope: .upload)
      let (full, _) = try await sessions.makeToken("ann", label: " a\u{1b}b ", scope: .full)
      #expect(full.label == "ab")
      let login = try #require(try await sessions.user(of: text))
      #expect(login.scope == .upload && login.tokenID == upload.id)
      #expect(try await sessions.listTokens("ann") == [upload, full])
      #expect(try await sessions.listTokens("bob").isEmpty)
      #expect(try await !sessions.removeToken(upload.id, of: "bob"))
      #expect(try await sessions.removeToken(upload.id, of: "ann"))
      #expect(try await sessions.user(of: text) == nil)
      #expect(try await sessions.listTokens("ann") == [full])
      for label in ["\u{80}\u{17}\u{1}", String(repeating: "🦉", count: 100)] {
        #expect(
          try await sessions.makeToken("ann", label: label, scope: .full).token.label
            == PhotoText.shown(label))
      }
      for label in ["", String(repeating: "a", count: 101), String(repeating: "\u{7}", count: 101)]
      {
        await #expect(throws: PhotoLibraryError.invalidLabel) {
          try await sessions.makeToken("ann", label: label, scope: .full)
        }
      }
      try await sessions.endAll("ann")
      #expect(try await sessions.listTokens("ann").isEmpty)
    }
  }

  @Test("logins at once through two processes are all kept")
  func concurrentLogins() async throws {
    try await withLibrary { world in
      let other = try await world.other()
      try await world.library.users.register("ann", Self.password)
      let tokens = try await withThrowingTaskGroup(of: String.self) { group in
        for index in 0..<20 {
          let sessions = index % 2 == 0 ? world.library.sessions : other.sessions
          group.addTask { try await sessions.start("ann") }
        }
        return try await group.reduce(into: [String]()) { $0.append($1) }
      }
      for token in tokens { #expect(try await world.library.sessions.user(of: token) != nil) }
      await other.close()
    }
  }
}
