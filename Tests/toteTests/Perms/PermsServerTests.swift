import Core
import Foundation
import HTTP
import Sync
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
