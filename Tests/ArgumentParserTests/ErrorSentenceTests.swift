import ArgumentParser
import Testing

@Suite struct ErrorSentenceTests {
  @Test(
    "every mistake has its sentence",
    arguments: [
      (
        "todo add a --prio",
        "unknown option '--prio' for 'tote todo add'; did you mean '--priority'?"
      ),
      (
        "todo add a --prio=high",
        "unknown option '--prio' for 'tote todo add'; did you mean '--priority'?"
      ),
      ("todo add a -due", "unknown option '-due' for 'tote todo add'; did you mean '--due'?"),
      ("lsit", "unknown command 'lsit'"),
      ("todo lsit", "unknown command 'lsit'; did you mean 'list'?"),
      ("tod add", "unknown command 'tod'; did you mean 'todo'?"),
      ("store stora", "unknown command 'stora'"),
      ("todo add a --due", "'--due' needs a value: --due WHEN"),
      ("todo add a --due --", "'--due' needs a value: --due WHEN"),
      ("todo add a -t", "'-t' needs a value: -t TAG"),
      (
        "store find s --where x --port abc",
        "'--port' cannot be 'abc': expected a whole number from 0 to 65535"
      ),
      (
        "store find s --where x --port 65536",
        "'--port' cannot be '65536': expected a whole number from 0 to 65535"
      ),
      ("store find s --where x --factor=", "'--factor' cannot be '': expected a number"),
      ("todo add a -n x", "'-n' cannot be 'x': expected a whole number"),
      (
        "todo add a --priority hi",
        "'--priority' cannot be 'hi': choose high, medium or low; did you mean 'high'?"
      ),
      ("todo add a -p zzz", "'-p' cannot be 'zzz': choose high, medium or low"),
      ("store put", "missing STORE"),
      ("store resolve", "missing STORE and DOC"),
      ("store find", "missing STORE and '--where WHERE'"),
      ("todo add", "missing TEXT"),
      ("todo list x", "unexpected 'x'"),
      ("todo --all x", "unexpected 'x'; '--all' takes no value"),
      ("store put s d j x", "unexpected 'x'; put text that contains spaces in quotes"),
      (
        "store resolve s d --newest --oldest",
        "'--newest' and '--oldest' cannot be used together"
      ),
      (
        "store resolve s d --newest --keep 1",
        "'--keep' and '--newest' cannot be used together"
      ),
      ("--json=yes", "'--json' takes no value (got '=yes')"),
      ("todo add a -j=yes", "'-j' takes no value (got '=yes')"),
      (
        "todo add a -jz",
        "unknown option '-z' for 'tote todo add'"
          + "; to pass text that starts with '-', put '--' before it"
      ),
      ("--color blue", "'--color' cannot be 'blue': choose auto, always or never"),
    ])
  func sentence(line: String, expected: String) throws {
    let words = line.split(separator: " ").map(String.init)
    #expect(try failure(words).message == expected)
  }

  @Test("SAP#23: the word misspelled is blamed, not what follows it")
  func culprit() {
    #expect(
      message("store", "put", "s", "--rve", "1-a")
        == "unknown option '--rve' for 'tote store put'; did you mean '--rev'?")
  }

  @Test("a failure is a value with everything a renderer needs")
  func structure() throws {
    let failure = try failure(["todo", "add", "a", "--due"])
    #expect(failure.code == "usage")
    #expect(failure.option == "--due")
    #expect(failure.argument == nil)
    #expect(failure.command == "tote todo add")
    #expect(failure.usage == ["tote todo add TEXT… [options]"])
    #expect(failure.seeAlso == "tote todo add --help")
    #expect(failure.exitCode == .validationFailure)
    #expect(failure.exitCode.rawValue == 64)
    #expect(
      failure.rendered(program: "tote") == """
        tote: '--due' needs a value: --due WHEN
        usage: tote todo add TEXT… [options]
        see 'tote todo add --help'
        """)
  }

  @Test("a failure names the argument concerned")
  func argument() throws {
    #expect(try failure(["store", "put"]).argument == "STORE")
    #expect(try failure(["todo", "list", "x"]).argument == "x")
    #expect(try failure(["todo", "lsit"]).argument == "lsit")
    #expect(try failure(["todo", "add", "a", "-p", "hi"]).argument == "hi")
    #expect(try failure(["todo", "add", "a", "-p", "hi"]).option == "--priority")
  }

  @Test("words of the user's cannot reach the terminal raw")
  func escaping() {
    #expect(message("a\u{1B}[2Jb") == "unknown command 'a\\u{1b}[2Jb'")
    #expect(message("a\nb\u{202E}") == "unknown command 'a\\nb\\u{202e}'")
  }

  @Test("several checks that fail are all reported")
  func severalMessages() throws {
    let failure = try failure(
      ["store", "find", "s", "--where", "x", "--limit", "-1", "--factor", "10"])
    #expect(
      failure.messages == ["'--limit' cannot be negative", "'--factor' is too large"])
    #expect(
      failure.rendered(program: "tote").hasPrefix("tote: '--limit' cannot be negative\ntote: "))
  }

  @Test("SAP#59: a repeated exclusive flag is allowed")
  func repeatedExclusive() throws {
    let resolve = try command(
      StoreResolve.self, "store", "resolve", "s", "d", "--newest", "--newest")
    #expect(resolve.resolution == .newest)
  }

  @Test("SAP#434: a word is never suggested for itself")
  func selfSuggestion() {
    #expect(message("todo", "add", "a", "--due") == "'--due' needs a value: --due WHEN")
    #expect(message("store", "--due").contains("did you mean") == false)
  }
}
