import ArgumentParser
import Testing

@Suite struct GlobalOptionTests {
  @Test(
    "SAP#169, #331, #266: shared options stand before or after the command, at any depth",
    arguments: [
      ["-j", "todo", "add", "a"], ["todo", "-j", "add", "a"], ["todo", "add", "-j", "a"],
      ["todo", "add", "a", "--json"],
    ])
  func anywhere(words: [String]) throws {
    let result = Fixture.parseCommandLine(words)
    #expect(try #require(result.inherited(GlobalOptions.self)).json)
    #expect(try #require(result.command as? TodoAdd).global.json)
  }

  @Test("the deepest occurrence of a scalar wins, counts add up")
  func deepest() throws {
    let add = try command(
      TodoAdd.self, "--home", "a", "-v", "todo", "--home", "b", "-vv", "add", "--home=c", "x", "-v")
    #expect(add.global.home == "c")
    #expect(add.global.verbose == 4)
    let early = try command(TodoAdd.self, "--home", "a", "todo", "add", "x")
    #expect(early.global.home == "a")
  }

  @Test("a command that does not declare the group accepts its options too")
  func undeclared() throws {
    let result = outcome("sync", "send", "f", "--home", "h", "-q")
    #expect(result.command is SyncSend)
    let global = try #require(result.inherited(GlobalOptions.self))
    #expect(global.home == "h")
    #expect(global.quiet)
  }

  @Test("shared options are known whatever else is wrong with the line")
  func despiteErrors() throws {
    for words in [
      ["nope", "--json"], ["--json", "todo", "add"], ["--nope", "-j"], ["-j", "--help"],
    ] {
      let result = Fixture.parseCommandLine(words)
      #expect(try #require(result.inherited(GlobalOptions.self)).json, "\(words)")
    }
    let behind = Fixture.parseCommandLine(["nope", "--", "--json"])
    #expect(try #require(behind.inherited(GlobalOptions.self)).json == false)
  }

  @Test("a variable fills in, the command line beats it, an empty one is unset")
  func environment() throws {
    func home(_ words: [String], _ variables: [String: String]) throws -> String? {
      let result = Fixture.parseCommandLine(["todo", "add", "x"] + words, environment: variables)
      return try #require(result.command as? TodoAdd).global.home
    }
    #expect(try home([], ["TOTE_HOME": "/e"]) == "/e")
    #expect(try home(["--home", "/c"], ["TOTE_HOME": "/e"]) == "/c")
    #expect(try home([], ["TOTE_HOME": ""]) == nil)
    #expect(try home([], [:]) == nil)
  }

  @Test("a variable turns a flag on or off, and a wrong word is refused by its name")
  func environmentFlag() throws {
    func quiet(_ word: String) throws -> Bool {
      let result = Fixture.parseCommandLine(["todo"], environment: ["TOTE_QUIET": word])
      return try #require(result.command as? TodoList).global.quiet
    }
    #expect(try quiet("1"))
    #expect(try quiet("YES"))
    #expect(try quiet("off") == false)
    #expect(
      try failure(["todo"], environment: ["TOTE_QUIET": "maybe"]).message
        == "the environment variable TOTE_QUIET cannot be 'maybe': choose true or false")
  }
}
