import CTestSupport
import Glibc

/// A file descriptor that is closed when nobody holds it any more.
final class Descriptor {
  let number: Int32

  init(_ number: Int32) { self.number = number }

  deinit { close(number) }

  /// Makes reads and writes return at once when they would wait.
  func makeNonblocking() {
    _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
  }
}

/// Collects what arrives on a descriptor until the other side closes it.
struct Drain {
  var descriptor: Descriptor?
  var bytes: [UInt8] = []

  init(_ descriptor: Descriptor?) {
    self.descriptor = descriptor
    descriptor?.makeNonblocking()
  }

  /// Takes what is there without waiting.
  mutating func fill() {
    guard let descriptor else { return }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor.number, &buffer, buffer.count)
      if count > 0 {
        bytes.append(contentsOf: buffer[..<count])
        continue
      }
      if count < 0 && errno == EINTR { continue }
      // A terminal whose last user left reports EIO, not an end of file.
      if count == 0 || errno != EAGAIN { self.descriptor = nil }
      return
    }
  }
}

/// The descriptors of one start: the child's ends, and the ends that the test keeps.
struct Plumbing {
  var inputEnd: Descriptor?
  var outputEnd: Descriptor?
  var errorEnd: Descriptor?
  var terminalEnd: Descriptor?
  private var childEnds: [Descriptor] = []
  private var streams: [Int32] = []
  private var terminalPath: String?

  init(_ launch: Launch) throws {
    if let size = launch.terminal { try openTerminal(size) }
    inputEnd = try connect(0, launch.standardInput)
    outputEnd = try connect(1, launch.standardOutput)
    errorEnd = try connect(2, launch.standardError)
    inputEnd?.makeNonblocking()
    // Writing to a program that has ended must be an error here, not the end of all tests.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Starts the program on these descriptors and closes the child's ends here.
  mutating func start(_ launch: Launch) throws -> pid_t {
    var pid = pid_t()
    let variables = launch.environment.map { "\($0.key)=\($0.value)" }.sorted()
    let code = withCStrings([launch.executable] + launch.arguments) { words in
      withCStrings(variables) { variables in
        tote_test_start(
          launch.executable, words, variables, launch.directory, terminalPath, streams, &pid)
      }
    }
    childEnds = []
    guard code == 0 else { throw SupportError.system("start \(launch.executable)", code) }
    return pid
  }

  private mutating func openTerminal(_ size: Launch.TerminalSize) throws {
    var master: Int32 = -1
    var path = [CChar](repeating: 0, count: 64)
    let code = tote_test_open_terminal(size.columns, size.rows, &master, &path)
    guard code == 0 else { throw SupportError.system("open a pseudo-terminal", code) }
    terminalEnd = Descriptor(master)
    terminalPath = String(
      decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Prepares one standard stream; returns the end that the test keeps, if any.
  private mutating func connect(_ number: Int32, _ stream: Launch.Stream) throws -> Descriptor? {
    switch stream {
    case .terminal:
      streams.append(TOTE_TEST_TERMINAL)
      return nil
    case .closed:
      streams.append(TOTE_TEST_CLOSED)
      return nil
    case .file(let path):
      let flags = number == 0 ? O_RDONLY : O_WRONLY | O_CREAT
      let descriptor = open(path, flags | O_CLOEXEC | O_NOCTTY, 0o600)
      guard descriptor >= 0 else { throw SupportError.system("open \(path)", errno) }
      keep(Descriptor(descriptor))
      return nil
    case .pipe, .brokenPipe:
      var ends: [Int32] = [-1, -1]
      let code = tote_test_pipe(&ends)
      guard code == 0 else { throw SupportError.system("pipe", code) }
      let (reading, writing) = (Descriptor(ends[0]), Descriptor(ends[1]))
      keep(number == 0 ? reading : writing)
      return stream == .brokenPipe ? nil : (number == 0 ? writing : reading)
    }
  }

  private mutating func keep(_ childEnd: Descriptor) {
    childEnds.append(childEnd)
    streams.append(childEnd.number)
  }
}

/// Calls a function with a null-terminated array of C strings that live as long as the call.
private func withCStrings<Result>(
  _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
  let copies = strings.map { strdup($0) }
  defer { copies.forEach { free($0) } }
  return body(copies + [nil])
}
