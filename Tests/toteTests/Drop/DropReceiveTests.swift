import Core
import Drop
import Glibc
import TestSupport
import Testing

/// `tote drop receive`, run as the built program, with curl as the sender.
@Suite struct DropReceiveTests {
  /// A running receiver on loopback that takes everything and tells in lines.
  private struct Running {
    let process: ChildProcess
    let ticket: DropTicket
    let folder: String
    let tote: ToteBinary

    init(_ tote: ToteBinary, _ arguments: String...) throws {
      self.tote = tote
      folder = "\(tote.directory)/in"
      mkdir(folder, 0o700)
      process = try ChildProcess(
        try tote.launch(
          ["drop", "receive", "--into", folder, "--bind", "127.0.0.1", "--yes", "--jsonl"]
            + arguments))
      let line = try JSON(parsing: try #require(try process.nextLine()))
      #expect(line["event"] == "waiting")
      ticket = try DropTicket(parsing: try #require(line["ticket"]?.stringValue))
    }

    /// The command line of curl for a path of the receiver.
    func curl(_ words: String, _ path: String) -> String {
      "curl -sk --max-time 60 -u drop:\(ticket.token.text) \(words) "
        + "'https://127.0.0.1:\(ticket.port)/\(path)'"
    }

    func events() throws -> [JSON] {
      var all: [JSON] = []
      while let line = try process.nextLine() { all.append(try JSON(parsing: line)) }
      return all
    }
  }

  @Test("curl pushes a file, and the lines tell it from the ticket to the end")
  func curlPush() throws {
    try withTote { tote in
      let running = try Running(tote, "--count", "1")
      try writeText("hello", to: "\(tote.directory)/a.txt")
      let answer = try tote.shell(running.curl("-T a.txt", "drop/doc1/a.txt"))
      #expect(try JSON(parsing: answer.output)["ok"] == true)
      let events = try running.events()
      #expect(events.map { $0["event"] } == ["receiving", "saved", "done"])
      let saved = try #require(events.first { $0["event"] == "saved" })
      #expect(
        saved.objectValue?.keys == [
          "event", "name", "path", "size", "sha256", "sender", "seconds", "was_there",
        ])
      #expect(saved["name"] == "a.txt")
      #expect(
        saved["sha256"] == "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")
      #expect(events.last?["reason"] == "complete")
      #expect(try running.process.finish().exitCode == 0)
      #expect(try readText("\(running.folder)/a.txt") == "hello")
      #expect(try Folder(running.folder).names() == ["a.txt"])
    }
  }

  @Test("a document with its attachment inside is a push as well")
  func inline() throws {
    try withTote { tote in
      let running = try Running(tote, "--count", "1")
      let document = #"{"_attachments":{"n.txt":{"data":"aGVsbG8="}}}"#
      let answer = try tote.shell(
        running.curl("-X PUT -H 'Content-Type: application/json' -d '\(document)'", "drop/n"))
      #expect(try JSON(parsing: answer.output)["id"] == "n")
      #expect(try running.process.finish().exitCode == 0)
      #expect(try readText("\(running.folder)/n.txt") == "hello")
    }
  }

  @Test("--json is one document at the end, and the ticket is told on stderr meanwhile")
  func document() throws {
    try withTote { tote in
      let folder = "\(tote.directory)/in"
      mkdir(folder, 0o700)
      try writeText("hello", to: "\(tote.directory)/a.txt")
      let result = try tote.shell(
        """
        tote drop receive --into in --bind 127.0.0.1 --yes --count 1 --json >out 2>err &
        while ! grep -q https err 2>/dev/null; do :; done
        t=$(grep https err); rest=${t#https://}; host=${rest%%/*}; rest=${rest#*/}
        curl -sk -u "drop:${rest%%/*}" -T a.txt "https://$host/drop/d/a.txt" >/dev/null
        wait
        cat out
        """)
      let json = try JSON(parsing: result.output)
      #expect(json.objectValue?.keys == ["saved", "failed", "bytes", "reason"])
      #expect(json["saved"]?[0]?["name"] == "a.txt")
      #expect(json["bytes"] == 5)
    }
  }

  @Test(
    "without a terminal nobody can be asked: '--yes' is needed", arguments: [[], ["--no-input"]])
  func nobody(_ more: [String]) throws {
    try withTote { tote in
      let result = try tote.run(["drop", "receive", "--bind", "127.0.0.1"] + more)
      #expect(result.exitCode == 64)
      #expect(result.errors.contains("--yes"))
    }
  }

  @Test("the home folder and the root are refused, a missing folder is not found")
  func folders() throws {
    try withTote { tote in
      for (folder, status) in [("home", 64), ("/", 64), ("nowhere", 66)] {
        let result = try tote.run("drop", "receive", "--yes", "--into", folder)
        #expect(result.exitCode == Int32(status), "\(folder): \(result.errors)")
      }
      try writeText("", to: "\(tote.directory)/file")
      #expect(try tote.run("drop", "receive", "--yes", "--into", "file").exitCode == 73)
    }
  }

  @Test("when nothing comes it says so with 1, and leaves nothing behind")
  func expired() throws {
    try withTote { tote in
      mkdir("\(tote.directory)/in", 0o700)
      let result = try tote.run(
        "drop", "receive", "--yes", "--into", "in", "--bind", "127.0.0.1", "--timeout", "1s")
      #expect(result.exitCode == 1)
      #expect(result.errors.contains("nothing came within 1s"))
      #expect(try Folder("\(tote.directory)/in").names().isEmpty)
    }
  }

  @Test(
    "a signal ends it, and the hidden folder with the half file is gone",
    arguments: [
      SIGTERM, SIGINT,
    ])
  func signals(_ signal: Int32) throws {
    try withTote { tote in
      let running = try Running(tote)
      try half(running)
      #expect(try Folder(running.folder).names().count == 1)
      running.process.send(signal)
      let result = try running.process.finish()
      #expect(result.exitCode != 0)
      #expect(try Folder(running.folder).names().isEmpty)
    }
  }

  /// Offers a file and sends only a part of it.
  private func half(_ running: Running) throws {
    let document =
      #"{"new_edits":false,"docs":[{"_id":"h","_rev":"1-a","name":"half.bin","size":10}]}"#
    _ = try running.tote.shell(
      running.curl(
        "-X POST -H 'Content-Type: application/json' -d '\(document)'", "drop/_bulk_docs"))
    let answer = try running.tote.shell(
      running.curl("-o /dev/null -w '%{http_code}' -X PATCH -d 12345", "drop/h/file?offset=0"))
    #expect(answer.output == "204")
  }

  @Test("kill -9 leaves no file under a final name, and the next run sweeps what is left")
  func killed() throws {
    try withTote { tote in
      let running = try Running(tote)
      try half(running)
      running.process.send(SIGKILL)
      _ = try running.process.finish()
      let left = try Folder(running.folder).names()
      #expect(left.count == 1)
      #expect(left.first?.hasPrefix(".tote-drop-") == true)
      let next = try Running(tote, "--count", "1")
      #expect(try Folder(running.folder).names().filter { left.contains($0) }.isEmpty)
      next.process.send(SIGTERM)
      _ = try next.process.finish()
      #expect(try Folder(running.folder).names().isEmpty)
    }
  }

  /// A receiver in a terminal with colours.
  private static func receiver(
    of tote: ToteBinary, _ options: [String], rows: UInt16
  ) throws -> PseudoTerminal {
    mkdir("\(tote.directory)/in", 0o700)
    var launch = try tote.launch(
      ["drop", "receive", "--into", "in", "--bind", "127.0.0.1"] + options)
    launch.environment["TERM"] = "xterm-256color"
    return try PseudoTerminal(launch, size: .init(columns: 80, rows: rows))
  }

  @Test("a person sees the code, is asked with names and sizes, and sees what was saved")
  func terminal() throws {
    try withTote { tote in
      let session = try Self.receiver(of: tote, ["--count", "1"], rows: 40)
      let start = try session.waitFor("waiting for files")
      #expect(start.contains("\u{1B}[38;5;16;48;5;231m"))
      #expect(start.contains("\u{2584}"))
      #expect(start.contains("warns once of the certificate"))
      let text = try #require(
        start.withoutEscapes.split(separator: "\n").first {
          $0.hasPrefix("https://")
        })
      let ticket = try DropTicket(parsing: text)
      try writeText("hello", to: "\(tote.directory)/a.txt")
      var curl = Launch(
        "/usr/bin/curl",
        [
          "-sk", "-u", "drop:\(ticket.token.text)", "-T", "a.txt",
          "https://127.0.0.1:\(ticket.port)/drop/d/a%1B%5B2J.txt",
        ], environment: tote.environment)
      curl.directory = tote.directory
      let sender = try ChildProcess(curl)
      let question = try session.waitFor("[y/N]")
      #expect(question.contains("5 B"))
      #expect(!question.contains("\u{1B}[2J"), "what a sender names moves nothing on the screen")
      session.type("y\r")
      try session.waitFor("saved")
      #expect(try sender.finish().exitCode == 0)
      #expect(try session.finish().exitCode == 0)
      #expect(try readText("\(tote.directory)/in/a[2J.txt") == "hello")
    }
  }

  @Test("a code that does not fit is not drawn, and it is said")
  func smallWindow() throws {
    try withTote { tote in
      mkdir("\(tote.directory)/in", 0o700)
      let launch = try tote.launch(
        ["drop", "receive", "--into", "in", "--bind", "127.0.0.1", "--timeout", "1s"])
      let session = try PseudoTerminal(launch, size: .init(columns: 80, rows: 12))
      let start = try session.waitFor("waiting for files")
      #expect(!start.contains("\u{2584}"))
      #expect(start.contains("the code needs"))
      #expect(start.contains("https://127.0.0.1:"))
      _ = try session.finish()
    }
  }

  @Test("in the smallest usual window all of the code stays in sight")
  func usualWindow() throws {
    try withTote { tote in
      let session = try Self.receiver(of: tote, ["--timeout", "1s"], rows: 24)
      let lines = try session.waitFor("Ctrl-C ends it").split(
        separator: "\n", omittingEmptySubsequences: false)
      let first = try #require(lines.firstIndex { $0.contains("\u{1B}[38;5;16;48;5;231m") })
      // And the line on which the cursor stands then.
      #expect(lines.count - first + 1 <= 24)
      _ = try session.finish()
    }
  }

  @Test("the code's picture is its owner's alone", arguments: ["code.png", "code.svg"])
  func picture(_ name: String) throws {
    try withTote { tote in
      let path = "\(tote.directory)/\(name)"
      let running = try Running(tote, "--qr-file", path)
      var status = stat()
      #expect(stat(path, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600)
      let bytes = try readBytes(path)
      #expect(
        bytes.starts(with: name.hasSuffix("png") ? [0x89, 0x50, 0x4E, 0x47] : Array("<svg".utf8)))
      running.process.send(SIGTERM)
      _ = try running.process.finish()
    }
  }

  @Test("a large sparse file is received in little memory")
  func large() throws {
    try withTote { tote in
      let running = try Running(tote, "--count", "1")
      let answer = try tote.shell(
        "truncate -s 400M big && " + running.curl("-T big", "drop/d/big.bin"),
        within: .seconds(120))
      #expect(try JSON(parsing: answer.output)["ok"] == true)
      let result = try running.process.finish()
      #expect(result.exitCode == 0)
      #expect(result.peakMemory < 120 << 20, "\(result.peakMemory)")
      var status = stat()
      #expect(stat("\(running.folder)/big.bin", &status) == 0)
      #expect(status.st_size == 400 << 20)
    }
  }

  @Test("a disk that fills up while a file comes is 507 with words, and nothing of it stays")
  func fullDisk() throws {
    try withTote { tote in
      let mount = "mount -t tmpfs -o size=24m tmpfs disk"
      mkdir("\(tote.directory)/disk", 0o700)
      let probe = try tote.shell("unshare -m sh -c '\(mount)'")
      guard probe.exitCode == 0 else {
        return reportSkipped("a full disk", because: "no mount here: \(probe.errors)")
      }
      try writeText(
        """
        \(mount)
        tote drop receive --into disk --bind 127.0.0.1 --yes --timeout 20s --jsonl >out 2>err &
        while ! grep -q waiting out; do :; done
        t=$(sed -n '1s/.*"ticket":"https:..\\([^"]*\\)".*/\\1/p' out)
        host=${t%%/*}; rest=${t#*/}; token=${rest%%/*}
        c() { curl -sk --max-time 30 -u "drop:$token" "$@"; }
        # Chunked, so that the size is not known beforehand.
        head -c 40000000 /dev/zero | c -T - "https://$host/drop/d/big.bin"
        c -X POST "https://$host/$token/done" >/dev/null
        head -c 100 /dev/zero | c -T - "https://$host/drop/e/small.bin" >/dev/null
        c -X POST "https://$host/$token/done" >/dev/null
        wait
        ls -A disk
        """, to: "\(tote.directory)/script")
      let result = try tote.shell("unshare -m sh script", within: .seconds(90))
      #expect(result.output.contains("no_space"), "\(result.output) \(result.errors)")
      #expect(result.lines.last == "small.bin")
      let events = try readText("\(tote.directory)/out")
      #expect(events.contains(#""event":"failed""#))
    }
  }
}
