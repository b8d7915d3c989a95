import ArgumentParser

#if canImport(Glibc)
  import Glibc
#endif

/// A small program whose completions the tests drive in real shells; it only answers `__complete`.
@main
struct CompletionFixture: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tote", abstract: "a stand-in for the real program", version: "1.0.0",
    subcommands: [Get.self, Open.self, Pair.self, Many.self])

  @OptionGroup var global: FixtureOptions

  static func main() {
    let words = Array(CommandLine.arguments.dropFirst())
    if words.first == "__complete" {
      print(completionLines(Array(words.dropFirst())), terminator: "")
    } else if words.first == "completions", words.count == 2,
      let shell = CompletionShell(argument: words[1])
    {
      print(shell.script(program: "tote"), terminator: "")
    } else {
      exit(64)
    }
  }
}

struct FixtureOptions: InheritedOptions {
  @Flag(name: .shortAndLong, help: "print JSON") var json = false
  @Option(help: "when to use colour", completion: .list(["always", "auto", "never"]))
  var color: String?
}

/// Names that break careless scripts.
struct Get: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "read: a document")
  static let names = [
    "user:alice", "user:bob", "http://example.org/db", "_design/my view", "a$b(c)+d", "it's",
    "tab\"le", "plain", "-dash", "é",
  ]

  @Argument(
    help: "the ids",
    completion: .candidates { _ in
      names.map { CompletionCandidate($0, description: "about: \($0)") }
    })
  var id: [String]
  @Option(help: "the owner", completion: .list(["ann", "bea:x"])) var owner: String?
}

struct Open: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: #"open 'files' [or] $(not): "x" \ `y`"#)

  @Argument(help: "a file", completion: .file()) var file: [String]
  @Option(help: "a picture", completion: .file(extensions: ["png"])) var picture: String?
  @Option(help: "a folder", completion: .directory) var into: String?
}

struct Pair: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "two words", subcommands: [Get.self], defaultSubcommand: Get.self)
}

struct Many: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "more than can be shown")

  @Argument(
    help: "a number", completion: .custom { _, _, _ in (0..<500).map { "n\($0)" } })
  var number: String
}
