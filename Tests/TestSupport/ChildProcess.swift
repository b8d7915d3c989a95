public import Glibc

/// A program under test while it runs.
///
/// Its streams are drained whenever the test waits for it, so it never blocks on a full pipe, and
/// every wait has a bound, past which the whole process group is killed. Use it from one thread.
public final class ChildProcess {
  /// The process id; also the id of its process group.
  public let pid: pid_t
  private var input: Descriptor?
  private var pendingInput: ArraySlice<UInt8>
  private var keepsInputOpen: Bool
  private var output: Drain
  private var errors: Drain
  private var terminal: Drain
  private var status: ProcessResult.Status?
  private var peakMemory = 0
  private var consumed = 0
  private var terminalConsumed = 0

  /// Starts a program.
  ///
  /// - Parameter launch: how.
  /// - Throws: ``SupportError`` if it cannot be started.
  public init(_ launch: Launch) throws {
    var plumbing = try Plumbing(launch)
    pid = try plumbing.start(launch)
    input = plumbing.inputEnd
    pendingInput = launch.input[...]
    output = Drain(plumbing.outputEnd)
    errors = Drain(plumbing.errorEnd)
    terminal = Drain(plumbing.terminalEnd)
    keepsInputOpen = launch.keepsInputOpen
    if pendingInput.isEmpty && !keepsInputOpen { input = nil }
  }

  deinit {
    guard status == nil else { return }
    kill(-pid, SIGKILL)
    var waitStatus: Int32 = 0
    waitpid(pid, &waitStatus, 0)
  }

  /// Sends a signal to the program's process group.
  ///
  /// - Parameter signal: its number, such as `SIGKILL`.
  public func send(_ signal: Int32) {
    guard status == nil else { return }
    kill(-pid, signal)
  }

  /// Adds to what is written to standard input, which ``Launch/keepsInputOpen`` left open.
  ///
  /// The bytes go out while the test waits for the program.
  ///
  /// - Parameter text: what to write.
  public func write(_ text: String) {
    pendingInput += Array(text.utf8)
  }

  /// Closes standard input once everything is written.
  public func closeInput() {
    keepsInputOpen = false
    if pendingInput.isEmpty { input = nil }
  }

  /// Types text on the program's terminal.
  ///
  /// - Parameter text: the keys; `\r` is Return, `\t` Tab, `\u{3}` Ctrl-C.
  public func type(_ text: String) {
    guard let descriptor = terminal.descriptor else { return }
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor.number, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }

  /// Waits for the next whole line on standard output.
  ///
  /// - Parameter limit: how long to wait.
  /// - Returns: the line without its end; `nil` when the output ended.
  /// - Throws: ``SupportError/timedOut(_:)``.
  public func nextLine(within limit: Duration = .seconds(30)) throws -> String? {
    func line() -> String? {
      guard let end = output.bytes[consumed...].firstIndex(of: UInt8(ascii: "\n")) else {
        return nil
      }
      defer { consumed = end + 1 }
      return String(decoding: output.bytes[consumed..<end], as: UTF8.self)
    }
    let deadline = ContinuousClock.now + limit
    while true {
      if let line = line() { return line }
      if output.descriptor == nil { return nil }
      guard ContinuousClock.now < deadline else {
        throw SupportError.timedOut("no line on standard output within \(limit)")
      }
      pump()
    }
  }

  /// Waits until the terminal has shown a text since the last such wait.
  ///
  /// - Parameters:
  ///   - text: what to wait for.
  ///   - limit: how long.
  /// - Returns: everything shown since the last wait, up to and with the text.
  /// - Throws: ``SupportError/timedOut(_:)``, with what was shown instead.
  @discardableResult
  public func waitForScreen(_ text: String, within limit: Duration = .seconds(30)) throws -> String
  {
    let wanted = Array(text.utf8)
    let deadline = ContinuousClock.now + limit
    while true {
      let fresh = terminal.bytes[terminalConsumed...]
      if let end = fresh.firstEnd(of: wanted) {
        defer { terminalConsumed = end }
        return String(decoding: fresh[..<end], as: UTF8.self)
      }
      guard ContinuousClock.now < deadline, terminal.descriptor != nil else {
        let shown = String(decoding: fresh, as: UTF8.self)
        throw SupportError.timedOut("the terminal never showed \(text), but: \(shown)")
      }
      pump()
    }
  }

  /// Waits until the program ends, collecting what it writes.
  ///
  /// - Parameter limit: how long; past it the process group is killed.
  /// - Returns: how it ended and what it wrote.
  /// - Throws: ``SupportError/timedOut(_:)`` if it had to be killed.
  public func finish(within limit: Duration = .seconds(60)) throws -> ProcessResult {
    let deadline = ContinuousClock.now + limit
    while status == nil || output.descriptor != nil || errors.descriptor != nil {
      guard ContinuousClock.now < deadline else {
        kill(-pid, SIGKILL)
        let text = String(decoding: errors.bytes + terminal.bytes, as: UTF8.self)
        throw SupportError.timedOut("still running after \(limit); it said: \(text)")
      }
      pump()
    }
    // What the program wrote last is still in the terminal's buffer; nothing more will come.
    while terminal.descriptor != nil, poll(for: 0) { terminal.fill() }
    return ProcessResult(
      status: status ?? .exited(-1), standardOutput: output.bytes, standardError: errors.bytes,
      terminalOutput: terminal.bytes, peakMemory: peakMemory)
  }

  /// Closes the reading end of the program's standard output, as `head` does when it has enough.
  public func closeOutput() {
    output.descriptor = nil
  }

  /// Moves waiting bytes in both directions for at most 10 ms and notes whether the program ended.
  private func pump() {
    samplePeakMemory()
    _ = poll(for: 10)
    output.fill()
    errors.fill()
    terminal.fill()
    feed()
    var waitStatus: Int32 = 0
    if status == nil, waitpid(pid, &waitStatus, WNOHANG) == pid {
      status = ProcessResult.Status(waitStatus: waitStatus)
    }
  }

  private func poll(for milliseconds: Int32) -> Bool {
    var set: [pollfd] = []
    for drain in [output, errors, terminal] {
      guard let descriptor = drain.descriptor else { continue }
      set.append(pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0))
    }
    if let input, !pendingInput.isEmpty {
      set.append(pollfd(fd: input.number, events: Int16(POLLOUT), revents: 0))
    }
    return Glibc.poll(&set, nfds_t(set.count), milliseconds) > 0
      && set.contains { $0.revents & Int16(POLLIN) != 0 }
  }

  private func feed() {
    guard let input, !pendingInput.isEmpty else { return }
    let count = pendingInput.withUnsafeBytes { Glibc.write(input.number, $0.baseAddress, $0.count) }
    if count > 0 { pendingInput = pendingInput.dropFirst(count) }
    let isGone = count < 0 && errno != EAGAIN && errno != EINTR
    if isGone || (pendingInput.isEmpty && !keepsInputOpen) { self.input = nil }
  }

  /// Reads the high-water mark that the kernel keeps; `ru_maxrss` would count the test's own memory.
  private func samplePeakMemory() {
    guard status == nil, let file = fopen("/proc/\(pid)/status", "r") else { return }
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 256)
    while fgets(&buffer, Int32(buffer.count), file) != nil {
      guard buffer.starts(with: "VmHWM:".utf8.map { CChar($0) }) else { continue }
      let digits = buffer.filter { (48...57).contains($0) }.map { UInt8($0) }
      let kibibytes = Int(String(decoding: digits, as: UTF8.self)) ?? 0
      peakMemory = max(peakMemory, kibibytes * 1024)
      return
    }
  }
}

extension ArraySlice<UInt8> {
  /// The index just past the first occurrence of some bytes.
  fileprivate func firstEnd(of wanted: [UInt8]) -> Int? {
    guard count >= wanted.count else { return nil }
    for start in startIndex...(endIndex - wanted.count)
    where self[start..<start + wanted.count].elementsEqual(wanted) {
      return start + wanted.count
    }
    return nil
  }
}
