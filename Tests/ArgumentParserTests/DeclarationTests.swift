import Testing

@testable import ArgumentParser

/// What can be declared, and how it parses.
@Suite struct DeclarationTests {
  struct Size: ExpressibleByArgument, ExpectedValue, Equatable {
    static let expectedValue = "a size such as 40MB"
    let bytes: Int
    init?(argument: String) {
      guard argument.hasSuffix("MB"), let count = Int(argument.dropLast(2)) else { return nil }
      bytes = count * 1_000_000
    }
  }

  enum Level: Int, CaseIterable, ExpressibleByArgument { case low = 1, high = 9 }

  struct Failed: Error, CustomStringConvertible { let description: String }

  struct Values: ParsableCommand {
    @Option() var size: Size?
    @Option var level = Level.low
    @Option(transform: { $0.uppercased() }) var upper: String?
    @Option(transform: { (word) -> Int in throw Failed(description: "no \(word) here") }) var bad:
      Int?
    @Option(transform: { $0.count }) var lengths: [Int] = [7]
    @Option var numbers: [Int8] = []
    @Option var flag = true
    @Option(name: "--hex -x") var hexadecimal: String?
    @Option var maxWidth = 3.5
    @Argument(transform: { $0 + "!" }) var words: [String] = []
  }

  private func values(_ words: String...) throws -> Values { try Values.parse(words) }

  private func refusal(_ words: String...) -> String {
    do {
      _ = try Values.parse(words)
      return ""
    } catch let failure as ParseFailure {
      return failure.message
    } catch {
      return "\(error)"
    }
  }

  @Test("types and closures turn words into values")
  func conversion() throws {
    let parsed = try values(
      "--size", "40MB", "--level=9", "--upper", "ab", "--lengths", "abc", "--lengths=", "a",
      "--numbers", "-128", "--flag", "false", "-x", "ff", "--max-width=1e3")
    #expect(parsed.size == Size(argument: "40MB"))
    #expect(parsed.level == .high)
    #expect(parsed.upper == "AB")
    #expect(parsed.lengths == [3, 0])
    #expect(parsed.numbers == [-128])
    #expect(parsed.flag == false)
    #expect(parsed.hexadecimal == "ff")
    #expect(parsed.maxWidth == 1000)
    #expect(parsed.words == ["a!"])
  }

  @Test("defaults stand, and the first occurrence replaces a default list")
  func defaults() throws {
    let parsed = try values()
    #expect(parsed.lengths == [7])
    #expect(parsed.level == .low)
    #expect(parsed.words.isEmpty)
    #expect(try values("--lengths", "ab").lengths == [2])
    #expect(try values("--hex", "1").hexadecimal == "1")
  }

  @Test("a refused word comes with what the type or closure expects")
  func refusals() {
    #expect(refusal("--size", "4") == "'--size' cannot be '4': expected a size such as 40MB")
    #expect(refusal("--bad", "cats") == "'--bad' cannot be 'cats': no cats here")
    #expect(refusal("--level", "2") == "'--level' cannot be '2': choose 1 or 9")
    #expect(
      refusal("--numbers", "128")
        == "'--numbers' cannot be '128': expected a whole number from -128 to 127")
    #expect(refusal("--flag", "yes") == "'--flag' cannot be 'yes': choose true or false")
    #expect(refusal("--max-width", "inf") == "'--max-width' cannot be 'inf': expected a number")
  }

  // MARK: - Flags

  enum Mode: String, EnumerableFlag {
    case fast, thorough, `default`

    static func name(for value: Mode) -> NameSpecification {
      value == .fast ? [.long, .customShort("f")] : .long
    }
    static func help(for value: Mode) -> ArgumentHelp? { value == .fast ? "be quick" : nil }
  }

  struct Flags: ParsableCommand {
    @Flag var mode = Mode.default
    @Flag(exclusivity: .chooseFirst) var first: First?
    @Flag(exclusivity: .chooseLast) var last: Last?
    @Flag var many: [Many] = []
    @Flag(inversion: .prefixedEnableDisable) var index: Bool
    @Flag(inversion: .prefixedNo, exclusivity: .exclusive) var ask = true
    enum First: EnumerableFlag { case a, b }
    enum Last: EnumerableFlag { case c, d }
    enum Many: EnumerableFlag { case e, g }
  }

  @Test("flags of a type choose as they are told")
  func enumerable() throws {
    let parsed = try Flags.parse(
      ["--a", "--b", "--c", "--d", "--g", "--e", "--g", "--enable-index", "-f", "--no-ask"])
    #expect(parsed.first == .a)
    #expect(parsed.last == .d)
    #expect(parsed.many == [.g, .e, .g])
    #expect(parsed.index)
    #expect(parsed.mode == .fast)
    #expect(parsed.ask == false)
    #expect(try Flags.parse(["--disable-index"]).index == false)
    #expect(try Flags.parse(["--disable-index"]).mode == .default)
  }

  @Test("exclusive flags clash by meaning, not by spelling")
  func exclusive() throws {
    func refusal(_ words: String...) -> String? {
      if case .failure(let failure) = Flags.parseCommandLine(words + ["--enable-index"]).outcome {
        return failure.message
      }
      return nil
    }
    #expect(refusal("-f", "--fast") == nil)
    #expect(refusal("-f", "--thorough") == "'-f' and '--thorough' cannot be used together")
    #expect(refusal("--ask", "--ask") == nil)
    #expect(refusal("--ask", "--no-ask") == "'--ask' and '--no-ask' cannot be used together")
  }

  @Test("a required flag that is missing is named")
  func requiredFlag() {
    guard case .failure(let failure) = Flags.parseCommandLine([]).outcome else {
      Issue.record("accepted")
      return
    }
    #expect(failure.message == "missing '--enable-index'")
  }

  // MARK: - Environment

  struct Variables: ParsableCommand, EnvironmentDefaults {
    static let environment = ["count": "COUNT", "names": "NAMES", "level": "LEVEL", "file": "FILE"]
    @Flag() var count: Int
    @Option var names: [String] = []
    @Option() var level: Level
    @Argument() var file: String?
  }

  @Test("variables stand in for every kind of argument, required ones too")
  func environment() throws {
    let parsed = try Variables.parse(
      [], environment: ["COUNT": "3", "NAMES": "a b", "LEVEL": "9", "FILE": "f"])
    #expect(parsed.count == 3)
    #expect(parsed.names == ["a b"])
    #expect(parsed.level == .high)
    #expect(parsed.file == "f")
    let given = try Variables.parse(
      ["--count", "--names", "x", "g"], environment: ["COUNT": "3", "LEVEL": "1", "FILE": "f"])
    #expect(given.count == 1)
    #expect(given.names == ["x"])
    #expect(given.file == "g")
    #expect(throws: ParseFailure.self) { try Variables.parse([], environment: ["LEVEL": "2"]) }
  }

  // MARK: - Hidden and nested things

  struct Outer: ParsableArguments {
    @OptionGroup var inner: Inner
    struct Inner: ParsableArguments {
      @Option(help: .hidden) var secret: String?
      @Option(help: "shown") var secrecy: String?
    }
  }

  struct Nested: ParsableCommand {
    @OptionGroup var outer: Outer
    @OptionGroup(visibility: .hidden) var hidden: HiddenGroup
    struct HiddenGroup: ParsableArguments { @Flag(help: "a back door") var door = false }
  }

  @Test("groups nest, hidden options work but are nowhere mentioned")
  func nesting() throws {
    let parsed = try Nested.parse(["--secret", "s", "--secrecy=t", "--door"])
    #expect(parsed.outer.inner.secret == "s")
    #expect(parsed.outer.inner.secrecy == "t")
    #expect(parsed.hidden.door)
    let help = HelpRequest(commands: [Nested.self], detail: .full).rendered()
    #expect(!help.contains("--secret ") && !help.contains("door"))
    let all = HelpRequest(commands: [Nested.self], detail: .everything).rendered()
    #expect(all.contains("--secret ") && all.contains("--door"))
    #expect(
      !Nested.completions(words: [], prefix: "--").candidates.contains { $0.value == "--door" })
    guard case .failure(let failure) = Nested.parseCommandLine(["--secre"]).outcome else { return }
    #expect(failure.message.hasSuffix("did you mean '--secrecy'?"))
  }

  @Test("names follow from properties and types")
  func names() {
    #expect(kebabCase("dueBefore") == "due-before")
    #expect(kebabCase("TodoAdd") == "todo-add")
    #expect(kebabCase("URLPrefix") == "url-prefix")
    #expect(kebabCase("snake_case") == "snake-case")
    #expect(kebabCase("sha256Sum") == "sha256-sum")
    #expect(TodoAdd._commandName == "add")
    #expect(Nested._commandName == "nested")
  }
}
