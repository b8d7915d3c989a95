import Testing

@testable import ArgumentParser

@Suite struct HelpTextTests {
  private func help(_ words: String..., width: Int = 80) -> String {
    guard case .help(let request) = Fixture.parseCommandLine(words).outcome else { return "" }
    return request.rendered(HelpStyle(width: width))
  }

  @Test("the full help of a command at 80 cells")
  func full() {
    #expect(
      help("todo", "add", "--help") == """
        tote todo add: add a todo

        Usage:
          tote todo add TEXT… [options]

        Adds one todo. The words are joined with single spaces.

        - the text is never parsed for attributes
        - use the options instead

            tote todo add "Buy milk"

        Arguments:
          TEXT…  the text of the todo

        Options:
          -p, --priority PRIORITY  how urgent it is [high, medium, low] [default: low]
                                   - high: red
                                   - medium: yellow
          --due WHEN               when it is due
          -t, --tag TAG…           a tag; may be repeated
          -n NUMBER                how many
          -f, --[no-]favourite     whether it is a favourite
          -d, --dry-run            say what would happen
          --                       take all that follows as operands, not options

        Global options:
          --home DIR     the folder that holds the stores [env: TOTE_HOME]
          -j, --json     print JSON
          -q, --quiet    say less [env: TOTE_QUIET]
          -v, --verbose  say more; may be repeated
          --color COLOR  when to use colour [auto, always, never] [default: auto]
          -h, --help     show help; -h shows less
          --version      show the version

        Examples:
          tote todo add "Buy milk" --due tomorrow
              adds a todo that is due tomorrow

        Exit codes:
          0   added
          66  no such store

        See also:
          tote todo list, tote-json(5)

        """)
  }

  @Test("the short help of a command at 40 cells")
  func brief() {
    #expect(
      help("todo", "add", "-h", width: 40) == """
        tote todo add: add a todo

        Usage:
          tote todo add TEXT… [options]

        Arguments:
          TEXT…  the text of the todo

        Options:
          -p, --priority PRIORITY
                            how urgent it is
                            [high, medium, low]
                            [default: low]
          --due WHEN        when it is due
          -t, --tag TAG…    a tag; may be
                            repeated
          -n NUMBER         how many
          -f, --[no-]favourite
                            whether it is a
                            favourite
          -d, --dry-run     say what would
                            happen

        Global options:
          --home DIR; -j, --json; -q, --quiet;
          -v, --verbose; --color COLOR;
          -h, --help; --version

        Examples:
          tote todo add "Buy milk" --due tomorrow

        'tote todo add --help' tells more

        """)
  }

  @Test("the root lists its commands in groups, topics and examples")
  func root() {
    #expect(
      help() == """
        tote: keep documents and todos

        Usage:
          tote COMMAND [options]

        Documents:
          store  documents from the shell

        Lists:
          todo  documents that are a list
          sync  exchange documents

        Help topics:
          dates  how to write a date

        Global options:
          --home DIR; -j, --json; -q, --quiet; -v, --verbose; --color COLOR; -h, --help;
          --version

        Examples:
          tote todo add "Buy milk"

        'tote help COMMAND' tells more about a command

        """)
  }

  @Test("a group with a default command says which it is")
  func defaultCommand() {
    let text = help("todo", "--help")
    #expect(text.contains("  tote todo [COMMAND] [options]\n"))
    #expect(text.contains("  list, ls  list the todos [default]\n"))
    #expect(text.contains("'tote help todo COMMAND' tells more"))
  }

  @Test("an empty default is no default to be told", arguments: [HelpDetail.brief, .full])
  func emptyDefault(detail: HelpDetail) {
    struct Titled: ParsableCommand {
      @Option(help: "the title") var title = ""
      @Argument(help: "the file") var file = ""
    }
    let text = HelpRequest(commands: [Titled.self], detail: detail).rendered(HelpStyle(width: 80))
    #expect(text.contains("the title") && !text.contains("default"))
  }

  @Test("titled groups of options stand by themselves, hidden things nowhere")
  func groups() {
    let text = help("store", "find", "--help")
    #expect(text.contains("\nPaging:\n  --limit N  stop after N rows [default: 50]\n"))
    #expect(!help("--help").contains("stora"))
  }

  @Test(
    "no line exceeds the width, except for words that cannot be broken", arguments: [40, 60, 80])
  func width(width: Int) {
    for node in CommandTree(Fixture.self).nodes {
      for detail in [HelpDetail.brief, .full] {
        let text = HelpRequest(commands: node.commands, detail: detail)
          .rendered(HelpStyle(width: width))
        for line in text.split(separator: "\n") where !line.hasPrefix("  tote ") {
          #expect(TextWidth.cells(of: line) <= width, "\(line)")
        }
      }
    }
  }

  @Test("SAP#973: any width is brought into 40 to 100")
  func extremes() {
    #expect(HelpStyle(width: 0).width == 40)
    #expect(HelpStyle(width: -5).width == 40)
    #expect(HelpStyle(width: 1_000_000).width == 100)
  }

  @Test("SAP#969: a long word overflows rather than being cut")
  func longWord() {
    let url = "https://example.org/" + String(repeating: "x", count: 80)
    #expect(TextWrap.lines("see \(url) now", width: 40) == ["see", url, "now"])
  }

  @Test("SAP#294: paragraphs, lists and literal lines keep their shape")
  func blocks() {
    let text = """
      One paragraph
      in two lines.
      - first item
        goes on
      - second

      Another one:

          literal   line
            deeper
      after
      """
    #expect(
      TextBlock.blocks(of: text) == [
        .paragraph("One paragraph in two lines."), .item("first item goes on"), .item("second"),
        .paragraph("Another one:"), .literal(["literal   line", "  deeper"]), .paragraph("after"),
      ])
  }

  @Test("text wraps by cells, not by characters")
  func wide() {
    #expect(TextWrap.lines("日本 語語 ab", width: 9) == ["日本 語語", "ab"])
    #expect(TextWrap.lines("日本 語語 ab", width: 8) == ["日本", "語語 ab"])
  }

  @Test("headings are bold and marks ASCII only when told so")
  func styles() {
    let request = HelpRequest(commands: [Fixture.self, Todo.self, TodoAdd.self], detail: .brief)
    #expect(request.rendered(HelpStyle(isBold: true)).contains("\u{1B}[1mUsage:\u{1B}[0m"))
    #expect(!request.rendered().contains("\u{1B}"))
    let ascii = request.rendered(HelpStyle(isASCII: true))
    #expect(ascii.contains("TEXT... [options]"))
    #expect(ascii.utf8.allSatisfy { $0 < 0x80 })
  }

  @Test("an author's own usage lines replace the generated one")
  func ownUsage() {
    let request = HelpRequest(commands: [ManualTests.Hostile.self], detail: .brief)
    #expect(
      request.rendered().contains(
        "Usage:\n  hostile (--where PREDICATE | --selector JSON|@file) [FILE…]\n"))
  }

  @Test("required options and alternatives stand first in the usage")
  func usage() {
    struct Pick: ParsableCommand {
      @Flag(help: "which") var resolution: Resolution
      @Flag(inversion: .prefixedNo, help: "whether") var keep: Bool
      @Option(help: "who") var user: String
      @Option(help: "roles") var role: [String]
      @Argument(help: "it") var store: String
    }
    #expect(
      CommandDescription(commands: [Pick.self]).synopses
        == [
          "pick (--newest | --oldest) (--keep | --no-keep) --user USER --role ROLE… STORE [options]"
        ])
  }
}
