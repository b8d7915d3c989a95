import Core
import Foundation
import Sync
import TestSupport
import Testing

@testable import tote

/// `tote store` on databases of a server: each command does there what it does here.
struct RemoteStoreCommandTests {
  /// Runs a test body with a home whose remote `far` is an empty database of a listener.
  func withFar(_ body: (StoreHome, LocalStore) async throws -> Void) async throws {
    try await withNotes { home in
      let stores = StoreDirectory(path: home.path + "/server")
      let listener = Listener(Listener.Options(stores: stores))
      let port = try listener.start()
      do {
        try await home.tote("sync", "remote", "add", "far", "http://127.0.0.1:\(port)/far")
        #expect(try await home.run("create", "far").status == 0)
        try await body(home, try stores.open("far"))
      } catch {
        await listener.stop()
        throw error
      }
      await listener.stop()
    }
  }

  @Test("a database is made, described and deleted")
  func lifecycle() async throws {
    try await withFar { home, _ in
      #expect(try await home.run("create", "far").status == 73)
      try await home.run("put", "far", "a", "{}")
      let info = try await home.run("info", "far", "--json").json
      #expect(info["doc_count"] == 1)
      #expect(info["path"] == .null)
      #expect(info["url"]?.stringValue?.hasSuffix("/far") == true)
      #expect(try await home.run("delete", "far").status == 64)
      #expect(try await home.run("delete", "far", "--yes").status == 0)
      #expect(try await home.run("info", "far").status == 66)
    }
  }

  @Test("documents are written, read, listed, changed and deleted")
  func documents() async throws {
    try await withFar { home, store in
      let first = try await home.run("put", "far", "milk", "{\"n\": 1}")
      #expect(first.masked == "milk\t1-R\n")
      let refused = try await home.run("put", "far", "milk", "{\"n\": 2}", "--json")
      #expect(refused.status == 75)
      #expect(refused.errorCode == "conflict")
      try await home.run("put", "far", "milk", "--merge", "{\"m\": 2}")
      try await home.run("put", "far", "bread", "--type", "T", "{\"n\": 3}")
      #expect(try await home.run("get", "far", "milk", "--field", "m").output == "2\n")
      #expect(try await home.run("ls", "far").output.split(separator: "\n").count == 2)
      #expect(
        try await home.run("changes", "far", "--jsonl").output.split(separator: "\n").count == 2)
      #expect(try await home.run("rm", "far", "bread").status == 0)
      #expect(try await home.run("get", "far", "bread").status == 66)
      #expect(try store.info().documentCount == 1)
    }
  }

  @Test("queries and indexes are the server's, and a condition it cannot test is tested here")
  func queries() async throws {
    try await withFar { home, _ in
      for (id, number) in [("a", 1), ("b", 2), ("c", 3)] {
        try await home.run("put", "far", id, "{\"n\": \(number)}")
      }
      #expect(try await home.run("index", "create", "far", "n").status == 0)
      #expect(try await home.run("index", "list", "far").output.contains("n\tjson"))
      let found = try await home.run("find", "far", "--where", "n >= 2", "--sort", "n:desc")
      #expect(found.status == 0)
      #expect(found.output.split(separator: "\n").count == 2)
      #expect(found.output.hasPrefix("{\"_id\":\"c\""))
      #expect(try await home.run("find", "far", "--where", "n > 1", "--count").output == "2\n")
      #expect(try await home.run("find", "far", "--where", "x.y = NULL", "--count").output == "3\n")
      #expect(try await home.run("find", "far", "--where", "n = 2", "--explain").status == 0)
      #expect(try await home.run("index", "rm", "far", "n").status == 0)
      #expect(try await home.run("index", "rm", "far", "n").status == 66)
    }
  }

  @Test("attachments go and come, checked against their digests")
  func attachments() async throws {
    try await withFar { home, store in
      try await home.run("put", "far", "a", "{}")
      let path = home.path + "/file.bin"
      try Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) }).write(
        to: URL(fileURLWithPath: path))
      #expect(try await home.run("attach", "far", "a", path).status == 0)
      #expect(try store.document("a").attachments.map(\.length) == [200_000])
      #expect(try await home.run("attachments", "far", "a").output.contains("file.bin"))
      let copy = home.path + "/copy.bin"
      #expect(
        try await home.run("fetch", "far", "a", "file.bin", "--output", copy).status == 0)
      #expect(FileManager.default.contentsEqual(atPath: path, andPath: copy))
      #expect(try await home.run("fetch", "far", "a", "none", "--output", copy).status == 66)
      #expect(try await home.run("detach", "far", "a", "file.bin").status == 0)
      #expect(try store.document("a").attachments.isEmpty)
    }
  }

  @Test("histories and conflicts are shown and settled")
  func conflicts() async throws {
    try await withFar { home, store in
      try home.makeConflict()
      try await home.tote("sync", "push", "notes", "far")
      let here = try await home.run("history", "notes", "milk", "--json").json["revisions"]
      let there = try await home.run("history", "far", "milk", "--json").json["revisions"]
      #expect(here?.arrayValue?.map { $0["rev"] } == there?.arrayValue?.map { $0["rev"] })
      #expect(here?.arrayValue?.map { $0["winner"] } == there?.arrayValue?.map { $0["winner"] })
      #expect(try await home.run("conflicts", "far").output.hasPrefix("milk\t2-"))
      #expect(
        try await home.run("resolve", "far", "milk", "--merge", "{\"amount\": 5}").status == 0)
      #expect(try store.conflictedDocuments().isEmpty)
      #expect(try store.document("milk").body.members["amount"] == 5)
    }
  }

  @Test("many documents are imported and exported")
  func transfer() async throws {
    try await withFar { home, store in
      let lines = (0..<250).map { "{\"_id\":\"d\($0)\",\"n\":\($0)}\n" }.joined()
      let first = try await home.run("import", "far", "--json", input: lines)
      #expect(try first.json["inserted"] == 250)
      let again = try await home.run(
        "import", "far", "--json", input: "{\"_id\":\"d1\",\"n\":-1}\n{\"_id\":\"new\"}\n")
      #expect(try again.json["skipped"] == 1)
      #expect(try again.json["inserted"] == 1)
      #expect(
        try await home.run(
          "import", "far", "--on-conflict", "update", input: "{\"_id\":\"d1\",\"n\":-1}\n"
        ).status == 0)
      #expect(try store.document("d1").body.members["n"] == -1)
      let refused = try await home.run(
        "import", "far", "--on-conflict", "fail", "--json",
        input: "{\"_id\":\"other\"}\n{\"_id\":\"d1\"}\n")
      #expect(refused.status == 75)
      #expect(try store.info().documentCount == 251)
      let path = home.path + "/far.jsonl"
      #expect(try await home.run("export", "far", path).status == 0)
      #expect(try readText(path).split(separator: "\n").count == 252)
    }
  }

  @Test("a list on a server is kept as one on this machine is")
  func todos() async throws {
    try await withFar { home, store in
      let added = try await home.tote("todo", "add", "Milk", "--store", "far")
      #expect(added.status == 0)
      let id = String(added.output.dropLast())
      #expect(try store.info().documentCount == 1)
      try await home.tote("todo", "edit", id, "Oat milk", "--store", "far")
      #expect(try await home.tote("todo", "done", id, "--store", "far").status == 0)
      let list = try await home.tote("todo", "list", "--all", "--json", "--store", "far")
      #expect(try list.json[0]?["name"] == "Oat milk")
      #expect(try list.json[0]?["done"] == true)
      #expect(try await home.tote("todo", "rm", id, "--store", "far").status == 0)
      #expect(try store.info().documentCount == 0)
    }
  }

  @Test(
    "what works on files says so", arguments: [["compact"], ["verify"], ["backup", "x.tar"]])
  func localOnly(words: [String]) async throws {
    try await withFar { home, _ in
      var words = words
      words.insert("far", at: 1)
      let ran = try await home.run(words: words)
      #expect(ran.status == 64)
      #expect(ran.errors.contains("tote sync pull NAME far --create"))
    }
  }
}
