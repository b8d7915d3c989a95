import Core
import Foundation
import HTTP
import Sync
import TestSupport
import Testing

@testable import tote

/// `tote sync` between the stores of a machine.
struct SyncCommandTests {
  @Test("pull, then push; from then on the other side may be left out")
  func both() async throws {
    try await withNotes { home in
      let other = try home.stores.create("other")
      try await home.run("put", "notes", "a", "{}")
      try await home.run("put", "other", "b", "{}")
      let ran = try await home.tote("sync", "notes", "other", "--json")
      #expect(ran.status == 0)
      #expect(try ran.json["pull"]?["written"] == 1)
      #expect(try ran.json["push"]?["written"] == 1)
      #expect(try other.info().documentCount == 2)
      try await home.run("put", "notes", "c", "{}")
      let again = try await home.tote("sync", "push", "notes", isTerminal: true)
      #expect(again.output == "pushed 1 revision to 'other'\n")
      #expect(try other.info().documentCount == 3)
    }
  }

  @Test("the store that is named first stays the one that is taken")
  func remembered() async throws {
    try await withNotes { home in
      _ = try home.stores.create("first")
      _ = try home.stores.create("second")
      #expect(try await home.tote("sync", "notes").status == 64)
      try await home.tote("sync", "notes", "first")
      try await home.tote("sync", "notes", "second")
      let ran = try await home.tote("sync", "notes", "--json")
      #expect(try ran.json["remote"] == "first")
    }
  }

  @Test("only the documents that are meant are moved")
  func filtered() async throws {
    try await withNotes { home in
      let other = try home.stores.create("other")
      try await home.run("put", "notes", "a", "{\"n\": 1, \"@datatype\": \"T\"}")
      try await home.run("put", "notes", "b", "{\"n\": 2}")
      try await home.run("put", "notes", "c", "{\"n\": 3}")
      try await home.tote("sync", "push", "notes", "other", "--where", "n > 2")
      #expect(try other.changes().rows.map(\.id) == ["c"])
      try await home.tote("sync", "push", "notes", "other", "--type", "T")
      #expect(try other.changes().rows.map(\.id) == ["c", "a"])
      try await home.tote("sync", "push", "notes", "other", "--doc-id", "b")
      #expect(try other.changes().rows.map(\.id) == ["c", "a", "b"])
    }
  }

  @Test("a dry run tells what would be moved and changes nothing")
  func dryRun() async throws {
    try await withNotes { home in
      let other = try home.stores.create("other")
      try await home.run("put", "notes", "a", "{}")
      let ran = try await home.tote("sync", "notes", "other", "--dry-run", "--json")
      #expect(try ran.json["push"]?["found"] == 1)
      #expect(try ran.json["dryRun"] == true)
      #expect(try other.lastSequence() == 0)
      #expect(try other.localDocuments().isEmpty)
      #expect(try home.stores.open("notes").localDocuments().isEmpty)
    }
  }

  @Test("events come line by line, the result last")
  func events() async throws {
    try await withNotes { home in
      _ = try home.stores.create("other")
      try await home.run("put", "notes", "a", "{}")
      let ran = try await home.tote("sync", "push", "notes", "other", "--jsonl")
      let lines = try ran.output.split(separator: "\n").map { try JSON(parsing: String($0)) }
      #expect(lines.compactMap { $0["event"]?.stringValue } == ["started", "progress"])
      #expect(lines.last?["ok"] == true)
    }
  }

  @Test("a pull can make the store; nothing else makes one")
  func create() async throws {
    try await withNotes { home in
      try await home.run("put", "notes", "a", "{}")
      #expect(try await home.tote("sync", "pull", "copy", "notes").status == 66)
      #expect(try await home.tote("sync", "pull", "copy", "notes", "--create").status == 0)
      #expect(try home.stores.open("copy").info().documentCount == 1)
      let typo = try await home.tote("sync", "push", "notes", "cpy", "--json")
      #expect(typo.errorCode == "not_found")
      #expect(typo.errors.contains("did you mean 'copy'?"))
    }
  }

  @Test("mistakes in the line are told before anything happens")
  func mistakes() async throws {
    try await withNotes { home in
      for words in [
        ["notes", "notes"], ["notes", "https://example.org"], ["notes", "x", "--param", "a=b"],
        ["notes", "x", "--since", "1", "--reset"],
        ["notes", "x", "--filter", "a/b", "--type", "t"],
        ["run", "notes", "x.totebundle"], ["push", "notes", "x.totebundle", "--continuous"],
        ["push", "notes", "x", "--doc-id", "a", "--where", "b = 1"],
        ["notes", "x", "--batch", "0"],
      ] {
        let ran = try await home.tote(words: ["sync"] + words)
        #expect([64, 66].contains(ran.status), "\(words): \(ran.errors)")
      }
    }
  }

  @Test("the status tells the last runs and what waits to be pushed")
  func status() async throws {
    try await withNotes { home in
      _ = try home.stores.create("other")
      #expect(try await home.tote("sync", "status", "--json").output == "[]\n")
      try await home.run("put", "notes", "a", "{}")
      try await home.tote("sync", "notes", "other")
      try await home.run("put", "notes", "b", "{}")
      try await home.run("put", "notes", "c", "{}")
      let rows = try await home.tote("sync", "status", "--json").json.arrayValue ?? []
      #expect(rows.map { $0["direction"] } == ["push", "pull"])
      #expect(rows.map { $0["pending"] } == [2, .null])
      #expect(rows.allSatisfy { $0["ok"] == true && $0["remembered"] == true })
    }
  }

  @Test("a bundle goes out and in, and its next one holds what changed")
  func bundles() async throws {
    try await withNotes { home in
      _ = try home.stores.create("copy")
      let path = home.path + "/n.totebundle"
      try await home.run("put", "notes", "a", "{}")
      let first = try await home.tote("sync", "push", "notes", path, "--json")
      #expect(try first.json["push"]?["bundle"]?["number"] == 1)
      #expect(try await home.tote("sync", "pull", "copy", path).status == 0)
      #expect(try await home.tote("sync", "push", "notes", path).status == 0)
      try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
      try await home.run("put", "notes", "b", "{}")
      try await home.tote("sync", "push", "notes", path)
      try FileManager.default.moveItem(atPath: path, toPath: path + ".2")
      try await home.run("put", "notes", "c", "{}")
      try await home.tote("sync", "push", "notes", path)
      let gap = try await home.tote("sync", "pull", "copy", path, "--json")
      #expect(gap.status == 65)
      #expect(gap.errorCode == "gap")
      #expect(gap.errors.contains("bundle 2 was not applied before"))
      try await home.tote("sync", "pull", "copy", path + ".2")
      #expect(try await home.tote("sync", "pull", "copy", path).status == 0)
      #expect(try home.stores.open("copy").info().documentCount == 3)
    }
  }

  @Test("a file that is no bundle is never written over")
  func foreignFile() async throws {
    try await withNotes { home in
      let path = home.path + "/letter.totebundle"
      try writeText("dear", to: path)
      #expect(try await home.tote("sync", "push", "notes", path, "--reset").status == 73)
      #expect(try readText(path) == "dear")
      #expect(try await home.tote("sync", "pull", "notes", path).status == 65)
      #expect(try await home.tote("sync", "pull", "notes", path + "x").status == 66)
    }
  }
}

/// `tote sync remote`.
struct SyncRemoteTests {
  @Test("user-info is decoded once, kept for the owner only, and never printed")
  func secrets() async throws {
    try await withNotes { home in
      // apache/couchdb#2892: a password with '@' must work when it is percent-encoded.
      let added = try await home.tote(
        "sync", "remote", "add", "work", "-", input: "https://ada:p%40s%2525@h.example/notes\n")
      #expect(added.status == 0)
      let file = home.path + "/stores/remotes/work.json"
      let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
      #expect(mode as? Int == 0o600)
      #expect(try JSON(parsing: readText(file))["password"] == "p@s%25")
      for words in [["show", "work"], ["list"], ["show", "work", "--json"]] {
        let ran = try await home.tote(words: ["sync", "remote"] + words)
        #expect(ran.output.contains("https://h.example/notes"))
        #expect(!ran.output.contains("p@s"))
      }
      let shown = try await home.tote("sync", "remote", "show", "work")
      #expect(shown.output.contains("password\tsaved\n"))
    }
  }

  @Test("a password, token or key comes from standard input or a file")
  func sources() async throws {
    try await withNotes { home in
      let words = ["sync", "remote", "add", "a", "https://h.example/n"]
      #expect(try await home.tote(words: words + ["--user", "ada"]).status == 64)
      #expect(try await home.tote(words: words + ["--user", "ada"], input: "secret\n").status == 0)
      let remotes = RemoteDirectory(home: home.path + "/stores")
      #expect(try remotes.remote("a").secret == .password(user: "ada", password: "secret"))
      try writeText("tok\n", to: home.path + "/t")
      #expect(try await home.tote(words: words).status == 73)
      let pin = "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
      let replaced = try await home.tote(
        words: words + ["--replace", "--token-file", home.path + "/t", "--pin", pin])
      #expect(replaced.status == 0)
      #expect(try remotes.remote("a").secret == .token("tok"))
      #expect(try remotes.remote("a").pin?.description == pin)
    }
  }

  @Test("a name means one thing: a store or a remote, and no verb")
  func names() async throws {
    try await withNotes { home in
      for name in ["notes", "push", "Work", "a/b", "x.totebundle", "http://x/y", ""] {
        let ran = try await home.tote("sync", "remote", "add", name, "https://h.example/n")
        #expect(ran.status != 0, "\(name)")
      }
      try await home.tote("sync", "remote", "add", "work", "https://h.example/n")
      try await home.tote("sync", "remote", "rm", "work")
      #expect(try await home.tote("sync", "remote", "show", "work").status == 66)
    }
  }
}

/// `tote sync` with a listener.
struct SyncServerTests {
  /// Runs a test body with a listener over stores of its own.
  func withServer(_ body: (StoreHome, StoreDirectory, String) async throws -> Void) async throws {
    try await withNotes { home in
      let stores = StoreDirectory(path: home.path + "/server")
      let listener = Listener(Listener.Options(stores: stores))
      let port = try listener.start()
      do {
        try await body(home, stores, "http://127.0.0.1:\(port)")
      } catch {
        await listener.stop()
        throw error
      }
      await listener.stop()
    }
  }

  @Test("a database on a server is made only when asked, and then kept in step")
  func server() async throws {
    try await withServer { home, stores, url in
      try await home.run("put", "notes", "a", "{}")
      let missing = try await home.tote("sync", "notes", url + "/notes", "--json")
      #expect(missing.status == 66)
      #expect(missing.errorCode == "not_found")
      #expect(try await home.tote("sync", "notes", url + "/notes", "--create").status == 0)
      let remote = try stores.open("notes")
      try remote.put(Document(id: "b", body: DocumentBody(["x": 1])))
      #expect(try await home.tote("sync", "notes").status == 0)
      #expect(try home.stores.open("notes").info().documentCount == 2)
      #expect(try remote.info().documentCount == 2)
    }
  }

  @Test("a saved remote and a bundle from a server work as a store does")
  func saved() async throws {
    try await withServer { home, stores, url in
      try await home.tote("sync", "remote", "add", "far", url + "/notes")
      let remote = try stores.create("notes")
      let file = Attachment(
        name: "f", contentType: "text/plain", content: .inline(Array("hello".utf8)))
      try remote.put(Document(id: "a", attachments: [file]))
      #expect(try await home.tote("sync", "pull", "notes", "far").status == 0)
      let path = home.path + "/far.totebundle"
      #expect(try await home.tote("sync", "push", "far", path).status == 0)
      #expect(try await home.tote("sync", "pull", "copy", path, "--create").status == 0)
      #expect(
        try home.stores.open("copy").document("a") == home.stores.open("notes").document("a"))
      _ = try stores.create("empty")
      #expect(try await home.tote("sync", "pull", url + "/empty", path).status == 0)
      #expect(try stores.open("empty").document("a") == remote.document("a"))
    }
  }

  @Test("todos changed on two machines are merged field by field, alike on both")
  func todos() async throws {
    try await withServer { home, stores, url in
      _ = try stores.create("todos")
      let other = StoreHome(path: home.path + "/other")
      try FileManager.default.createDirectory(
        atPath: other.path + "/stores", withIntermediateDirectories: true)
      try await home.tote("todo", "add", "Milk", "--tag", "shop")
      #expect(try await home.tote("todo", "sync", url + "/todos").status == 0)
      #expect(try await other.tote("todo", "sync", url + "/todos").status == 0)
      let id = try #require(
        try await home.tote("todo", "--json").json[0]?["id"]?.stringValue)
      try await home.tote("todo", "edit", id, "Oat milk")
      try await other.tote("todo", "edit", id, "--due", "tomorrow", "--tag", "now")
      try await home.tote("todo", "sync")
      let merged = try await other.tote("todo", "sync", "--json")
      #expect(try merged.json["merged"] == 1)
      #expect(try merged.json["conflicts"] == 0)
      try await home.tote("todo", "sync")
      let left = try await home.tote("todo", "--json").output
      let right = try await other.tote("todo", "--json").output
      #expect(left == right)
      #expect(left.contains("Oat milk") && left.contains("now") && left.contains("shop"))
    }
  }
}
