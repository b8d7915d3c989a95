import Glibc
import TestSupport
import Testing

/// Encrypted stores through the built program.
@Suite struct EncryptionTests {
  static let mark = "MARKED-PLAINTEXT"

  /// A folder with the key files `a.key` and `b.key`, which open a store at once.
  private func withKeys(_ body: (ToteBinary) throws -> Void) throws {
    try withTote { tote in
      for (name, byte) in [("a", 1), ("b", 2)] as [(String, UInt8)] {
        let key = [UInt8](repeating: byte, count: 32)
        try writeBytes(key, to: "\(tote.directory)/\(name).key")
      }
      try body(tote)
    }
  }

  /// The names of the files below a store's folder that hold a text.
  private func files(_ tote: ToteBinary, _ store: String, holding text: String) throws -> [String] {
    try tote.shell("grep -rlaF '\(text)' '\(tote.storePath(store))' || true").lines
  }

  // MARK: Keys

  @Test("the key is asked for twice, never shown, and opens the store")
  func prompt() throws {
    try withTote { tote in
      let arguments = ["store", "create", "diary", "--encrypt"]
      let session = try PseudoTerminal(try tote.launch(arguments))
      try session.waitFor("new passphrase of store 'diary': ")
      session.type("correct horse\r")
      try session.waitFor("once more: ")
      session.type("correct horse\r")
      let made = try session.finish()
      #expect(made.exitCode == 0, "\(made.screen)")
      #expect(!made.screen.contains("horse"))
      let again = try PseudoTerminal(try tote.launch(["store", "info", "diary"]))
      try again.waitFor("passphrase of store 'diary': ")
      again.type("correct horse\r")
      let info = try again.finish()
      #expect(info.exitCode == 0 && info.screen.contains("key from the terminal"))
      #expect(!info.screen.contains("horse"))
    }
  }

  @Test("two different passphrases, an empty one and no terminal make no store")
  func refusedKeys() throws {
    try withTote { tote in
      let arguments = ["store", "create", "diary", "--encrypt"]
      for (first, second) in [("one", "two"), ("", "")] {
        let session = try PseudoTerminal(try tote.launch(arguments))
        try session.waitFor("new passphrase")
        session.type(first + "\r")
        if !first.isEmpty {
          try session.waitFor("once more")
          session.type(second + "\r")
        }
        #expect(try session.finish().exitCode == 65)
      }
      let refused = try tote.run(arguments)
      #expect(refused.exitCode == 64 && refused.errors.contains("no terminal to ask at"))
      let forbidden = try PseudoTerminal(try tote.launch(arguments + ["--no-input"])).finish()
      #expect(forbidden.exitCode == 64 && forbidden.screen.contains("'--no-input' forbids"))
      try writeText("short", to: "\(tote.directory)/short.key")
      let short = try tote.run(arguments + ["--key-file", "short.key"])
      #expect(short.exitCode == 65 && short.errors.contains("64 hexadecimal digits"))
      #expect(try tote.run("store", "list").output.isEmpty)
    }
  }

  @Test("each way to give a passphrase or key opens the store, and says so")
  func sources() throws {
    try withKeys { tote in
      let digits = String(repeating: "01", count: 32)
      try writeText(digits + "\n", to: "\(tote.directory)/digits.key")
      try tote.succeed("store", "create", "raw", "--encrypt", "--key-file", "a.key")
      for arguments in [["--key-file", "a.key"], ["--key-file", "digits.key"]] {
        let info = try tote.run(["store", "info", "raw", "--json"] + arguments)
        #expect(info.output.contains("\"key_source\":\"key-file\""), "\(info.errors)")
        #expect(info.output.contains("\"cipher\":\"SQLCipher 4 "))
      }
      try writeText("päss phrase\n", to: "\(tote.directory)/phrase")
      try tote.succeed("store", "create", "typed", "--encrypt", "--passphrase-file", "phrase")
      var other = tote
      other.environment["TOTE_PASSPHRASE"] = "päss phrase"
      let info = try other.run("store", "info", "typed", "--json")
      #expect(info.output.contains("\"key_source\":\"environment\""), "\(info.errors)")
      let piped = try tote.run(
        "store", "info", "typed", "--passphrase-file", "-", "--json", input: "päss phrase\n")
      #expect(piped.output.contains("\"key_source\":\"passphrase-file\""), "\(piped.errors)")
      let both = try tote.run(
        "store", "info", "raw", "--key-file", "a.key", "--passphrase-file", "phrase")
      #expect(both.exitCode == 64)
    }
  }

  @Test("a locked store, a wrong key, damage and a foreign file each have their own answer")
  func errors() throws {
    try withKeys { tote in
      try tote.succeed("store", "create", "s", "--encrypt", "--key-file", "a.key")
      try tote.succeed("store", "put", "s", "doc", "{}", "--key-file", "a.key")
      let path = "\(tote.storePath("s"))/store.db"
      let sound = try readBytes(path)
      let locked = try tote.run("store", "get", "s", "doc", "--json")
      #expect(locked.exitCode == 77 && locked.errors.contains("\"code\":\"locked\""))
      let wrong = try tote.run("store", "put", "s", "new", "{}", "--key-file", "b.key", "--json")
      #expect(wrong.exitCode == 77 && wrong.errors.contains("\"code\":\"wrong_key\""))
      #expect(try readBytes(path) == sound)
      var bytes = sound
      bytes[2 * 4_096 + 100] ^= 1
      try writeBytes(bytes, to: path)
      let damaged = try tote.run("store", "verify", "s", "--key-file", "a.key")
      #expect(damaged.exitCode == 74)
      #expect((damaged.output + damaged.errors).contains("page 3 "), "\(damaged.errors)")
      try writeBytes([UInt8](repeating: 0, count: 8_192), to: path)
      let foreign = try tote.run("store", "get", "s", "doc", "--key-file", "a.key")
      #expect(foreign.exitCode == 65 && foreign.errors.contains("is not a store"))
    }
  }

  @Test("lists and the doctor show a locked store instead of asking for its key")
  func lists() throws {
    try withKeys { tote in
      try tote.succeed("store", "create", "plain")
      try tote.succeed("store", "create", "secret", "--encrypt", "--key-file", "a.key")
      let list = try PseudoTerminal(try tote.launch(["store", "list"])).finish()
      #expect(list.exitCode == 0 && list.screen.contains("locked"), "\(list.screen)")
      let lines = try tote.succeed("store", "list", "--jsonl").lines
      #expect(lines.map { $0.contains("\"locked\":true") } == [false, true])
      #expect(try tote.run("doctor").exitCode == 0)
      #expect(try tote.run("store", "delete", "secret", "--yes").exitCode == 0)
    }
  }

  // MARK: Keyring

  @Test("an unlocked store needs no key until it is locked, or its key is changed")
  func keyring() throws {
    try withKeys { tote in
      try tote.succeed("store", "create", "s", "--encrypt", "--key-file", "a.key")
      let unlocked = try tote.run(
        "store", "unlock", "s", "--for", "2m", "--key-file", "a.key", "--json")
      if unlocked.errors.contains("\"code\":\"keyring\"") {
        #expect(unlocked.exitCode == 78)
        return reportSkipped("store unlock", because: "the kernel refuses: \(unlocked.errors)")
      }
      #expect(unlocked.output.contains("\"seconds\":120"), "\(unlocked.errors)")
      let info = try tote.run("store", "info", "s", "--json")
      #expect(info.output.contains("\"key_source\":\"keyring\""), "\(info.errors)")
      #expect(try tote.run("store", "put", "s", "doc", "{}").exitCode == 0)
      let locked = try tote.run("store", "lock", "s", "--json")
      #expect(locked.output.contains("\"was_unlocked\":true"))
      #expect(try tote.run("store", "get", "s", "doc").exitCode == 77)
      #expect(
        try tote.run("store", "lock", "s", "--json").output.contains("\"was_unlocked\":false"))
      let wrong = try tote.run("store", "unlock", "s", "--key-file", "b.key")
      #expect(wrong.exitCode == 77)
      #expect(try tote.run("store", "get", "s", "doc").exitCode == 77)
      let time = try tote.run("store", "unlock", "s", "--for", "soon")
      #expect(time.exitCode == 64)
    }
  }

  // MARK: Kills

  @Test(
    "kill -9 during an import leaves no plain text and a sound store", arguments: [false, true])
  func killedImport(storeHasDocuments: Bool) throws {
    try withKeys { tote in
      let text = SampleDocuments.lines(0..<60_000, prefix: Self.mark)
      try writeText(text, to: "\(tote.directory)/docs.jsonl")
      var generator = SeededGenerator(
        for: "kill during encrypted import, store not empty: \(storeHasDocuments)")
      for round in 0..<2 {
        let store = "s\(round)"
        try tote.succeed("store", "create", store, "--encrypt", "--key-file", "a.key")
        if storeHasDocuments {
          try tote.succeed("store", "put", store, "first", "{}", "--key-file", "a.key")
        }
        let process = try ChildProcess(
          tote.launch(["store", "import", store, "docs.jsonl", "--key-file", "a.key"]))
        let size = Int.random(in: 100_000...9_000_000, using: &generator)
        #expect(try waitUntil { diskUsage(tote.storePath(store)) > size || hasEnded(process) })
        process.send(SIGKILL)
        _ = try process.finish()
        for text in [Self.mark, "lorem ipsum", "SQLite format"] {
          #expect(try files(tote, store, holding: text).isEmpty)
        }
        try tote.succeed("store", "verify", store, "--key-file", "a.key")
        try tote.succeed(
          "store", "import", store, "docs.jsonl", "--on-conflict", "skip", "--key-file", "a.key")
        try tote.succeed("store", "verify", store, "--key-file", "a.key")
        #expect(try files(tote, store, holding: Self.mark).isEmpty)
      }
    }
  }

  @Test("kill -9 during encrypt, rekey and decrypt: each is completed by running it again")
  func killedChange() throws {
    try withKeys { tote in
      try tote.succeed("store", "create", "s")
      try tote.succeed(
        "store", "import", "s", "-", input: SampleDocuments.lines(0..<20_000, prefix: Self.mark))
      for number in 0..<10 {
        let file = "\(tote.directory)/file\(number).txt"
        try writeText(String(repeating: "\(Self.mark)\(number) ", count: 60_000), to: file)
        try tote.succeed("store", "attach", "s", "\(Self.mark)-0000000", file)
      }
      var generator = SeededGenerator(for: "kill during a change of the key")
      let changes: [(arguments: [String], before: [String], after: [String])] = [
        (["encrypt", "s", "--key-file", "a.key"], [], ["--key-file", "a.key"]),
        (
          ["rekey", "s", "--key-file", "a.key", "--new-key-file", "b.key"],
          ["--key-file", "a.key"], ["--key-file", "b.key"]
        ),
        (["decrypt", "s", "--key-file", "b.key"], ["--key-file", "b.key"], []),
      ]
      for change in changes {
        for _ in 0..<3 {
          let process = try ChildProcess(tote.launch(["store"] + change.arguments))
          usleep(UInt32.random(in: 0...400_000, using: &generator))
          process.send(SIGKILL)
          if try process.finish().exitCode == 0 { break }
        }
        // Whatever the kills left, the last run ends with the change made, or says it is made.
        let last = try tote.run(["store"] + change.arguments)
        #expect([0, 65, 77].contains(last.exitCode), "\(last.errors)")
        let verify = try tote.run(["store", "verify", "s"] + change.after)
        #expect(verify.exitCode == 0, "\(verify.output)\(verify.errors)")
        #expect(!verify.errors.contains("interrupted"), "\(verify.errors)")
        #expect(try files(tote, "s", holding: Self.mark).isEmpty == !change.after.isEmpty)
      }
      #expect(try tote.documentCount("s") == 20_000)
    }
  }

  private func hasEnded(_ process: ChildProcess) -> Bool {
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
