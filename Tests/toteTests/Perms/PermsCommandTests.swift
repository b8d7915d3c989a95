import Core
import Foundation
import HTTP
import Sync
import TestSupport
import Testing

@testable import tote

/// `tote perms` on local stores.
struct PermsCommandTests {
  @Test("grant, revoke and check agree") func grants() async throws {
    try await withNotes { home in
      func may(_ words: String...) async throws -> Int32 {
        try await home.tote(words: ["perms", "check", "notes"] + words).status
      }
      #expect(try await may("--user", "ben", "--action", "read") == 77)
      try await home.tote("perms", "grant", "notes", "--user", "ben", "--as", "member")
      #expect(try await may("--user", "ben", "--action", "write") == 0)
      #expect(try await may("--user", "ben", "--action", "admin") == 77)
      #expect(try await may("--user", "eva", "--action", "read") == 77)
      #expect(try await may("--user", "eva", "--role", "_admin", "--action", "admin") == 0)
      #expect(try await may("--action", "read") == 77)
      try await home.tote("perms", "grant", "notes", "--role", "press", "--as", "reader")
      #expect(try await may("--user", "eva", "--role", "press", "--action", "read") == 0)
      #expect(try await may("--user", "eva", "--role", "press", "--action", "write") == 77)
      try await home.tote("perms", "revoke", "notes", "--user", "ben")
      #expect(try await may("--user", "ben", "--action", "read") == 77)
    }
  }

  @Test("a user's roles are looked up") func roles() async throws {
    try await withNotes { home in
      try await home.tote("perms", "user", "add", "ben", "--role", "team", input: "secret\n")
      try await home.tote("perms", "grant", "notes", "--role", "team", "--as", "member")
      let ran = try await home.tote(
        "perms", "check", "notes", "--user", "ben", "--action", "write", "--json")
      #expect(ran.status == 0)
      #expect(
        ran.output == """
          {"store":"notes","user":"ben","roles":["team"],"action":"write","allowed":true}

          """)
    }
  }

  @Test("presets are what they say", arguments: ["admins", "members", "public-read", "public"])
  func presets(preset: String) async throws {
    try await withNotes { home in
      let ran = try await home.tote("perms", "set", "notes", preset, "--json")
      #expect(ran.status == 0)
      let anonymous = ["public-read": "read", "public": "write"][preset] ?? "none"
      #expect(try ran.json["anonymous"]?.stringValue == anonymous)
    }
  }

  @Test("naming a first member of a public store says that it is public no more")
  func noLongerPublic() async throws {
    try await withNotes { home in
      let opened = try await home.tote("perms", "set", "notes", "public")
      #expect(opened.errors.contains("everybody may now read and write 'notes'"))
      let ran = try await home.tote("perms", "grant", "notes", "--user", "ben", "--as", "member")
      #expect(ran.errors.contains("'notes' was public"))
    }
  }

  @Test(
    "whom it is about has to be said once",
    arguments: [[], ["--user", "a", "--role", "b"], ["--everyone", "--user", "a"]])
  func subject(options: [String]) async throws {
    try await withNotes { home in
      let ran = try await home.tote(
        words: ["perms", "grant", "notes", "--as", "member"] + options)
      #expect(ran.status == 64)
    }
  }

  @Test("a store that is not there is 66, for every command") func missing() async throws {
    try await withNotes { home in
      for words in [
        ["show", "nope"], ["set", "nope", "public"], ["export", "nope"],
        ["grant", "nope", "--user", "a", "--as", "member"], ["revoke", "nope", "--everyone"],
        ["check", "nope", "--user", "a", "--action", "read"],
      ] {
        let status = try await home.tote(words: ["perms"] + words).status
        #expect(status == 66, "\(words)")
      }
    }
  }

  // MARK: Text

  @Test("what is exported and applied elsewhere is exported the same") func roundTrip() async throws
  {
    try await withNotes { home in
      let store = try home.stores.open("notes")
      try store.setSecurity([
        "readers": ["names": ["b c"], "roles": ["_everyone"], "kept": 1],
        "admins": ["names": ["ada"]], "members": ["roles": ["team"]], "x": ["y": 1],
      ])
      let text = try await home.tote("perms", "export", "notes").output
      try store.setSecurity([:])
      let diff = try await home.tote("perms", "diff", "-", input: text)
      #expect(diff.status == 1)
      #expect(diff.output.contains("  + admin   user ada\n"))
      #expect(try await home.tote("perms", "apply", "-", "--dry-run", input: text).status == 0)
      #expect(try store.security() == [:])
      #expect(try await home.tote("perms", "apply", "-", input: text).status == 0)
      #expect(try await home.tote("perms", "export", "notes").output == text)
      #expect(try store.security()["x"] == ["y": 1])
      #expect(try store.security()["readers"]?["kept"] == 1)
      let again = try await home.tote("perms", "diff", "-", input: text)
      #expect(again.status == 0)
      #expect(again.output.isEmpty)
    }
  }

  @Test("nothing is changed when any part of the text is wrong") func allOrNothing() async throws {
    try await withNotes { home in
      let store = try home.stores.open("notes")
      let before = try store.security()
      for bad in ["store nope\n  member everyone", "store x\n  boss user a", "store notes\n"] {
        let ran = try await home.tote(
          "perms", "apply", "-", "--json", input: "store notes\n  member everyone\n\(bad)")
        #expect(ran.status != 0)
        #expect(try store.security() == before, "\(bad)")
      }
      let ran = try await home.tote(
        "perms", "apply", "-", "--json", input: "store notes\n  member user\n")
      #expect(ran.status == 65)
      #expect(ran.errors.contains("line 2"))
    }
  }

  @Test("an exported text names every local store, also as JSON") func exportAll() async throws {
    try await withNotes { home in
      _ = try home.stores.create("work/plans")
      let text = try await home.tote("perms", "export").output
      #expect(text.contains("\nstore notes\n") && text.contains("\nstore work/plans\n"))
      let json = try await home.tote("perms", "export", "--json").json
      #expect(json.arrayValue?.map { $0["store"]?.stringValue } == ["notes", "work/plans"])
    }
  }

  // MARK: Users

  @Test("users are made, listed, given roles, and removed; secrets are shown to nobody")
  func users() async throws {
    try await withNotes { home in
      let added = try await home.tote(
        "perms", "user", "add", "ada", "--admin", "--json", input: "s3cret-word\n")
      #expect(added.output == "{\"name\":\"ada\",\"roles\":[],\"admin\":true}\n")
      try await home.tote("perms", "user", "add", "ben", "--role", "team", input: "s3cret-word\r\n")
      let roles = try await home.tote(
        "perms", "user", "roles", "ben", "--add", "press", "--remove", "team", "--json")
      #expect(roles.output == "{\"name\":\"ben\",\"roles\":[\"press\"]}\n")
      let list = try await home.tote("perms", "user", "list", "--json")
      #expect(
        list.output == """
          [{"name":"ada","roles":[],"admin":true},{"name":"ben","roles":["press"],"admin":false}]

          """)
      let users = Users.make(in: home.stores)
      #expect(UserAccount.check("s3cret-word", of: try users.account("ben")))
      try await home.tote("perms", "user", "passwd", "ben", input: "other word\n")
      #expect(UserAccount.check("other word", of: try users.account("ben")))
      for name in ["ada", "ben"] {
        #expect(try await home.tote("perms", "user", "rm", name).status == 0)
        #expect(try await home.tote("perms", "user", "rm", name).status == 66)
      }
      #expect(try users.list().isEmpty)
      for ran in [added, list, roles] {
        #expect(!(ran.output + ran.errors).contains("s3cret"))
        #expect(!(ran.output + ran.errors).contains("derived"))
      }
    }
  }

  @Test("mistakes with users have their exit statuses") func userMistakes() async throws {
    try await withNotes { home in
      try await home.tote("perms", "user", "add", "ben", input: "p\n")
      #expect(try await home.tote("perms", "user", "add", "ben", input: "p\n").status == 73)
      #expect(try await home.tote("perms", "user", "add", "_x", input: "p\n").status == 65)
      #expect(try await home.tote("perms", "user", "add", "a:b", input: "p\n").status == 65)
      #expect(try await home.tote("perms", "user", "add", "eva", input: "").status == 64)
      #expect(try await home.tote("perms", "user", "add", "eva", input: "\n").status == 64)
      #expect(
        try await home.tote("perms", "user", "add", "eva", "--role", "_admin", input: "p\n").status
          == 65)
      #expect(try await home.tote("perms", "user", "passwd", "eva", input: "p\n").status == 66)
      #expect(try await home.tote("perms", "user", "roles", "eva", "--add", "x").status == 66)
      #expect(try await home.tote("perms", "user", "list", "--server", "nope").status == 66)
    }
  }

  @Test("a password comes from a file, without its line's end") func passwordFile() async throws {
    try await withNotes { home in
      let path = "\(home.path)/password"
      try writeText(" with blanks \r\nmore\n", to: path)
      try await home.tote("perms", "user", "add", "ben", "--password-file", path)
      let account = try Users.make(in: home.stores).account("ben")
      #expect(UserAccount.check(" with blanks ", of: account))
      #expect(
        try await home.tote("perms", "user", "add", "b", "--password-file", "/no").status == 66)
    }
  }
}
