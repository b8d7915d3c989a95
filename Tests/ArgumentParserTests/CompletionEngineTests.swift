import Testing

@testable import ArgumentParser

@Suite struct CompletionEngineTests {
  /// The values offered at the end of `words`, the last of which is the one at the cursor.
  private func offered(_ words: String..., environment: [String: String] = [:]) -> [String] {
    Fixture.completions(
      words: words.dropLast(), prefix: words.last ?? "", environment: environment
    ).candidates.map(\.value)
  }

  @Test("commands are offered until one is named, without hidden ones")
  func commands() {
    #expect(offered("") == ["store", "todo", "sync", "help"])
    #expect(offered("s") == ["store", "sync"])
    #expect(offered("todo", "") == ["add", "list", "done"])
    #expect(offered("todo", "add", "") == [])
    #expect(offered("nope", "") == [])
    #expect(offered("--json", "to") == ["todo"])
  }

  @Test("an alias is offered only to who types it")
  func alias() {
    #expect(offered("todo", "l") == ["list"])
    #expect(offered("todo", "ls") == ["ls"])
  }

  @Test("'help' completes commands at any depth and topics")
  func help() {
    #expect(offered("help", "") == ["store", "todo", "sync", "dates"])
    #expect(offered("help", "todo", "a") == ["add"])
    #expect(offered("todo", "help", "a") == ["add"])
  }

  @Test("options are offered only after a dash, long spellings first of all")
  func options() {
    let all = offered("todo", "add", "-")
    #expect(all.contains("--due"))
    #expect(all.contains("--no-favourite"))
    #expect(all.contains("-n"))
    #expect(all.contains("--home"))
    #expect(all.contains("--help"))
    #expect(!all.contains("-d"))
    #expect(offered("todo", "add", "--d") == ["--due", "--dry-run"])
  }

  @Test("an option that was given is not offered again, unless it adds up")
  func givenOptions() {
    #expect(offered("todo", "add", "--due", "x", "--d") == ["--dry-run"])
    #expect(offered("todo", "add", "--tag", "x", "--ta") == ["--tag"])
    #expect(offered("-v", "todo", "--verb") == ["--verbose"])
    #expect(offered("-j", "todo", "add", "--js") == [])
  }

  @Test("a command with a default child offers that one's options too")
  func defaultChild() {
    #expect(offered("todo", "--a") == ["--all"])
    #expect(offered("todo", "--priority", "h") == ["high"])
    #expect(offered("todo", "--priority=h") == ["--priority=high"])
  }

  @Test("'--option=' completes like '--option '")
  func joined() {
    #expect(offered("todo", "add", "--priority", "") == ["high", "medium", "low"])
    #expect(
      offered("todo", "add", "--priority=") == [
        "--priority=high", "--priority=medium", "--priority=low",
      ])
    #expect(offered("todo", "add", "--nope=") == [])
    #expect(offered("--color=a") == ["--color=auto", "--color=always"])
  }

  @Test("values carry their descriptions")
  func descriptions() {
    let answer = Fixture.completions(words: ["todo", "add", "-p"], prefix: "h")
    #expect(answer.candidates == [CompletionCandidate("high", description: "red")])
  }

  @Test("nothing is offered as an option after '--'")
  func terminator() { #expect(offered("todo", "add", "--", "--d") == []) }

  @Test("files and folders are left to the shell")
  func files() {
    #expect(Fixture.completions(words: ["--home"], prefix: "").directive == .directories)
    #expect(Fixture.completions(words: [], prefix: "--home=x").directive == .directories)
    #expect(
      Fixture.completions(words: ["sync", "send"], prefix: "").directive == .files(extensions: []))
  }

  // MARK: - Custom closures

  struct Custom: ParsableCommand {
    @OptionGroup var shared: Shared
    @Argument(completion: .candidates(ids)) var id: [String]
    @Option(completion: .candidates { [CompletionCandidate($0.prefix + "!")] }) var echo: String?
    @Option(completion: .custom { ["\($0.count) \($1) \($2)", "x\tdescribed"] }) var words: String?

    struct Shared: InheritedOptions, EnvironmentDefaults {
      static let environment = ["home": "TOTE_HOME"]
      @Option() var home: String?
    }

    @Sendable static func ids(_ request: CompletionRequest) -> [CompletionCandidate] {
      let home = request.value(of: "--home") ?? "-"
      return ["one", "two", "-three", home, "op:" + request.operands.joined(separator: ",")].map {
        CompletionCandidate($0)
      }
    }
  }

  private func custom(_ words: String..., environment: [String: String] = [:]) -> [String] {
    Custom.completions(
      words: words.dropLast(), prefix: words.last ?? "", environment: environment
    ).candidates.map(\.value)
  }

  @Test("a closure knows operands, options and environment; typed ids are not offered again")
  func closures() {
    #expect(custom("one", "") == ["two", "op:one"])
    #expect(custom("--home", "/h", "") == ["one", "two", "/h", "op:"])
    #expect(custom("--home=/h", "two", "/") == ["/h"])
    #expect(custom("", environment: ["TOTE_HOME": "/e"]) == ["one", "two", "/e", "op:"])
    #expect(custom("--echo", "ab") == ["ab!"])
    #expect(custom("--echo=ab") == ["--echo=ab!"])
  }

  @Test("candidates that start with a dash are offered only after '--'")
  func dashes() {
    #expect(!custom("").contains("-three"))
    #expect(custom("--", "-t") == ["-three"])
  }

  @Test("the mirrored closure gets words, index and prefix; a tab starts the description")
  func mirrored() {
    let answer = Custom.completions(words: ["a", "--words"], prefix: "")
    #expect(answer.candidates.map(\.value) == ["3 2 ", "x"])
    #expect(answer.candidates.last?.description == "described")
  }

  // MARK: - The protocol of the scripts

  @Test("the answer is a line per candidate and a directive")
  func lines() {
    #expect(
      Fixture.completionLines(["zsh", "2", "--", "tote", "todo", "do", "ignored"])
        == "done\ttick off todos\n:none\n")
    #expect(
      Fixture.completionLines(["fish", "1", "--", "tote", "'sto"])
        == "store\tdocuments from the shell\n:none\n")
    #expect(
      Fixture.completionLines(["bash", "line", "--", "tote 'sto"])
        == "store\tdocuments from the shell\n:none\n")
    #expect(Fixture.completionLines(["bash", "line", "--", "tote --home "]) == ":directories\n")
  }

  @Test(
    "arguments without sense give no output at all",
    arguments: [
      [], ["bash"], ["tcsh", "1", "--", "tote", ""], ["zsh", "x", "--", "tote", ""],
      ["zsh", "9", "--", "tote", ""], ["zsh", "-1", "--", "tote", ""], ["zsh", "0", "--", "tote"],
      ["bash", "line", "--", "tote"], ["zsh", "1", "tote", "x"],
    ])
  func nonsense(arguments: [String]) {
    #expect(Fixture.completionLines(arguments) == "")
  }

  @Test("text of candidates cannot break the lines")
  func hostileText() {
    let answer = CompletionAnswer(
      candidates: [
        CompletionCandidate(
          "a", description: "two\nlines\tand \u{1B}[2J" + String(repeating: "x", count: 80)),
        CompletionCandidate("b\nc"), CompletionCandidate(":x"),
      ], directive: .files(extensions: ["png", "jpg"]))
    let lines = answer.lines.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[0].hasPrefix("a\ttwo lines and [2Jxxx"))
    #expect(TextWidth.cells(of: lines[0].dropFirst(2)) == 60)
    #expect(lines[1] == ":x")
    #expect(lines[2] == ":files png jpg")
  }

  struct Many: ParsableCommand {
    @Argument(completion: .list((0..<500).map { "n\($0)" })) var number: String
  }

  @Test("at most 200 candidates are offered, and it is said when there are more")
  func limit() {
    let answer = Many.completions(words: [], prefix: "n")
    #expect(answer.candidates.count == 200)
    #expect(answer.directive == .more)
    #expect(Many.completions(words: [], prefix: "n49").directive == .none)
  }

  @Test(
    "a line is split as a shell would",
    arguments: [
      ("a b", ["a", "b"]), ("a ", ["a", ""]), ("", [""]), (" a", ["a"]), (#"a\ b"#, ["a b"]),
      (#"'a b"#, ["a b"]), (#""a b"#, ["a b"]), (#""a\"b"#, [#"a"b"#]), (#"'a\'"#, [#"a\"#]),
      (#""a\b""#, [#"a\b"#]), (#"a'b'"c""#, ["abc"]), (#"'' x"#, ["", "x"]), (#"a\"#, ["a"]),
      (#"'it'\''s"#, ["it's"]),
    ])
  func shellWords(line: String, words: [String]) { #expect(ShellWords.split(line) == words) }
}
