import Glibc
import TestSupport
import Testing

@Suite("A process that is killed leaves a sound store")
struct KillTests {
  @Test("kill -9 in the middle of an import of 100,000 documents", arguments: [false, true])
  func duringImport(storeHasDocuments: Bool) throws {
    try withTote { tote in
      try writeText(SampleDocuments.lines(0..<100_000), to: "\(tote.directory)/docs.jsonl")
      try tote.succeed("store", "create", "notes")
      if storeHasDocuments {
        try tote.succeed("store", "put", "notes", "before", "{\"kept\":true}")
      }
      var generator = SeededGenerator(
        for: "kill during import, store not empty: \(storeHasDocuments)")
      for _ in 0..<3 {
        let process = try ChildProcess(tote.launch(["store", "import", "notes", "docs.jsonl"]))
        // Not by time: when the store's files have grown to a random part of what they will be.
        let size = Int.random(in: 100_000...12_000_000, using: &generator)
        let ended = try waitUntil { storeSize(tote, "notes") > size || hasEnded(process) }
        #expect(ended)
        process.send(SIGKILL)
        let result = try process.finish()
        #expect(result.status == .signalled(SIGKILL))
        try checkSound(tote, storeHasDocuments: storeHasDocuments)
        try restart(tote, storeHasDocuments: storeHasDocuments)
      }
      // Whatever is there, the import can be repeated and completes it.
      try tote.succeed("store", "import", "notes", "docs.jsonl", "--on-conflict", "skip")
      #expect(try tote.documentCount("notes") == 100_000 + (storeHasDocuments ? 1 : 0))
      try tote.succeed("store", "verify", "notes")
    }
  }

  private func checkSound(_ tote: ToteBinary, storeHasDocuments: Bool) throws {
    let verify = try tote.run("store", "verify", "notes")
    #expect(verify.exitCode == 0, "\(verify.output)\(verify.errors)")
    let ids = try tote.documentIDs("notes").filter { $0.hasPrefix("doc-") }
    // Batches are committed in the order of the file, so what is there is its beginning.
    #expect(ids == (0..<ids.count).map { SampleDocuments.id($0) })
    guard storeHasDocuments else { return }
    #expect(try tote.run("store", "get", "notes", "before").exitCode == 0)
  }

  private func restart(_ tote: ToteBinary, storeHasDocuments: Bool) throws {
    try tote.succeed("store", "delete", "notes", "--yes")
    try tote.succeed("store", "create", "notes")
    if storeHasDocuments { try tote.succeed("store", "put", "notes", "before", "{\"kept\":true}") }
  }

  @Test("every put that was acknowledged before kill -9 is there")
  func acknowledgedPuts() throws {
    try withTote { tote in
      try tote.succeed("store", "create", "notes")
      let line =
        "n=0; while tote store put notes doc-$n '{}' >/dev/null; do echo $n; n=$((n+1)); done"
      var launch = Launch("/bin/sh", ["-c", line], environment: tote.environment)
      launch.directory = tote.directory
      let process = try ChildProcess(launch)
      var last = -1
      while last < 40, let text = try process.nextLine() { last = Int(text) ?? last }
      process.send(SIGKILL)
      let result = try process.finish()
      last = result.lines.last.flatMap { Int($0) } ?? last
      try #require(last >= 40)
      let ids = Set(try tote.documentIDs("notes"))
      for number in 0...last { #expect(ids.contains("doc-\(number)")) }
      try tote.succeed("store", "verify", "notes")
    }
  }

  @Test("kill -9 in the middle of an attachment write")
  func duringAttachment() throws {
    try withTote { tote in
      try tote.succeed("store", "create", "notes")
      try tote.succeed("store", "put", "notes", "doc", "{}")
      try writeText("first", to: "\(tote.directory)/first.txt")
      try tote.succeed("store", "attach", "notes", "doc", "first.txt")
      let fifo = "\(tote.directory)/large.bin"
      mkfifo(fifo, 0o600)
      let process = try ChildProcess(tote.launch(["store", "attach", "notes", "doc", "large.bin"]))
      // The program now waits for more of a file whose end never comes.
      let writer = open(fifo, O_WRONLY | O_CLOEXEC)
      try #require(writer >= 0)
      defer { close(writer) }
      let block = [UInt8](repeating: 7, count: 1 << 20)
      for _ in 0..<8 { _ = block.withUnsafeBytes { Glibc.write(writer, $0.baseAddress, $0.count) } }
      #expect(try waitUntil { storeSize(tote, "notes") > 4_000_000 })
      process.send(SIGKILL)
      #expect(try process.finish().status == .signalled(SIGKILL))
      let verify = try tote.run("store", "verify", "notes")
      #expect(verify.exitCode == 0, "\(verify.output)\(verify.errors)")
      let names = try tote.succeed("store", "attachments", "notes", "doc", "--json").output
      #expect(names.contains("first.txt") && !names.contains("large.bin"))
      let fetched = try tote.succeed("store", "fetch", "notes", "doc", "first.txt", "--output", "-")
      #expect(fetched.output == "first")
      // What the killed process left behind does not stay for ever.
      try tote.succeed("store", "compact", "notes")
      #expect(storeSize(tote, "notes") < 1_000_000)
    }
  }

  // MARK: -

  private func storeSize(_ tote: ToteBinary, _ name: String) -> Int {
    diskUsage(tote.storePath(name))
  }

  private func hasEnded(_ process: ChildProcess) -> Bool {
    // A zombie counts as ended: the test has not waited for it yet.
    guard let text = try? readText("/proc/\(process.pid)/stat") else { return true }
    return text.contains(") Z ")
  }

  private func waitUntil(_ condition: () throws -> Bool) throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
      if try condition() { return true }
      usleep(500)
    }
    return false
  }
}
