import ArgumentParser
import Testing

@Suite struct HelpRequestTests {
  @Test(
    "help acts even when other words are wrong",
    arguments: [
      (["todo", "add", "--help"], "tote todo add"), (["--help", "todo"], "tote todo"),
      (["todo", "add", "--nope", "--help"], "tote todo add"), (["nope", "-h"], "tote"),
      (["store", "find", "--port", "x", "-h"], "tote store find"),
      (["todo", "add", "--due", "--help"], "tote todo add"),
      (["-jh"], "tote"),
      (["help"], "tote"), (["help", "todo", "add"], "tote todo add"),
      (["todo", "help", "add"], "tote todo add"), (["help", "todo", "ls"], "tote todo list"),
      (["help", "todo", "--help"], "tote todo"), (["help", "nope", "--help"], "tote"),
    ])
  func despiteErrors(words: [String], path: String) {
    let result = Fixture.parseCommandLine(words)
    guard case .help = result.outcome else {
      Issue.record("\(words) gave \(result.outcome)")
      return
    }
    #expect(result.path.joined(separator: " ") == path)
  }

  @Test("help is no help after '--', and a value when written as one")
  func notHelp() throws {
    #expect(
      try command(TodoAdd.self, "todo", "add", "--", "--help", "-h").text == ["--help", "-h"])
    #expect(try command(TodoAdd.self, "todo", "add", "a", "--due=--help").due == "--help")
    #expect(try command(TodoAdd.self, "todo", "add", "help").text == ["help"])
  }

  @Test("-h asks for a screen, --help and 'help' for everything")
  func detail() {
    func detail(_ words: [String]) -> HelpDetail? {
      guard case .help(let request) = Fixture.parseCommandLine(words).outcome else { return nil }
      return request.detail
    }
    #expect(detail(["todo", "-h"]) == .brief)
    #expect(detail(["todo", "--help"]) == .full)
    #expect(detail(["todo", "-h", "--help"]) == .full)
    #expect(detail(["help", "todo"]) == .full)
    #expect(detail([]) == .brief)
  }

  @Test("help knows topics, and an unknown word is an error with suggestions")
  func topics() throws {
    guard case .help(let request) = outcome("help", "dates").outcome else {
      Issue.record("no help")
      return
    }
    #expect(request.topic?.name == "dates")
    #expect(
      request.rendered() == "dates: how to write a date\n\nA date is a day.\n\n    2026-12-24\n")
    #expect(message("help", "date") == "unknown command or topic 'date'; did you mean 'dates'?")
    #expect(message("help", "todo", "ad") == "unknown command 'ad'; did you mean 'add'?")
  }

  @Test("--version acts anywhere, but not after '--'")
  func version() throws {
    for words in [
      ["--version"], ["todo", "add", "--version"], ["nope", "--version"], ["-v", "--version"],
    ] {
      guard case .version = Fixture.parseCommandLine(words).outcome else {
        Issue.record("\(words)")
        continue
      }
    }
    #expect(try command(TodoAdd.self, "todo", "add", "--", "--version").text == ["--version"])
    #expect(outcome("-v", "--version").inherited(GlobalOptions.self)?.verbose == 1)
  }
}
