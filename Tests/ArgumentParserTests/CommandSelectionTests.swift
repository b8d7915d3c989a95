import ArgumentParser
import Testing

@Suite struct CommandSelectionTests {
  @Test("the default subcommand runs when none is named, with its options")
  func defaultCommand() throws {
    #expect(outcome("todo").path == ["tote", "todo", "list"])
    #expect(try command(TodoList.self, "todo", "--all").all)
    #expect(try command(TodoList.self, "todo", "-a", "--priority=high").priority == .high)
    #expect(try command(SyncRun.self, "sync", "notes").store == "notes")
    #expect(try command(SyncRun.self, "sync", "run", "notes", "home").remote == "home")
  }

  @Test("SAP#742, #865: with a default subcommand help lists the verbs, errors name the verb")
  func defaultCommandNames() throws {
    #expect(helpPath("todo", "--help") == "tote todo")
    #expect(try failure(["todo", "--nope"]).command == "tote todo list")
    #expect(try failure(["todo", "--al"]).message.contains("for 'tote todo list'"))
    #expect(try failure(["sync"]).message == "missing STORE")
    #expect(try failure(["sync"]).command == "tote sync run")
  }

  @Test("aliases name their command")
  func alias() { #expect(outcome("todo", "ls").path == ["tote", "todo", "list"]) }

  @Test("SAP#92: a value may be spelled like a command")
  func valueLikeCommand() throws {
    #expect(try command(TodoAdd.self, "todo", "add", "add", "--due", "list").due == "list")
    #expect(try command(TodoAdd.self, "--home", "todo", "todo", "add", "x").global.home == "todo")
  }

  @Test("after '--' no word names a command")
  func terminator() throws {
    #expect(try command(SyncRun.self, "sync", "--", "run").store == "run")
    #expect(message("--", "todo") == "unexpected 'todo'")
  }

  @Test("optional operands in front of a repeated one are filled once there is enough")
  func allocation() throws {
    let one = try command(SyncSend.self, "sync", "send", "a")
    #expect(one.ticket == nil)
    #expect(one.file == ["a"])
    let three = try command(SyncSend.self, "sync", "send", "a", "b", "c")
    #expect(three.ticket == "a")
    #expect(three.file == ["b", "c"])
    let put = try command(StorePut.self, "store", "put", "s", "d")
    #expect(put.doc == "d")
    #expect(put.json == nil)
  }

  @Test("a command that only holds others shows its help, and that is no failure")
  func bareGroup() throws {
    #expect(helpPath() == "tote")
    #expect(helpPath("store") == "tote store")
    #expect(helpPath("store", "-j") == "tote store")
  }

  @Test("a long line is read in linear time")
  func linear() throws {
    let words = ["todo", "add"] + (0..<50_000).flatMap { ["w\($0)", "--tag", "t"] }
    let add = try #require(Fixture.parseCommandLine(words).command as? TodoAdd)
    #expect(add.text.count == 50_000)
    #expect(add.tag.count == 50_000)
  }
}
