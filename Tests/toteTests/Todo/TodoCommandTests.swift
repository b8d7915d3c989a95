import Core
import TestSupport
import Testing

/// The todo commands of the built program.
struct TodoCommandTests {
  static let keys = [
    "id", "docId", "rev", "name", "priority", "priorityName", "done", "completed", "due", "dueZone",
    "overdue", "tags", "project", "note", "created", "conflicts",
  ]

  @Test("the keys of a todo are these, in this order, null where there is nothing")
  func keys() throws {
    try withTote { tote in
      let added = try JSON(parsing: try tote.run("todo", "add", "x", "--json").output)
      #expect(added.objectValue?.keys == Self.keys)
      let list = try JSON(parsing: try tote.run("todo", "--json").output)
      #expect(list[0]?.objectValue?.keys == Self.keys)
      #expect(list[0]?["due"] == .null)
    }
  }

  @Test("cli#9882: an empty list is an empty array, no bytes in --jsonl, and no error")
  func empty() throws {
    try withTote { tote in
      let human = try tote.run("todo")
      #expect(try tote.run("todo", "--json").output == "[]\n")
      #expect(try tote.run("todo", "--jsonl").standardOutput.isEmpty)
      #expect(human.output.isEmpty)
      #expect(human.errors.isEmpty)
      #expect(human.exitCode == 0)
    }
  }

  @Test(
    "restic#2492: every failure is one object on stderr, and stdout stays empty or one document",
    arguments: [
      (["todo", "show", "zzz"], 66, "not_found"),
      (["todo", "add", "x", "--due", "10"], 65, "invalid_input"),
      (["todo", "nope"], 64, "usage"), (["todo", "add"], 64, "usage"),
      (["todo", "list", "--all", "--done"], 64, "usage"),
      (["todo", "list", "--sort", "x"], 64, "usage"),
      (["todo", "import", "/nowhere"], 66, "not_found"),
      (["todo", "done", "zzz"], 66, "not_found"),
      (["todo", "export", "/nowhere/x"], 73, "cannot_create"),
      (["todo", "list", "--priority", "hi"], 64, "usage"),
    ] as [([String], Int32, String)])
  func errorObjects(words: [String], status: Int32, code: String) throws {
    try withTote { tote in
      let result = try tote.run(words + ["--json"])
      #expect(result.exitCode == status)
      let error = try JSON(parsing: result.errors)
      #expect(error["error"]?["code"]?.stringValue == code)
      #expect(error["error"]?["message"]?.stringValue?.isEmpty == false)
      if !result.output.isEmpty { _ = try JSON(parsing: result.output) }
      let human = try tote.run(words)
      #expect(human.exitCode == status)
      #expect(human.errors.hasPrefix("tote: "))
    }
  }

  @Test("of several ids each is told, and 1 says that a part was done")
  func partial() throws {
    try withTote { tote in
      let id = try tote.run("todo", "add", "x").lines[0]
      let result = try tote.run("todo", "done", id, "zzz", "--json")
      #expect(result.exitCode == 1)
      let outcomes = try JSON(parsing: result.output)
      #expect(outcomes[0]?["done"] == true)
      #expect(outcomes[1]?["error"]?["code"] == "not_found")
      let errors = result.errors.split(separator: "\n").map(String.init)
      #expect(errors.count == 2)
      #expect(try JSON(parsing: errors[1])["error"]?["code"] == "partial")
    }
  }

  @Test("taskwarrior#1857: text is never searched for attributes")
  func plainText() throws {
    try withTote { tote in
      try tote.run("todo", "add", "(A)", "gift", "due:tomorrow", "+x", "@y", "tomorrow")
      let list = try JSON(parsing: try tote.run("todo", "--json").output)
      #expect(list[0]?["name"] == "(A) gift due:tomorrow +x @y tomorrow")
      #expect(list[0]?["due"] == .null)
      #expect(list[0]?["tags"] == [])
    }
  }

  @Test("ids come from standard input, by line or by NUL", arguments: [("\n", []), ("\0", ["-0"])])
  func standardInput(separator: String, options: [String]) throws {
    try withTote { tote in
      let ids = try ["a", "b", "c"].map { try tote.run("todo", "add", $0).lines[0] }
      let input = ids[0...1].joined(separator: separator) + separator
      let result = try tote.run(["todo", "done", "-"] + options, input: input)
      #expect(result.exitCode == 0)
      #expect(try tote.run("todo").lines.map { $0.split(separator: "\t")[0] } == [ids[2][...]])
    }
  }

  @Test("tasks#1325: a day stays the same day in every zone")
  func zones() throws {
    try withTote { tote in
      try tote.run(
        "todo", "add", "x", "--due", "2030-01-05", environment: ["TZ": "Pacific/Auckland"])
      for zone in ["America/Los_Angeles", "Asia/Kolkata", "UTC0"] {
        let list = try JSON(
          parsing: try tote.run("todo", "--json", environment: ["TZ": zone]).output)
        #expect(list[0]?["due"] == "2030-01-05")
      }
    }
  }

  @Test("a due time is stored in UTC with the zone it was meant in")
  func dueZone() throws {
    try withTote { tote in
      let added = try tote.run(
        "todo", "add", "x", "--due", "fri 17:00", "--json", environment: ["TZ": "Europe/Berlin"])
      let json = try JSON(parsing: added.output)
      #expect(json["due"] == "2030-01-04T16:00:00Z")
      #expect(json["dueZone"] == "Europe/Berlin")
    }
  }

  @Test(
    "importing what was exported changes nothing, in every format",
    arguments: ["txt", "ics", "json"])
  func roundTrip(suffix: String) throws {
    try withTote { tote in
      try tote.run("todo", "add", "Buy milk", "--priority", "high", "--tag", "shop", "--due", "fri")
      let id = try tote.run("todo", "add", "日本語, and; more").lines[0]
      try tote.run("todo", "done", id)
      #expect(try tote.run("todo", "export", "list.\(suffix)").exitCode == 0)
      let again = try JSON(
        parsing: try tote.run("todo", "import", "list.\(suffix)", "--json").output)
      #expect(again["unchanged"] == 2, "\(again.serialized())")
      // Into another store the same todos come under the same ids.
      try tote.run("todo", "import", "list.\(suffix)", "--store", "other")
      let both = try ["todos", "other"].map { store in
        try JSON(parsing: try tote.run("todo", "--all", "--json", "--store", store).output)
          .arrayValue?.map { [$0["docId"], $0["name"], $0["due"], $0["tags"], $0["done"]] }
      }
      #expect(both[0] == both[1])
    }
  }

  @Test(
    "taskwarrior#2580: a bad line stops the import before anything is written; --skip-bad goes on")
  func badLines() throws {
    try withTote { tote in
      let text = "one\ntwo due:soon\nthree\n"
      let stopped = try tote.run("todo", "import", "-", input: text)
      #expect(stopped.exitCode == 65)
      #expect(stopped.errors.contains("line 2, column 5"))
      #expect(try tote.run("todo").output.isEmpty)
      let rest = try tote.run("todo", "import", "-", "--skip-bad", "--json", input: text)
      #expect(rest.exitCode == 1)
      let summary = try JSON(parsing: rest.output)
      #expect(summary["added"] == 2)
      #expect(summary["problems"]?[0]?["line"] == 2)
      #expect(try tote.run("todo").lines.count == 2)
    }
  }

  @Test("a dry run says what would be done and writes nothing")
  func dryRun() throws {
    try withTote { tote in
      let id = try tote.run("todo", "add", "x").lines[0]
      let before = try tote.run("todo", "show", id, "--json").output
      #expect(try tote.run("todo", "done", id, "--dry-run").errors.contains("would change"))
      #expect(
        try tote.run("todo", "import", "-", "--dry-run", input: "y\n").output.hasPrefix("would be"))
      #expect(try tote.run("todo", "show", id, "--json").output == before)
      #expect(try tote.run("todo").lines.count == 1)
    }
  }

  @Test("a deleted todo comes back under its id; after a new text, too")
  func undo() throws {
    try withTote { tote in
      let id = try tote.run("todo", "add", "first").lines[0]
      try tote.run("todo", "edit", id, "second text")
      try tote.run("todo", "rm", id)
      #expect(try tote.run("todo", "show", id).exitCode == 66)
      #expect(try tote.run("todo", "undo", id).exitCode == 0)
      #expect(try tote.run("todo").lines[0].contains("second text"))
    }
  }

  @Test("new text that could be an id is refused, not guessed")
  func ambiguousText() throws {
    try withTote { tote in
      let ids = try ["a", "b"].map { try tote.run("todo", "add", $0).lines[0] }
      #expect(try tote.run("todo", "edit", ids[0], ids[1], "dog").exitCode == 64)
      #expect(try tote.run("todo", "edit", ids[0], ids[1]).exitCode == 64)
      #expect(try tote.run("todo", "edit", ids[0], ids[1], "--priority", "high").exitCode == 0)
      #expect(try tote.run("todo", "edit", ids[0], "three", "words", "here").exitCode == 0)
      let list = try tote.run("todo").output
      #expect(list.contains("three words here"))
    }
  }

  @Test("kubernetes#82883: completion is silent on every error and offers texts with ids")
  func completion() throws {
    try withTote { tote in
      let id = try tote.run("todo", "add", "Buy milk", "--tag", "shop").lines[0]
      let ids = try tote.run("__complete", "zsh", "3", "--", "tote", "todo", "done", "")
      #expect(ids.output.contains("\(id)\tBuy milk"))
      let tags = try tote.run("__complete", "zsh", "4", "--", "tote", "todo", "list", "--tag", "")
      #expect(tags.output.contains("shop"))
      try writeText("no database", to: "\(tote.stores)/todos.store/store.db")
      let broken = try tote.run("__complete", "zsh", "3", "--", "tote", "todo", "done", "")
      #expect(broken.exitCode == 0)
      #expect(broken.errors.isEmpty)
      #expect(!broken.output.contains("Buy"))
    }
  }
}
