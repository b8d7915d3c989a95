import Testing

@testable import ArgumentParser

/// Each rule finds what breaks it, and a tidy program breaks none.
@Suite struct TreeProblemTests {
  @Test("a tidy program has no problems")
  func tidy() { #expect(CommandTree(Tidy.self).problems() == []) }

  @Test("the fixture's gaps are found")
  func fixture() {
    let problems = CommandTree(Fixture.self).problems()
    #expect(problems.contains("tote store put: it needs an example"))
    #expect(problems.contains { $0.hasPrefix("tote todo add: --due needs a completion kind") })
    #expect(!problems.contains { $0.contains("stora") && $0.contains("example") })
  }

  @Test(
    "each rule names the place and the remedy",
    arguments: [
      (UniqueNamesRule.self as any TreeRule.Type, "bad clash: the option --home is declared twice"),
      (UniqueNamesRule.self, "bad clash: the option --help is declared twice"),
      (UniqueNamesRule.self, "bad: the command again is declared twice"),
      (UniqueNamesRule.self, "bad clash: -X and -x differ only by letter case"),
      (NameFormRule.self, "bad Form: the command name 'Form' must match"),
      (NameFormRule.self, "bad Form: the option '--Under_score' must match"),
      (NameFormRule.self, "bad Form: the option '-é' must be a dash and one letter or digit"),
      (HelpTextRule.self, "bad texts: the help of --period ends in a period"),
      (HelpTextRule.self, "bad texts: the help of --missing is missing"),
      (HelpTextRule.self, "bad texts: the help of --capital starts with a capital letter"),
      (HelpTextRule.self, "bad texts: the abstract has more than one line"),
      (ValueNotationRule.self, "bad texts: the value name 'when' must be in upper case"),
      (ValueNotationRule.self, "bad texts: the value name '<X>' must not hold"),
      (StatedCompletionRule.self, "bad texts: --period needs a completion kind"),
      (LeafDocumentationRule.self, "bad clash: it needs an example"),
      (LeafDocumentationRule.self, "bad clash: it needs its exit statuses"),
      (LeafDocumentationRule.self, "bad clash: it needs the keys"),
      (OperandRule.self, "bad operands: only one of the operands ONE, TWO may repeat"),
      (NegatedFlagRule.self, "bad flags: --no-colour is negated by hand"),
      (DefaultTrueFlagRule.self, "bad flags: --stuck is on by default and has no opposite"),
      (ReservedLettersRule.self, "bad flags: -q is reserved"),
      (CommandNameRule.self, "bad: a command named help hides"),
      (CommandNameRule.self, "bad group: the command high is named like a value"),
      (
        ExamplesRule.self,
        "bad texts: the example 'bad texts --nope' fails: unknown option '--nope'"
      ),
      (ExamplesRule.self, "bad texts: the example 'bad flags' does not show this command"),
      (ExamplesRule.self, "bad texts: the example 'ls' does not call bad"),
      (HelpWidthRule.self, "bad texts: a line of the help is wider than 80 cells"),
      (ReferencesRule.self, "bad texts: 'bad nothing' under 'see also'"),
    ])
  func rule(rule: any TreeRule.Type, expected: String) {
    let problems = rule.problems(in: CommandTree(Bad.self))
    #expect(problems.contains { $0.hasPrefix(expected) }, "\(problems)")
  }

  @Test("a lone --no-x beside an option --x is no problem")
  func clearingFlag() {
    let problems = NegatedFlagRule.problems(in: CommandTree(Bad.self))
    #expect(!problems.contains { $0.contains("--no-due") })
  }

  @Test("shell lines are taken apart into their commands")
  func shellLines() {
    #expect(
      ExamplesRule.commands(in: "A=1 tote x 'a | b' > f | jq . && tote y")
        == [["tote", "x", "a | b"], ["jq", "."], ["tote", "y"]])
  }
}

private struct Tidy: ParsableCommand, DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "tidy", abstract: "do one thing", version: "1")
  static let examples = [Example("X=1 tidy file --due noon | jq .", "does it")]
  static let exitCodes = [ExitStatus(0, "done")]
  static let hasResult = false
  static let seeAlso = ["tidy-format(5)"]

  @OptionGroup(title: "Shared") var shared: Shared
  @Argument(help: "the file", completion: .file()) var file: String
  @Option(help: "when", completion: .default) var due: String?
  @Flag(inversion: .prefixedNo, help: "whether to ask") var ask = true

  struct Shared: InheritedOptions {
    @Flag(name: .shortAndLong, help: "say less") var quiet = false
  }
}

private struct Bad: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bad", abstract: "break every rule",
    subcommands: [
      Clash.self, Form.self, Texts.self, Operands.self, Flags.self, Help.self, Group.self,
    ])

  @OptionGroup var shared: Shared

  struct Shared: InheritedOptions {
    @Option(help: "a folder") var home: String?
  }
}

private struct Clash: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "clash", aliases: ["again"])

  @Option(help: "the same name") var home: String?
  @Flag(help: "the same name") var help = false
  @Flag(name: .customShort("x"), help: "small") var small = false
  @Flag(name: .customShort("X"), help: "large") var large = false
}

private struct Form: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "Form", abstract: "forms", aliases: ["again"])

  @Flag(name: .customLong("Under_score"), help: "a name") var under = false
  @Flag(name: .customShort("é"), help: "a letter") var accent = false
}

private struct Texts: ParsableCommand, DocumentedCommand {
  static let configuration = CommandConfiguration(abstract: "two\nlines")
  static let examples = [
    Example("bad texts --nope"), Example("bad flags"), Example("ls"),
    Example("bad texts --period " + String(repeating: "x", count: 80)),
  ]
  static let seeAlso = ["bad nothing", "bad texts"]

  @Option(help: "ends.") var period: String?
  @Option() var missing: String?
  @Option(help: ArgumentHelp("Capital letter", valueName: "when")) var capital: String?
  @Option(help: ArgumentHelp("fine", valueName: "<X>")) var brackets: String?
}

private struct Operands: ParsableCommand {
  @Argument(help: "one") var one: [String] = []
  @Argument(help: "two") var two: [String] = []
}

private struct Flags: ParsableCommand {
  @Flag(name: .customLong("no-colour"), help: "off") var plain = false
  @Flag(help: "on") var stuck = true
  @Flag(name: .customShort("q"), help: "quick") var quick = false
  @Option(help: "when") var due: String?
  @Flag(name: .customLong("no-due"), help: "never") var never = false
}

private struct Help: ParsableCommand {}

private struct Group: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "a group", subcommands: [High.self, Level.self], defaultSubcommand: Level.self)
}

private struct High: ParsableCommand {}

private struct Level: ParsableCommand {
  @Argument(help: "the level") var level: Priority
}
