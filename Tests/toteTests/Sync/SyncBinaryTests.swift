import Core
import Glibc
import TestSupport
import Testing

/// `tote sync` of the built program with another one that serves.
@Suite struct SyncBinaryTests {
  /// Runs a test body with a server over the stores of a home, and its address.
  private func withServer(_ body: (ToteBinary, String) throws -> Void) throws {
    try withTote { tote in
      try tote.run("store", "create", "notes")
      try tote.run("store", "create", "far")
      let server = try ChildProcess(
        try tote.launch(["sync", "serve", "far", "--port", "0", "--jsonl"]))
      defer { server.send(SIGTERM) }
      let line = try #require(try server.nextLine())
      let url = try #require(try JSON(parsing: line)["url"]?.stringValue)
      try body(tote, url + "far")
    }
  }

  /// Reads events until one has a kind and a direction.
  private func event(
    _ word: String, _ direction: String, of process: ChildProcess
  ) throws -> JSON? {
    while let line = try process.nextLine() {
      let json = try JSON(parsing: line)
      if json["event"]?.stringValue == word, json["direction"]?.stringValue == direction {
        return json
      }
    }
    return nil
  }

  @Test(
    "a continuous run moves changes as they come; stopped, it has recorded how far it came",
    arguments: [SIGINT, SIGTERM])
  func continuous(signal: Int32) throws {
    try withServer { tote, url in
      let process = try ChildProcess(
        try tote.launch(["sync", "notes", url, "--continuous", "--jsonl"]))
      _ = try event("idle", "push", of: process)
      try tote.run("store", "put", "notes", "mine", "{}")
      #expect(try event("progress", "push", of: process)?["written"] == 1)
      try tote.run("store", "put", "far", "theirs", "{}")
      _ = try event("progress", "pull", of: process)
      process.send(signal)
      let result = try process.finish()
      // A run without end that is told to end has ended well.
      #expect(result.exitCode == 0)
      #expect(try JSON(parsing: result.lines.last ?? "")["ok"] == true)
      #expect(try tote.run("store", "ls", "notes").lines.count == 2)
      #expect(try tote.run("store", "ls", "far").lines.count == 2)
    }
  }

  @Test("a server that cannot be reached is 69, and no password is told")
  func unreachable() throws {
    try withTote { tote in
      try tote.run("store", "create", "notes")
      let result = try tote.run(
        "sync", "push", "notes", "http://ada:se%40cret@127.0.0.1:9/x", "--json", "-vv")
      #expect(result.exitCode == 69)
      #expect(!(result.output + result.errors).contains("cret"))
      let status = try tote.run("sync", "status", "notes", "--json")
      #expect(try JSON(parsing: status.output)[0]?["ok"] == false)
      #expect(!status.output.contains("cret"))
    }
  }

  @Test("bundles of large attachments need little memory")
  func bundleMemory() throws {
    try withTote { tote in
      try tote.run("store", "create", "notes")
      try tote.run("store", "put", "notes", "a", "{}")
      try tote.shell("head -c 100000000 /dev/zero | tote store attach notes a - --name big")
      let path = tote.directory + "/big.totebundle"
      let pushed = try tote.run("sync", "push", "notes", path)
      let pulled = try tote.run("sync", "pull", "copy", path, "--create")
      #expect(pulled.exitCode == 0)
      #expect(pushed.peakMemory < 64 << 20)
      #expect(pulled.peakMemory < 64 << 20)
      let fetched = try tote.shell("tote store fetch copy a big | wc -c")
      #expect(fetched.output == "100000000\n")
    }
  }
}
