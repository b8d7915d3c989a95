import Foundation
import TestSupport
import Testing

@testable import ArgumentParser

@Suite struct ManualTests {
  static let settings = ManualSettings(
    date: "November 30, 2026", system: "tote 1.4.0",
    environment: [ManualDocument.Entry("TOTE_HOME", "Where the stores are.", kind: .variable)],
    files: [ManualDocument.Entry("~/.local/share/tote", "The stores.", kind: .path)],
    exitCodes: [ExitStatus(0, "done"), ExitStatus(64, "the command line was wrong")],
    seeAlso: ["tote-json(5)"])

  private func page(_ name: String) throws -> String {
    let files = CommandTree(Fixture.self).manualFiles(Self.settings)
    return try #require(files.first { $0.name == name }).text
  }

  @Test("there is a page for each command that is mentioned")
  func names() {
    let names = CommandTree(Fixture.self).manualFiles(Self.settings).map(\.name)
    #expect(
      names == [
        "tote.1", "tote-store.1", "tote-store-put.1", "tote-store-resolve.1", "tote-store-find.1",
        "tote-todo.1", "tote-todo-add.1", "tote-todo-list.1", "tote-todo-done.1", "tote-sync.1",
        "tote-sync-run.1", "tote-sync-send.1",
      ])
  }

  @Test("a page is the command's declaration, whole")
  func golden() throws {
    let text = try page("tote-todo-add.1")
    #expect(
      text == #"""
        .Dd November 30, 2026
        .Dt TOTE-TODO-ADD 1
        .Os tote 1.4.0
        .Sh NAME
        .Nm tote-todo-add
        .Nd add a todo
        .Sh SYNOPSIS
        .Nm tote
        \fBtodo\fR \fBadd\fR \fITEXT\fR\&... [\fIoptions\fR]
        .Sh DESCRIPTION
        Add a todo.
        .Pp
        Adds one todo.
        The words are joined with single spaces.
        .Bl -dash -compact
        .It
        the text is never parsed for attributes
        .It
        use the options instead
        .El
        .Bd -literal -offset indent
        tote todo add "Buy milk"
        .Ed
        .Pp
        The arguments are as follows.
        .Bl -tag -width Ds
        .It Ar TEXT\&...
        The text of the todo.
        .It Fl p , Fl \-priority Ar PRIORITY
        How urgent it is.
        The default is low.
        .Bl -dash -compact
        .It
        high: red
        .It
        medium: yellow
        .It
        low
        .El
        .It Fl \-due Ar WHEN
        When it is due.
        .It Fl t , Fl \-tag Ar TAG\&...
        A tag; may be repeated.
        .It Fl n Ar NUMBER
        How many.
        .It Fl f , Fl \-[no\-]favourite
        Whether it is a favourite.
        .It Fl d , Fl \-dry\-run
        Say what would happen.
        .It Fl \-
        Take all that follows as operands, not options.
        .El
        .Pp
        The options that every command takes are described in tote(1).
        .Sh EXIT STATUS
        .Bl -tag -width Ds
        .It Li 0
        Added.
        .It Li 66
        No such store.
        .El
        .Pp
        The other values are described in tote(1).
        .Sh EXAMPLES
        .Bl -tag -width Ds
        .It Li "tote todo add \(dqBuy milk\(dq \-\-due tomorrow"
        Adds a todo that is due tomorrow.
        .El
        .Sh SEE ALSO
        .Xr tote-todo 1 ,
        .Xr tote-todo-list 1 ,
        .Xr tote-json 5

        """#)
  }

  @Test("mandoc and lexgrog accept every page, and each renders at 60 and 80 columns")
  func accepted() throws {
    try withTemporaryDirectory { folder in
      var files = CommandTree(Fixture.self).manualFiles(Self.settings)
      files += CommandTree(Hostile.self).manualFiles(Self.settings)
      files.append(Self.format.file(Self.settings))
      for file in files {
        let path = "\(folder)/\(file.name)"
        try writeText(file.text, to: path)
        let lint = try run("mandoc", "-T", "lint", "-W", "warning", path)
        #expect(lint.output.isEmpty && lint.errors.isEmpty, "\(file.name) \(lint)\n\(file.text)")
        let name = try run("lexgrog", path)
        #expect(name.status == .exited(0), "\(name)")
        let whole = file.name.split(separator: ".")[0]
        #expect(name.output.contains("\"\(whole) - "), "\(name)")
        for width in ["60", "80"] {
          let shown = try run("mandoc", "-T", "utf8", "-O", "width=\(width)", path)
          #expect(shown.status == .exited(0))
        }
      }
    }
  }

  @Test("text comes out of the page as it went in")
  func escaping() throws {
    try withTemporaryDirectory { folder in
      let file = try #require(CommandTree(Hostile.self).manualFiles(Self.settings).first)
      try writeText(file.text, to: "\(folder)/page.1")
      let shown = try run("mandoc", "-T", "utf8", "-O", "width=80", "\(folder)/page.1").output
      let plain = shown.replacingOccurrences(
        of: ".\u{8}", with: "", options: .regularExpression)
      for text in [
        #"back\slash"#, ".leading dot", "'leading quote", "--option-name", "café", "a - b",
        #"printf '%s\n' "$x" | tote hostile `date` ~/^"#, "...and more", "F.png|F.svg", "(é)",
      ] {
        #expect(plain.contains(text), "\(text)\n\(plain)")
      }
    }
  }

  /// A page of section 5 as an application would make it.
  static let format = ManualDocument(
    name: "tote-json", section: 5, abstract: "the JSON that tote prints",
    sections: [
      ManualDocument.Section(
        "DESCRIPTION",
        [
          .text("Keys are only added. An absent value is null.\n\n    {\"a\": null}"),
          .subsection("tote store list"),
          .entries([ManualDocument.Entry("name (string)", "The store's name.")]),
        ]),
      ManualDocument.Section("SEE ALSO", [.references(["tote", "tote store"])]),
    ])

  struct Hostile: ParsableCommand, DocumentedCommand {
    static let configuration = CommandConfiguration(
      commandName: "hostile", abstract: "text that breaks careless pages",
      usage: "hostile (--where PREDICATE | --selector JSON|@file) [FILE…]",
      discussion: #"""
        A back\slash, an --option-name, a café and a - b (é).

        .leading dot

        'leading quote

            .literal dot
            printf '%s\n' "$x" | tote hostile `date` ~/^
        """#)
    static let examples = [
      Example(#"hostile 'a "b" c' \ | .x"#, "…and more"), Example("hostile No Ar", ""),
    ]
    static let exitCodes = [ExitStatus(0, ".dot first")]
    static let outputKeys = [OutputKey("Fl", "string or null", "a macro's name")]

    @Option(help: ArgumentHelp("a picture", valueName: "F.png|F.svg")) var out: String?
    @Argument(
      help: ArgumentHelp("'quoted' first", discussion: "- one\n- two\n\nthen", valueName: "No"))
    var no: [String] = []
  }

  private func run(_ words: String...) throws -> ProcessResult {
    let launch = Launch(
      "/usr/bin/env", words,
      environment: ["PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8"])
    return try ChildProcess(launch).finish(within: .seconds(30))
  }
}
