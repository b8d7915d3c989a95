import Glibc
import TestSupport
import Testing

@Suite("A program under test")
struct ChildProcessTests {
  private func shell(_ line: String) -> Launch {
    Launch("/bin/sh", ["-c", line], environment: ["PATH": "/usr/bin:/bin"])
  }

  @Test("both streams are kept apart and the exit status is told")
  func streams() throws {
    let result = try ChildProcess(shell("echo out; echo err >&2; exit 7")).finish()
    #expect(result.output == "out\n")
    #expect(result.errors == "err\n")
    #expect(result.status == .exited(7))
  }

  @Test("output larger than a pipe is drained while the program runs, on both streams")
  func largeOutput() throws {
    let line = "head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2"
    let result = try ChildProcess(shell(line)).finish()
    #expect(result.standardOutput.count == 1_000_000)
    #expect(result.standardError.count == 1_000_000)
  }

  @Test("input larger than a pipe goes in while output comes out")
  func largeInput() throws {
    var launch = shell("cat")
    launch.input = [UInt8](repeating: 65, count: 3_000_000)
    #expect(try ChildProcess(launch).finish().standardOutput == launch.input)
  }

  @Test("a program that does not read its input does no harm")
  func unreadInput() throws {
    var launch = shell("exit 3")
    launch.input = [UInt8](repeating: 65, count: 3_000_000)
    #expect(try ChildProcess(launch).finish().status == .exited(3))
  }

  @Test("the end by a signal is told apart from an exit")
  func signalled() throws {
    let result = try ChildProcess(shell("kill -9 $$")).finish()
    #expect(result.status == .signalled(9))
    #expect(result.exitCode == 137)
  }

  @Test("signals are neither blocked nor ignored in the program")
  func signalsAreReset() throws {
    let result = try ChildProcess(shell("grep -E '^Sig(Blk|Ign)' /proc/self/status")).finish()
    #expect(result.lines.count == 2)
    for line in result.lines {
      let mask = line.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) }
      // Signals 32 and 33 belong to the C library, which lets nobody set them.
      #expect(mask.map { $0 & 0x7FFF_FFFF } == 0, "\(line)")
    }
  }

  @Test("a program that hangs is killed at the limit, with its children")
  func hanging() throws {
    let process = try ChildProcess(shell("sleep 600 & wait"))
    #expect(throws: SupportError.self) { try process.finish(within: .milliseconds(200)) }
  }

  @Test("lines can be read while the program runs, and written to it")
  func conversation() throws {
    var launch = shell("while read word; do echo \"<$word>\"; done; echo end")
    launch.keepsInputOpen = true
    let process = try ChildProcess(launch)
    process.write("one\n")
    #expect(try process.nextLine() == "<one>")
    process.write("two\n")
    #expect(try process.nextLine() == "<two>")
    process.closeInput()
    #expect(try process.nextLine() == "end")
    #expect(try process.nextLine() == nil)
    #expect(try process.finish().status == .exited(0))
  }

  @Test("a stream can be closed, broken or a file", arguments: [1, 2])
  func specialStreams(number: Int) throws {
    try withTemporaryDirectory { folder in
      func launch(_ stream: Launch.Stream) -> Launch {
        var launch = shell("echo text >&\(number)")
        if number == 1 { launch.standardOutput = stream } else { launch.standardError = stream }
        return launch
      }
      #expect(try ChildProcess(launch(.closed)).finish().exitCode != 0)
      #expect(try ChildProcess(launch(.brokenPipe)).finish().status == .signalled(SIGPIPE))
      _ = try ChildProcess(launch(.file("\(folder)/file"))).finish()
      #expect(try readText("\(folder)/file") == "text\n")
    }
  }

  @Test("the peak memory is the program's own")
  func peakMemory() throws {
    // dd holds one block of 200 MB for as long as it takes to fill it.
    let line = "exec dd if=/dev/zero of=/dev/null bs=200M count=4 2>/dev/null"
    let large = try ChildProcess(shell(line)).finish()
    #expect(large.peakMemory > 150_000_000)
    let small = try ChildProcess(shell("exec sleep 0.1")).finish()
    #expect(small.peakMemory < 20_000_000)
  }
}
