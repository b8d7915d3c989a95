import TestSupport
import Testing

@Suite("A program on a terminal")
struct PseudoTerminalTests {
  private func shell(_ line: String) -> Launch {
    Launch("/bin/sh", ["-c", line], environment: ["PATH": "/usr/bin:/bin", "COLUMNS": "13"])
  }

  @Test("it sees a terminal of the given size on all streams, and no COLUMNS")
  func size() throws {
    let line = "test -t 0 && test -t 1 && test -t 2 && stty size && echo \"[$COLUMNS]\""
    let session = try PseudoTerminal(shell(line), size: .init(columns: 57, rows: 11))
    let result = try session.finish()
    #expect(result.screen == "11 57\r\n[]\r\n")
    #expect(result.status == .exited(0))
  }

  @Test("a conversation goes by typed keys")
  func keys() throws {
    let session = try PseudoTerminal(shell("printf 'name? '; read name; echo \"hello $name\""))
    try session.waitFor("name? ")
    session.type("Ada\r")
    try session.waitFor("hello Ada")
    #expect(try session.finish().status == .exited(0))
  }

  @Test("Ctrl-C on the terminal is SIGINT to the program")
  func interrupt() throws {
    let session = try PseudoTerminal(shell("echo ready; exec sleep 600"))
    try session.waitFor("ready")
    session.type("\u{3}")
    #expect(try session.finish().status == .signalled(2))
  }

  @Test("some streams can be the terminal while others are pipes")
  func mixed() throws {
    let line = "test -t 1 || echo piped; test -t 2 && echo shown >&2"
    let result = try PseudoTerminal(shell(line), streams: [0, 2]).finish()
    #expect(result.output == "piped\n")
    #expect(result.screen == "shown\r\n")
  }

  @Test("waiting for what is never shown fails with what was shown")
  func neverShown() throws {
    let session = try PseudoTerminal(shell("echo something else"))
    #expect {
      try session.waitFor("hello", within: .seconds(5))
    } throws: {
      "\($0)".contains("something else")
    }
  }

  @Test("control sequences are dropped to read a screen as a person does")
  func escapes() {
    #expect("\u{1B}[1;31mred\u{1B}[0m\r\n\u{1B}]0;title\u{7}x".withoutEscapes == "red\nx")
  }
}
