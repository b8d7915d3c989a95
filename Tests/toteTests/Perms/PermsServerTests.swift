import Core
import Foundation
import HTTP
import Sync
import Synchronization
import TestSupport
import Testing

@testable import tote

/// `tote perms` with databases and users of a server.
struct PermsServerTests {
  /// A listener over other stores than the home's, with the administrator `ada` and the store `db`.
  private func withServer(_ body: (StoreHome, StoreDirectory, String) async throws -> Void)
    async throws
  {
    try await withNotes { home in
      let stores = StoreDirectory(path: home.path + "/served")
      try Users.make(in: stores).add("ada", password: "a b@c", isAdmin: true)
      _ = try stores.create("db")
      let listener = Listener(Listener.Options(stores: stores))
      let port = try listener.start()
      do {
        try await body(home, stores, "http://ada:a%20b%40c@127.0.0.1:\(port)")
      } catch {
        await listener.stop()
        throw error
      }
      await listener.stop()
    }
  }

  @Test("a database's permissions are read and changed, in the words of a tote")
  func permissions() async throws {
    try await withServer { home, stores, server in
      let store = try stores.open("db")
      let ran = try await home.tote(
        "perms", "grant", "\(server)/db", "--user", "ben", "--as", "reader", "--json")
      #expect(ran.status == 0)
      #expect(try ran.json["dialect"] == "tote")
      #expect(!(ran.output + ran.errors).contains("a%20b"))
      #expect(try SecurityObject(store.security()).readers.names == ["ben"])
      let text = try await home.tote("perms", "export", "\(server)/db").output
      #expect(text.contains("reader  user ben"))
      #expect(!text.contains("ada:"))
      let refused = try await home.tote(
        "perms", "show", "\(server)/db".replacing("ada:a%20b%40c@", with: ""))
      #expect(refused.status == 77)
      #expect(try await home.tote("perms", "show", "\(server)/nope").status == 66)
    }
  }

  @Test("a saved remote names a database and its server") func savedRemote() async throws {
    try await withServer { home, stores, server in
      try await home.tote("sync", "remote", "add", "work", "\(server)/db")
      #expect(try await home.tote("perms", "set", "work", "public").status == 0)
      #expect(try stores.open("db").security()["members"]?["roles"] == [])
      let list = try await home.tote("perms", "user", "list", "--server", "work", "--json")
      #expect(list.status == 0)
    }
  }

  @Test("users of a server are made, changed and removed") func users() async throws {
    try await withServer { home, stores, server in
      func user(_ words: String..., input: String = "") async throws -> Ran {
        try await home.tote(words: ["perms", "user"] + words + ["--server", server], input: input)
      }
      let added = try await user("add", "ben", "--role", "x", input: "secret\n")
      #expect(added.status == 0)
      #expect(try await user("add", "ben", input: "secret\n").status == 73)
      let users = Users.make(in: stores)
      #expect(UserAccount.check("secret", of: try users.account("ben")))
      #expect(try await user("passwd", "ben", input: "other\n").status == 0)
      #expect(UserAccount.check("other", of: try users.account("ben")))
      #expect(try await user("roles", "ben", "--add", "y").output == "x\ny\n")
      #expect(try users.account("ben")?.roles == ["x", "y"])
      #expect(try await user("list", "--json").output.contains("\"ben\",\"roles\":[\"x\",\"y\"]"))
      #expect(try await user("rm", "ben").status == 0)
      #expect(try await user("rm", "ben").status == 66)
      // A tote's administrators are made on its own machine.
      #expect(try await user("add", "eva", "--admin", input: "p\n").status != 0)
      #expect(try users.account("eva") == nil)
    }
  }

  @Test("a database's administrator is not locked out without --force") func lockout() async throws
  {
    try await withServer { home, stores, server in
      try Users.make(in: stores).add("ben", password: "pw")
      let store = try stores.open("db")
      try store.setSecurity(["admins": ["names": ["ben"]], "members": ["names": ["ben"]]])
      let database = server.replacing("ada:a%20b%40c", with: "ben:pw") + "/db"
      let ran = try await home.tote("perms", "revoke", database, "--user", "ben", "--json")
      #expect(ran.status == 77)
      #expect(ran.errorCode == "lockout")
      let text = "store \(database)\n  admin user eva\n  member user eva\n"
      #expect(try await home.tote("perms", "apply", "-", input: text).status == 77)
      #expect(try SecurityObject(store.security()).admins.names == ["ben"])
      #expect(try await home.tote("perms", "diff", "-", input: text).status == 1)
      #expect(try await home.tote("perms", "apply", "-", "--force", input: text).status == 0)
      #expect(try SecurityObject(store.security()).admins.names == ["eva"])
    }
  }
}

/// `tote perms` with servers that are no totes, as scripts play them.
struct PermsDialectTests {
  /// A server that has one database `db` with a security object, and keeps what is put.
  private final class Peer: Sendable {
    private let security: Mutex<JSON>
    private let puts = Mutex<[(path: String, body: JSON)]>([])
    private let name: String

    init(named name: String, _ security: JSON) {
      self.name = name
      self.security = Mutex(security)
    }

    var stored: JSON { security.withLock { $0 } }
    var put: [(path: String, body: JSON)] { puts.withLock { $0 } }

    func answer(_ request: HTTPRequest) async -> HTTPResponse {
      switch (request.method, request.path) {
      case (.get, "/db/_security"): return json(stored)
      case (.put, let path):
        let bytes = (try? await request.body.collect(upTo: 1 << 16)) ?? []
        let body = (try? JSON(parsing: bytes)) ?? .null
        puts.withLock { $0.append((path, body)) }
        if path == "/db/_security" { security.withLock { $0 = body } }
        return json(["ok": true, "id": "x", "rev": "1-a"], 201)
      case (.get, "/_session"):
        return json(["ok": true, "userCtx": ["name": "boss", "roles": []]])
      case (.get, "/_node/_local/_config/admins"): return json(["root": "-pbkdf2-…"])
      default: return json(["error": "not_found", "reason": "missing"], 404)
      }
    }

    private func json(_ json: JSON, _ status: Int = 200) -> HTTPResponse {
      HTTPResponse(
        status: status, headers: ["Content-Type": "application/json", "Server": name],
        body: json.serializedBytes())
    }
  }

  private func withPeer(
    _ peer: Peer, _ body: (StoreHome, String) async throws -> Void
  ) async throws {
    try await withNotes { home in
      let server = try HTTPServer { await peer.answer($0) }
      do {
        try await body(home, "http://127.0.0.1:\(server.port)")
      } catch {
        await server.stop()
        throw error
      }
      await server.stop()
    }
  }

  @Test("a CouchDB has no readers, and keeps what is its own") func couchDB() async throws {
    let peer = Peer(
      named: "CouchDB/3.5.0 (Erlang OTP/25)", ["own": 1, "admins": ["names": ["boss"]]])
    try await withPeer(peer) { home, url in
      let reader = try await home.tote(
        "perms", "grant", "\(url)/db", "--user", "ben", "--as", "reader", "--json")
      #expect(reader.status == 65)
      let member = try await home.tote(
        "perms", "grant", "\(url)/db", "--user", "ben", "--as", "member", "--json")
      #expect(member.status == 0)
      #expect(try member.json["dialect"] == "couchdb")
      #expect(peer.stored["own"] == 1)
      #expect(peer.stored["members"]?["names"] == ["ben"])
      #expect(peer.stored["readers"] == nil)
    }
  }

  @Test("an administrator of a CouchDB is made in its configuration") func administrator()
    async throws
  {
    let peer = Peer(named: "CouchDB/3.5.0", [:])
    try await withPeer(peer) { home, url in
      let added = try await home.tote(
        "perms", "user", "add", "eva", "--admin", "--server", url, input: "secret\n")
      #expect(added.status == 0)
      #expect(peer.put.map(\.path) == ["/_node/_local/_config/admins/eva"])
      #expect(peer.put.first?.body == "secret")
      let again = try await home.tote(
        "perms", "user", "add", "root", "--admin", "--server", url, input: "secret\n")
      #expect(again.status == 73)
      let changed = try await home.tote(
        "perms", "user", "passwd", "root", "--server", url, input: "other\n")
      #expect(changed.status == 0)
      #expect(peer.put.last?.path == "/_node/_local/_config/admins/root")
    }
  }

  @Test("Cloudant's map is edited in its own terms, also as text") func cloudant() async throws {
    let peer = Peer(
      named: "CouchDB/3.2.1 (Erlang OTP/20)",
      [
        "cloudant": ["boss": ["_admin"], "key1": ["_reader", "_db_updates"], "nobody": []],
        "couchdb_auth_only": false,
      ])
    try await withPeer(peer) { home, url in
      let text = try await home.tote("perms", "export", "\(url)/db").output
      #expect(text.contains("  cloudant user key1 _reader _db_updates\n"))
      #expect(text.contains("  other   couchdb_auth_only false\n"))
      #expect(try await home.tote("perms", "diff", "-", input: text).status == 0)
      let edited = text.replacing("_reader _db_updates", with: "_reader _writer")
      #expect(try await home.tote("perms", "apply", "-", input: edited).status == 0)
      #expect(peer.stored["cloudant"]?["key1"] == ["_reader", "_writer"])
      #expect(peer.stored["couchdb_auth_only"] == false)
      let set = try await home.tote("perms", "set", "\(url)/db", "public-read", "--json")
      #expect(try set.json["dialect"] == "cloudant")
      #expect(peer.stored["cloudant"]?["nobody"] == ["_reader"])
      // The caller is `boss`.
      #expect(
        try await home.tote("perms", "revoke", "\(url)/db", "--user", "boss").status == 77)
      let role = try await home.tote(
        "perms", "grant", "\(url)/db", "--role", "r", "--as", "member")
      #expect(role.status == 65)
    }
  }
}
