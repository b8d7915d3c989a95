import Testing

@testable import ArgumentParser

@Suite struct OptionSpellingTests {
  @Test(
    "every spelling of a value gives the same value",
    arguments: [
      ["--due", "noon"], ["--due=noon"], ["--due", "x", "--due", "noon"],
    ])
  func longValue(words: [String]) throws {
    let result = Fixture.parseCommandLine(["todo", "add", "milk"] + words)
    let add = try #require(result.command as? TodoAdd)
    #expect(add.due == "noon")
  }

  @Test(
    "every spelling of a short value gives the same value",
    arguments: [["-n", "5"], ["-n5"], ["-n=5"], ["-dn5"], ["-dn", "5"], ["-dn=5"], ["-jdqn5"]])
  func shortValue(words: [String]) throws {
    let result = Fixture.parseCommandLine(["todo", "add", "milk"] + words)
    #expect(try #require(result.command as? TodoAdd).number == 5)
  }

  @Test("SAP#958: an empty value behind '=' is the value, the next word is none")
  func emptyValue() throws {
    let add = try command(TodoAdd.self, "todo", "add", "--due=", "milk")
    #expect(add.due == "")
    #expect(add.text == ["milk"])
  }

  @Test("a value may contain '='")
  func valueWithEquals() throws {
    #expect(try command(TodoAdd.self, "todo", "add", "a", "--due=b=c").due == "b=c")
  }

  @Test("SAP#132: '-r=4' is the literal value '=4' unless joining is allowed")
  func literalEquals() throws {
    #expect(try command(StorePut.self, "store", "put", "s", "-r=4").rev == "=4")
  }

  @Test("repeated options collect, in order")
  func repeated() throws {
    let add = try command(
      TodoAdd.self, "todo", "add", "a", "--tag", "x", "-ty", "--tag=z", "-t", "x")
    #expect(add.tag == ["x", "y", "z", "x"])
  }

  @Test("of a scalar given twice the last wins")
  func lastWins() throws {
    let add = try command(
      TodoAdd.self, "todo", "add", "a", "--priority", "high", "-p", "medium")
    #expect(add.priority == .medium)
  }

  @Test("a default stands when nothing is given")
  func defaults() throws {
    let add = try command(TodoAdd.self, "todo", "add", "a")
    #expect(add.priority == .low)
    #expect(add.tag.isEmpty)
    #expect(add.due == nil)
    #expect(add.favourite == nil)
    #expect(add.dryRun == false)
  }

  @Test("an inverted flag has three states, the last spelling counts")
  func inversion() throws {
    #expect(try command(TodoAdd.self, "todo", "add", "a", "--favourite").favourite == true)
    #expect(try command(TodoAdd.self, "todo", "add", "a", "--no-favourite").favourite == false)
    #expect(
      try command(TodoAdd.self, "todo", "add", "a", "--no-favourite", "-f").favourite == true)
  }

  @Test(
    "SAP#31, #153: a negative number is a value",
    arguments: ["-5", "-0.5", "-.5", "-1e3"])
  func negativeNumber(word: String) throws {
    let find = try #require(
      Fixture.parseCommandLine(["store", "find", "s", "--where", "x", "--factor", word]).command
        as? StoreFind)
    #expect(find.factor == Double(word))
    let add = try #require(Fixture.parseCommandLine(["todo", "add", word]).command as? TodoAdd)
    #expect(add.text == [word])
  }

  @Test("a digit that is a flag is no negative number")
  func digitFlag() throws {
    let done = try command(TodoDone.self, "todo", "done", "-0", "-1")
    #expect(done.zero)
    #expect(done.id == ["-1"])
  }

  @Test("an option takes the next word even if it starts with a dash, unless it is known")
  func dashValue() throws {
    #expect(try command(TodoAdd.self, "todo", "add", "a", "--due", "-x").due == "-x")
    #expect(try command(TodoAdd.self, "todo", "add", "a", "--due", "--what").due == "--what")
    #expect(try command(TodoAdd.self, "todo", "add", "a", "--due", "-").due == "-")
    #expect(
      message("todo", "add", "a", "--due", "--json")
        == "'--due' needs a value; to pass a value that starts with '-', write --due=--json")
  }

  @Test("after '--' every word is an operand")
  func terminator() throws {
    let add = try command(TodoAdd.self, "todo", "add", "--due", "x", "--", "--json", "--", "-q")
    #expect(add.text == ["--json", "--", "-q"])
    #expect(add.global.json == false)
  }

  @Test("a lone dash is an operand")
  func loneDash() throws {
    #expect(try command(StorePut.self, "store", "put", "s", "-").doc == "-")
  }

  @Test("options and operands mix freely")
  func mixed() throws {
    let add = try command(TodoAdd.self, "todo", "add", "buy", "--due", "noon", "milk", "-d")
    #expect(add.text == ["buy", "milk"])
    #expect(add.dryRun)
  }
}

extension ParseResult {
  /// The command to run, if the outcome is one.
  var command: (any ParsableCommand)? {
    if case .run(let command) = outcome { command } else { nil }
  }
}
