import Core
import Foundation
import Glibc
import TestSupport
import Testing

/// The built program, asked as a person would.
struct PermsBinaryTests {
  @Test("a new password is asked for twice and not shown") func prompt() throws {
    try withTote { tote in
      let session = try PseudoTerminal(tote.launch(["perms", "user", "add", "ben"]))
      try session.waitFor("new password of ben: ")
      session.type("s3cret\r")
      try session.waitFor("once more: ")
      session.type("s3cret\r")
      let result = try session.finish()
      #expect(result.exitCode == 0)
      #expect(!result.screen.contains("s3cret"))
      let account = try Users.make(in: StoreDirectory(path: tote.stores)).account("ben")
      #expect(UserAccount.check("s3cret", of: account))
    }
  }

  @Test("passwords that differ change nothing") func typo() throws {
    try withTote { tote in
      let session = try PseudoTerminal(tote.launch(["perms", "user", "add", "ben"]))
      try session.waitFor("new password of ben: ")
      session.type("one\r")
      try session.waitFor("once more: ")
      session.type("two\r")
      #expect(try session.finish().exitCode == 64)
      #expect(try Users.make(in: StoreDirectory(path: tote.stores)).list().isEmpty)
    }
  }

  @Test("the file of the administrators is its owner's alone") func mode() throws {
    try withTote { tote in
      try tote.run("perms", "user", "add", "ada", "--admin", input: "secret\n")
      let path = "\(tote.stores)/admins.json"
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
      #expect(mode as? Int == 0o600)
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(!text.contains("secret"))
    }
  }

  @Test("completion offers users, roles, presets and levels") func completion() throws {
    try withTote { tote in
      try tote.run("store", "create", "notes")
      try tote.run("perms", "user", "add", "ben", "--role", "team", input: "p\n")
      func offers(_ words: String...) throws -> String {
        try tote.run(["__complete", "bash", "\(words.count)", "--", "tote"] + words).output
      }
      #expect(try offers("perms", "set", "notes", "pub").contains("public-read"))
      #expect(try offers("perms", "user", "rm", "b").contains("ben"))
      #expect(try offers("perms", "grant", "notes", "--role", "t").contains("team"))
      #expect(try offers("perms", "grant", "notes", "--as", "m").contains("member"))
    }
  }

  @Test("a served store obeys what 'perms' says, while the server runs") func served() throws {
    try withTote { tote in
      try tote.run("store", "create", "notes")
      try tote.run("store", "put", "notes", "milk", "{}")
      try tote.run("perms", "user", "add", "ada", "--admin", input: "s1\n")
      let server = try ChildProcess(
        try tote.launch(["sync", "serve", "notes", "--port", "0", "--jsonl"]))
      let line = try JSON(parsing: #require(try server.nextLine()))
      #expect(line["users"] == true)
      let url = try #require(line["url"]?.stringValue)
      func ask(_ user: String?, _ words: String = "") throws -> String {
        let login = user.map { "-u \($0)" } ?? ""
        let line = "curl -s -o /dev/null -w '%{http_code}' \(login) \(words) \(url)notes/milk"
        return try tote.shell(line).output
      }
      #expect(try ask("ada:s1") == "200")
      #expect(try ask(nil) == "401")
      #expect(try ask("ben:s2") == "401")
      try tote.run("perms", "user", "add", "ben", input: "s2\n")
      #expect(try ask("ben:s2") == "403")
      try tote.run("perms", "grant", "notes", "--user", "ben", "--as", "reader")
      #expect(try ask("ben:s2") == "200")
      #expect(try ask("ben:s2", "-X PUT -d '{}'") == "403")
      try tote.run("perms", "user", "passwd", "ben", input: "s3\n")
      #expect(try ask("ben:s2") == "401")
      #expect(try ask("ben:s3") == "200")
      try tote.run("perms", "user", "rm", "ben")
      #expect(try ask("ben:s3") == "401")
      server.send(SIGTERM)
      #expect(try server.finish().exitCode == 0)
    }
  }

  @Test("a server without users asks for them as soon as there is one") func firstUser() throws {
    try withTote { tote in
      try tote.run("store", "create", "notes")
      let server = try ChildProcess(try tote.launch(["sync", "serve", "--port", "0", "--jsonl"]))
      let line = try JSON(parsing: #require(try server.nextLine()))
      let url = try #require(line["url"]?.stringValue)
      #expect(try tote.shell("curl -sf \(url)notes").exitCode == 0)
      try tote.run("perms", "user", "add", "ada", input: "s1\n")
      #expect(try tote.shell("curl -s \(url)notes").output.contains("unauthorized"))
      server.send(SIGTERM)
      _ = try server.finish()
    }
  }
}
