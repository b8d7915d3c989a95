import Foundation
import Testing

@testable import ArgumentParser

/// What a line can come to besides a command, and how commands run.
@Suite struct OutcomeTests {
  struct Leaving: ParsableCommand {
    @Flag var exit = false
    @Flag var clean = false
    @Flag var odd = false
    struct Odd: Error, CustomStringConvertible { let description = "an odd reason" }

    func validate() throws {
      if exit { throw ExitCode(75) }
      if clean { throw CleanExit.message("done already") }
      if odd { throw Odd() }
    }
  }

  @Test("checks may end the run with a status or a message")
  func exits() throws {
    guard case .exit(let code) = Leaving.parseCommandLine(["--exit"]).outcome else {
      Issue.record("no exit")
      return
    }
    #expect(code as? ExitCode == ExitCode(75))
    guard case .exit(let clean) = Leaving.parseCommandLine(["--clean"]).outcome else {
      Issue.record("no exit")
      return
    }
    #expect("\(clean)" == "done already")
  }

  @Test("SAP#269, #243: any other error of a check is a usage failure, whatever its code")
  func otherErrors() {
    guard case .failure(let failure) = Leaving.parseCommandLine(["--odd"]).outcome else {
      Issue.record("no failure")
      return
    }
    #expect(failure.message == "an odd reason")
    #expect(failure.exitCode.rawValue == 64)
  }

  @Test("parse gives the command of its own type, or says why not")
  func parse() throws {
    #expect(try StorePut.parse(["s", "d"]).doc == "d")
    #expect(throws: ParseFailure.self) { try StorePut.parse([]) }
    #expect(throws: CleanExit.self) { try StorePut.parse(["--help"]) }
    #expect(throws: CleanExit.self) { try Fixture.parse(["todo"]) }
    #expect(try Fixture.parseAsRoot(["todo"]) is TodoList)
  }

  struct Work: AsyncParsableCommand {
    @Argument() var word: String
    nonisolated(unsafe) static var seen = ""
    mutating func run() async throws {
      await Task.yield()
      Self.seen = word
    }
  }

  @Test("a command parsed as an existential runs asynchronously, without a warning")
  func asynchronous() async throws {
    guard case .run(let command) = Work.parseCommandLine(["hello"]).outcome,
      let work = command as? any AsyncParsableCommand
    else {
      Issue.record("no command")
      return
    }
    func start(_ command: some AsyncParsableCommand) async throws {
      var command = command
      try await command.run()
    }
    try await start(work)
    #expect(Work.seen == "hello")
  }

  @Test("a command without work of its own asks for its help")
  func helpless() {
    var command = Store()
    #expect(throws: CleanExit.self) { try command.run() }
  }

  struct Poisoned: ParsableCommand {
    init() { fatalError("a command beside the path must not be made") }
  }

  struct Healthy: ParsableCommand {
    static let configuration = CommandConfiguration(
      subcommands: [Poisoned.self, Child.self], defaultSubcommand: Child.self)
    struct Child: ParsableCommand { @Flag var on = false }
  }

  @Test("SAP#622, #658: commands beside the path are not looked into")
  func onlyThePath() throws {
    #expect(try (Healthy.parseAsRoot(["child", "--on"]) as? Healthy.Child)?.on == true)
    #expect(try (Healthy.parseAsRoot(["--on"]) as? Healthy.Child)?.on == true)
    let help = HelpRequest(commands: [Healthy.self], detail: .full).rendered()
    #expect(help.contains("poisoned"))
    guard case .failure(let failure) = Healthy.parseCommandLine(["chlid"]).outcome else {
      Issue.record("no failure")
      return
    }
    #expect(failure.message == "unknown command 'chlid'; did you mean 'child'?")
  }

  @Test("the dump is versioned JSON of every command, without anything that cannot be told")
  func dump() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let data = try encoder.encode(CommandDump(CommandTree(Fixture.self)))
    let object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(object["version"] as? Int == 1)
    #expect(object["program"] as? String == "tote")
    let commands = try #require(object["commands"] as? [[String: Any]])
    #expect(commands.count == 13)
    let add = try #require(commands.first { ($0["path"] as? [String])?.last == "add" })
    #expect(
      add.keys.sorted() == [
        "abstract", "aliases", "arguments", "childGroups", "discussion", "examples", "exitCodes",
        "inheritedArguments", "isVisible", "outputKeys", "path", "seeAlso", "synopses", "topics",
      ])
    let arguments = try #require(add["arguments"] as? [[String: Any]])
    let due = try #require(arguments.first { ($0["names"] as? [String]) == ["--due"] })
    #expect(due["kind"] as? String == "option")
    #expect(due["valueName"] as? String == "WHEN")
    #expect(due["completion"] as? String == "default")
    #expect(commands.contains { $0["isVisible"] as? Bool == false })
  }

  @Test("standard sentences for rules between options")
  func sentences() {
    #expect(
      ValidationError.exclusive("--a", "--b").message == "'--a' and '--b' cannot be used together")
    #expect(ValidationError.requires("--key", "--cert").message == "'--key' needs '--cert' as well")
    #expect(
      ValidationError.oneOf(["--a", "--b", "--c"]).message == "give one of '--a', '--b' and '--c'")
  }
}
