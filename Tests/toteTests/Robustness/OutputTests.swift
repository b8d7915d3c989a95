import Glibc
import TestSupport
import Testing

@Suite("Outputs that end early, are full or closed")
struct OutputTests {
  private static let commands = [
    ["--help"], ["--version"], ["store", "ls", "notes"], ["store", "ls", "notes", "--json"],
    ["store", "export", "notes"], ["store", "get", "notes", "doc-0000001"],
    ["store", "find", "notes", "--where", "number >= 0"], ["store", "changes", "notes"],
    ["completions", "bash"],
  ]

  private func withStore(_ body: (ToteBinary) throws -> Void) throws {
    try withTote { tote in
      try tote.succeed("store", "create", "notes")
      try tote.succeed("store", "import", "notes", "-", input: SampleDocuments.lines(0..<3_000))
      try body(tote)
    }
  }

  @Test("a reader that left is no error: status 0 and silence")
  func brokenPipe() throws {
    try withStore { tote in
      for command in Self.commands {
        var launch = try tote.launch(command)
        launch.standardOutput = .brokenPipe
        let result = try ChildProcess(launch).finish()
        #expect(result.status == .exited(0), "\(command)")
        #expect(result.errors == "", "\(command)")
      }
    }
  }

  @Test("head gets its lines and nothing is said")
  func head() throws {
    try withStore { tote in
      let result = try tote.shell("{ tote store ls notes --jsonl; echo $? >&2; } | head -n 1")
      #expect(result.lines.count == 1)
      #expect(result.errors == "0\n")
    }
  }

  @Test("a full disk behind the output is status 74 and says so")
  func fullDisk() throws {
    try withStore { tote in
      for command in Self.commands {
        var launch = try tote.launch(command)
        launch.standardOutput = .file("/dev/full")
        let result = try ChildProcess(launch).finish()
        #expect(result.status == .exited(74), "\(command)")
        #expect(
          result.errors.lowercased().contains("no space left"), "\(command): \(result.errors)")
      }
    }
  }

  @Test("closed standard streams do no harm, and never let output land in a store's file")
  func closedStreams() throws {
    try withStore { tote in
      for (number, stream) in [(0, "stdin"), (1, "stdout"), (2, "stderr")] {
        var launch = try tote.launch(["store", "put", "notes", "closed-\(number)", "{\"a\":1}"])
        switch number {
        case 0: launch.standardInput = .closed
        case 1: launch.standardOutput = .closed
        default: launch.standardError = .closed
        }
        let result = try ChildProcess(launch).finish()
        #expect(result.status == .exited(0), "\(stream): \(result.errors)")
      }
      try tote.succeed("store", "verify", "notes")
      #expect(try tote.documentCount("notes") == 3_003)
    }
  }

  @Test("an error is told even when standard output is gone")
  func errorsWithoutOutput() throws {
    try withTote { tote in
      var launch = try tote.launch(["store", "get", "nothing", "doc"])
      launch.standardOutput = .closed
      let result = try ChildProcess(launch).finish()
      #expect(result.status == .exited(66))
      #expect(result.errors.contains("nothing"))
    }
  }
}
