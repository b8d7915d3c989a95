import Core
import Foundation
import TestSupport
import Testing

/// What only the built program shows: signals, pipes, terminals, editors.
struct StoreBinaryTests {
  @Test("a followed feed passes each change on at once, and Ctrl-C ends it by the signal")
  func follow() throws {
    try withTote { tote in
      try tote.run("store", "create", "notes")
      let feed = try ChildProcess(
        tote.launch(["store", "changes", "notes", "--follow", "--jsonl"]))
      for id in ["a", "b"] {
        try tote.run("store", "put", "notes", id, "{}")
        let line = try #require(try feed.nextLine())
        #expect(try JSON(parsing: line)["id"]?.stringValue == id)
      }
      feed.send(SIGINT)
      let result = try feed.finish()
      #expect(result.status == .signalled(SIGINT))
      #expect(result.errors.isEmpty)
    }
  }

  @Test("a followed feed ends by itself at its limit")
  func followLimit() throws {
    try withTote { tote in
      try tote.run("store", "create", "notes")
      try tote.run("store", "put", "notes", "a", "{}")
      let feed = try tote.run("store", "changes", "notes", "--follow", "--limit", "1")
      #expect(feed.exitCode == 0)
      #expect(feed.lines.count == 1)
    }
  }

  @Test(
    "ripgrep#200: a reader who has enough is no error",
    arguments: [
      "ls notes", "ls notes --docs --json", "changes notes", "find notes", "export notes",
      "backup notes -", "ls notes --jsonl",
    ])
  func closedPipe(words: String) throws {
    try withTote { tote in
      let lines = (0..<5_000).map { "{\"_id\":\"document-\($0)\",\"text\":\"some text\"}\n" }
      try tote.run("store", "create", "notes")
      try tote.run("store", "import", "notes", input: lines.joined())
      var launch = try tote.launch(["store"] + words.split(separator: " ").map(String.init))
      launch.standardOutput = .brokenPipe
      let result = try ChildProcess(launch).finish()
      #expect(result.exitCode == 0)
      #expect(result.errors.isEmpty)
    }
  }

  @Test("jq#773: a full disk is status 74", arguments: ["ls", "export", "find", "info", "changes"])
  func fullDisk(verb: String) throws {
    try withTote { tote in
      try tote.run("store", "create", "notes")
      try tote.run("store", "put", "notes", "a", "{}")
      let result = try tote.shell("tote store \(verb) notes > /dev/full")
      #expect(result.exitCode == 74)
      #expect(result.errors == "tote: cannot write output: no space left on device\n")
    }
  }

  @Test("delete asks for the name on a terminal; a wrong one changes nothing")
  func deletePrompt() throws {
    try withTote { tote in
      try tote.run("store", "create", "notes")
      for (typed, code) in [("note", 1), ("notes", 0)] as [(String, Int32)] {
        let session = try PseudoTerminal(tote.launch(["store", "delete", "notes"]))
        try session.waitFor("type 'notes' to go on: ")
        session.type(typed + "\r")
        #expect(try session.finish().exitCode == code)
      }
      #expect(try tote.run("store", "list").output.isEmpty)
    }
  }

  @Test("rm on a terminal tells how to undo, and what it tells brings the document back")
  func undo() throws {
    try withTote { tote in
      try tote.run("store", "create", "notes")
      try tote.run("store", "put", "notes", "it's", #"{"a":1}"#)
      let session = try PseudoTerminal(tote.launch(["store", "rm", "notes", "it's"]))
      let screen = try session.finish().screen
      let hint = try #require(screen.split(separator: "undo with: ").last)
      let line = hint.split(whereSeparator: \.isNewline)[0]
      #expect(try tote.shell(String(line)).exitCode == 0)
      #expect(try tote.run("store", "get", "notes", "it's", "--field", "a").output == "1\n")
    }
  }

  // MARK: edit

  private func editor(_ script: String, _ tote: ToteBinary) throws -> [String: String] {
    let path = tote.directory + "/editor"
    try writeText("#!/bin/sh\n" + script + "\n", to: path)
    chmod(path, 0o700)
    return ["EDITOR": path]
  }

  @Test("edit writes what the editor leaves, and nothing when it leaves all as it was")
  func edit() throws {
    try withTote { tote in
      try tote.run("store", "create", "notes")
      try tote.run("store", "put", "notes", "a", #"{"n":1}"#)
      let same = try tote.run(
        "store", "edit", "notes", "a", environment: try editor("exit 0", tote))
      #expect(same.exitCode == 0)
      #expect(same.errors == "'a' was not changed\n")
      let changed = try tote.run(
        "store", "edit", "notes", "a", "--json",
        environment: try editor("sed -i 's/1,*$/2/' \"$1\"", tote))
      #expect(try JSON(parsing: changed.output)["rev"]?.stringValue?.hasPrefix("2-") == true)
      #expect(try tote.run("store", "get", "notes", "a", "--field", "n").output == "2\n")
      let drafts = try FileManager.default.contentsOfDirectory(atPath: tote.directory + "/tmp")
      #expect(drafts.isEmpty)
    }
  }

  @Test("a mistake opens the editor again with a remark, and what was typed is kept")
  func editMistake() throws {
    try withTote { tote in
      try tote.run("store", "create", "notes")
      try tote.run("store", "put", "notes", "a", #"{"n":1}"#)
      // The first time a comma too many is left behind, the second time it is mended.
      let mended = try tote.run(
        "store", "edit", "notes", "a",
        environment: try editor(
          "if grep -q 'not valid JSON' \"$1\"; then sed -i 's/2,/2/' \"$1\"; "
            + "else sed -i 's/: 1/: 2,/' \"$1\"; fi", tote))
      #expect(mended.exitCode == 0, "\(mended.errors)")
      #expect(try tote.run("store", "get", "notes", "a", "--field", "n").output == "2\n")
      let stubborn = try tote.run(
        "store", "edit", "notes", "a",
        environment: try editor(
          "grep -q 'not valid JSON' \"$1\" || sed -i 's/: 2/: 3,/' \"$1\"", tote))
      #expect(stubborn.exitCode == 65)
      let path = stubborn.errors.split(separator: "your text is in ").last?.split(separator: "\n")[
        0]
      #expect(try readText(String(try #require(path))).contains(": 3,"))
    }
  }

  @Test("a change made meanwhile is shown, and written over only by a text that was looked at")
  func editConflict() throws {
    try withTote { tote in
      try tote.run("store", "create", "notes")
      try tote.run("store", "put", "notes", "a", #"{"n":1}"#)
      let other =
        "tote store put notes a --merge '{\"m\":9}' >/dev/null; sed -i 's/: 1/: 2/' \"$1\""
      let blind = try tote.run(
        "store", "edit", "notes", "a",
        environment: try editor("grep -q changed \"$1\" || { \(other); }", tote))
      #expect(blind.exitCode == 75)
      #expect(blind.errors.contains("your text is in "))
      #expect(try tote.run("store", "get", "notes", "a", "--field", "n").output == "1\n")
      let seen = try tote.run(
        "store", "edit", "notes", "a",
        environment: try editor(
          "if grep -q changed \"$1\"; then sed -i '/^\\/\\//d' \"$1\"; else "
            + "tote store put notes a --merge '{\"m\":8}' >/dev/null; "
            + "sed -i 's/: 1/: 2/' \"$1\"; fi", tote))
      #expect(seen.exitCode == 0, "\(seen.errors)")
      #expect(try tote.run("store", "get", "notes", "a", "--field", "n").output == "2\n")
    }
  }

  @Test("an editor that fails, or an emptied text, saves nothing")
  func editGivenUp() throws {
    try withTote { tote in
      try tote.run("store", "create", "notes")
      try tote.run("store", "put", "notes", "a", #"{"n":1}"#)
      let failed = try tote.run(
        "store", "edit", "notes", "a", environment: try editor("exit 3", tote))
      #expect(failed.exitCode == 1)
      #expect(failed.errors.contains("your text is in "))
      let emptied = try tote.run(
        "store", "edit", "notes", "a", environment: try editor(": > \"$1\"", tote))
      #expect(emptied.exitCode == 1)
      #expect(try tote.run("store", "get", "notes", "a", "--field", "_rev").output.hasPrefix("1-"))
      #expect(try tote.run("store", "edit", "notes", "b").exitCode == 66)
    }
  }
}
