import Glibc
import TestSupport
import Testing

/// How the built program behaves towards signals, terminals and questions.
struct TerminalBehaviourTests {
  @Test(
    "fd#854: Ctrl-C ends the run by the signal itself, and at once",
    arguments: [SIGINT, SIGTERM, SIGHUP])
  func signals(number: Int32) throws {
    try withTote { tote in
      var launch = try tote.launch(["todo", "import", "-"])
      launch.keepsInputOpen = true
      launch.input = Array("(A) half a fi".utf8)
      let process = try ChildProcess(launch)
      // The program reads until the end, which never comes.
      try waitUntilReading(process)
      process.send(number)
      let result = try process.finish(within: .seconds(10))
      #expect(result.status == .signalled(number))
      #expect(result.output.isEmpty)
    }
  }

  @Test("a program started with an ignored SIGHUP goes on, as nohup promises")
  func ignoredHangup() throws {
    try withTote { tote in
      let result = try tote.shell(
        "trap '' HUP; printf 'a\\n' | { kill -HUP $$; tote todo import -; }")
      #expect(result.exitCode == 0)
    }
  }

  @Test("cli#13335: what is coloured is decided for each stream on its own")
  func colourPerStream() throws {
    try withTote { tote in
      try tote.run("todo", "add", "urgent", "--priority", "high")
      var launch = try tote.launch(["todo"])
      launch.standardOutput = .pipe
      let piped = try PseudoTerminal(launch, streams: [2]).finish()
      #expect(!piped.output.contains("\u{1B}"))
      let shown = try PseudoTerminal(try tote.launch(["todo"])).finish()
      #expect(shown.screen.contains("\u{1B}[31m"))
      let plain = try PseudoTerminal(try tote.launch(["todo", "--color", "never"])).finish()
      #expect(!plain.screen.contains("\u{1B}"))
      // The mark still tells what the colour told.
      #expect(plain.screen.contains("!  urgent"))
      let forced = try tote.run("todo", "--color", "always")
      #expect(!forced.output.isEmpty)
    }
  }

  @Test("a todo cannot clear the screen, and a pipe gets it as it is")
  func controlCharacters() throws {
    try withTote { tote in
      try tote.run("todo", "add", "a\u{1B}[2Jb")
      let shown = try PseudoTerminal(try tote.launch(["todo"])).finish()
      #expect(shown.screen.contains("a\\e[2Jb"))
      #expect(!shown.screen.contains("\u{1B}[2J"))
      #expect(try tote.run("todo").output.contains("a\u{1B}[2Jb"))
      #expect(try tote.run("todo", "--json").output.lowercased().contains("a\\u001b[2jb"))
    }
  }

  @Test("terragrunt#317: without a terminal a question is refused, and the option is named")
  func noTerminal() throws {
    try withTote { tote in
      for name in ["a", "b", "c", "d"] { try tote.run("todo", "add", name) }
      let refused = try tote.run("todo", "rm", "--where", anything)
      #expect(refused.exitCode == 64)
      #expect(refused.errors.contains("--yes"))
      #expect(try tote.run("todo").lines.count == 4)
      let forbidden = try PseudoTerminal(
        try tote.launch(["todo", "rm", "--where", anything, "--no-input"])
      ).finish()
      #expect(forbidden.exitCode == 64)
      #expect(forbidden.screen.contains("--yes"))
    }
  }

  @Test(
    "the safe answer is no: Return, the end of input and anything but yes",
    arguments: [
      ("\r", 4), ("\u{4}", 4), ("q\r", 4), ("Y\r", 0), ("yes\r", 0),
    ])
  func answers(keys: String, left: Int) throws {
    try withTote { tote in
      for name in ["a", "b", "c", "d"] { try tote.run("todo", "add", name) }
      let session = try PseudoTerminal(try tote.launch(["todo", "rm", "--where", anything]))
      try session.waitFor("delete 4 todos? [y/N]")
      session.type(keys)
      let result = try session.finish()
      #expect(result.exitCode == (left == 0 ? 0 : 1))
      #expect(try tote.run("todo").lines.count == left)
    }
  }

  @Test("piped standard error holds no carriage return")
  func quietErrors() throws {
    try withTote { tote in
      let text = (1...2000).map { "task \($0)\n" }.joined()
      let result = try tote.run("todo", "import", "-", input: text)
      #expect(result.exitCode == 0)
      #expect(!result.errors.contains("\r"))
    }
  }

  @Test("broken UTF-8 in an argument is refused by its position")
  func brokenArgument() throws {
    try withTote { tote in
      let result = try tote.shell("tote todo add \"$(printf '\\377')\"")
      #expect(result.exitCode == 64)
      #expect(result.errors.contains("argument 3"))
      #expect(try tote.run("todo").output.isEmpty)
    }
  }

  @Test("an editor that fails saves nothing and tells where the text is")
  func editorFailure() throws {
    try withTote { tote in
      let id = try tote.run("todo", "add", "Buy milk").lines[0]
      let failed = try tote.run(
        "todo", "edit", id, environment: ["EDITOR": "sh -c 'echo Changed > \"$0\"; exit 1'"])
      #expect(failed.exitCode == 1)
      #expect(failed.errors.contains("your text is in \(tote.directory)/tmp/tote-"))
      #expect(try tote.run("todo").output.contains("Buy milk"))
    }
  }

  @Test(
    "the editor's text is saved, unchanged text writes nothing, and the passphrase is not passed on"
  )
  func editor() throws {
    try withTote { tote in
      let id = try tote.run("todo", "add", "Buy milk").lines[0]
      let before = try tote.run("todo", "show", id, "--json").output
      let unchanged = try tote.run("todo", "edit", id, environment: ["EDITOR": "true"])
      #expect(unchanged.exitCode == 0)
      #expect(try tote.run("todo", "show", id, "--json").output == before)
      let script = "sh -c 'printf \"Buy oat milk\\n\\nnote ${TOTE_PASSPHRASE-none}\\n\" > \"$0\"'"
      let edited = try tote.run(
        "todo", "edit", id, environment: ["VISUAL": script, "TOTE_PASSPHRASE": "secret"])
      #expect(edited.exitCode == 0)
      let after = try tote.run("todo", "show", id, "--json").output
      #expect(after.contains(#""name":"Buy oat milk""#))
      #expect(after.contains(#""note":"note none""#))
      #expect(try tote.shell("ls tmp").output.isEmpty)
    }
  }

  private let anything = "name LIKE '*'"

  /// Waits until the program sleeps in `read`; the kernel tells by the state of its threads.
  private func waitUntilReading(_ process: ChildProcess) throws {
    for _ in 0..<2000 {
      let threads = (try? readText("/proc/\(process.pid)/task/\(process.pid)/children")) ?? ""
      _ = threads
      if try isReading(process.pid) { return }
      usleep(5000)
    }
    Issue.record("the program never read its input")
  }

  private func isReading(_ pid: pid_t) throws -> Bool {
    guard let folder = opendir("/proc/\(pid)/task") else { return false }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      // 0 is read(2) on this architecture; its first argument is the descriptor 0.
      let call = (try? readText("/proc/\(pid)/task/\(name)/syscall")) ?? ""
      if call.hasPrefix("0 0x0 ") { return true }
    }
    return false
  }
}
