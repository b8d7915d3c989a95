import Testing

@testable import TestSupport

@Suite("Transcripts")
struct TranscriptTests {
  /// Runs commands without the program: a shell is enough for the engine's own rules.
  private func replay(_ text: String) throws -> (Transcript, String?) {
    try Transcript(parsing: text).replay(Self.run)
  }

  private static func run(_ step: Transcript.Step, _ command: String) throws -> ProcessResult {
    let launch = Launch("/bin/sh", ["-c", command], environment: ["PATH": "/usr/bin:/bin"])
    guard let columns = step.columns else { return try ChildProcess(launch).finish() }
    return try PseudoTerminal(launch, size: .init(columns: columns)).finish()
  }

  @Test("writing a transcript and reading it gives the same")
  func roundTrip() throws {
    let text = """
      # A remark.

      >>> echo a
      ... echo '>>> b'
      a
      \\>>> b
      --- stderr
      e
      === 0
      >40> printf x
      x
      \\ no newline
      === 3
      # end

      """
    let transcript = try Transcript(parsing: text)
    #expect(transcript.text == text)
    #expect(transcript.steps.count == 2)
    #expect(transcript.steps[0].command == "echo a\necho '>>> b'")
    #expect(transcript.steps[0].output == ["a", ">>> b"])
    #expect(transcript.steps[1].columns == 40)
    #expect(transcript.steps[1].exitCode == 3)
    #expect(transcript.trailer == ["# end"])
  }

  @Test("a session that behaves as written agrees")
  func agrees() throws {
    let (_, mismatch) = try replay(
      """
      >>> echo out; echo err >&2; exit 4
      out
      --- stderr
      err
      === 4
      >>> printf half
      half
      \\ no newline
      === 0
      >33> stty size; printf '\\033[1mbold\\n'
      24 33
      ␛[1mbold
      === 0

      """)
    #expect(mismatch == nil)
  }

  @Test(
    "every kind of difference is found",
    arguments: [
      ">>> echo b\na\n=== 0\n", ">>> echo a\na\n=== 1\n", ">>> echo a; echo b\na\n=== 0\n",
      ">>> echo a\na\nb\n=== 0\n", ">>> echo a >&2\n=== 0\n", ">>> printf a\na\n=== 0\n",
    ])
  func disagrees(text: String) throws {
    #expect(try replay(text).1 != nil)
  }

  @Test("a placeholder captures at its first place and must agree later, in commands too")
  func placeholders() throws {
    let agreeing = ">>> echo id-x7 1\n%{id} 1\n=== 0\n>>> echo %{id}.\nid-x7.\n=== 0\n"
    #expect(try replay(agreeing).1 == nil)
    let differing = ">>> echo one\n%{id}\n=== 0\n>>> echo two\n%{id}\n=== 0\n"
    #expect(try replay(differing).1 != nil)
    #expect(try replay(">>> echo '{\"a\":\"b c\"}' q\n{\"a\":\"%{*}\"} %{_}\n=== 0\n").1 == nil)
  }

  @Test("what is recorded keeps the placeholders that still fit and uses the captured names")
  func recording() throws {
    let text = ">>> echo k7m2\n%{id}\n=== 0\n>>> echo 'new k7m2'\nold\n=== 0\n"
    let (actual, _) = try replay(text)
    #expect(actual.text == text.replacing("old", with: "new %{id}"))
  }

  @Test("recording writes the file, except where CI is set")
  func recordMode() throws {
    try withTemporaryDirectory { folder in
      let path = "\(folder)/x.session"
      try writeText(">>> echo new\nold\n=== 0\n", to: path)
      let record = ["TOTE_RECORD_TRANSCRIPTS": "1"]
      let inCI = record.merging(["CI": "true"]) { $1 }
      #expect(throws: TranscriptMismatch.self) {
        try Transcript.verify(path, environment: { _ in nil }, run: Self.run)
      }
      #expect(throws: SupportError.self) {
        try Transcript.verify(path, environment: { inCI[$0] }, run: Self.run)
      }
      #expect(try readText(path) == ">>> echo new\nold\n=== 0\n")
      try Transcript.verify(path, environment: { record[$0] }, run: Self.run)
      #expect(try readText(path) == ">>> echo new\nnew\n=== 0\n")
      try Transcript.verify(path, environment: { _ in nil }, run: Self.run)
      #expect(Transcript.files(in: folder) == [path])
    }
  }

  @Test(
    "a file that makes no sense is refused with its line",
    arguments: ["text\n", ">>> a\n>>> b\n=== 0\n", ">>> a\n=== x\n", ">>> a\nb\n"])
  func malformed(text: String) {
    #expect {
      try Transcript(parsing: text)
    } throws: {
      "\($0)".contains("line ")
    }
  }
}
