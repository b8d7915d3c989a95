import Core
import Glibc
import Synchronization

/// Why output could not be written.
enum OutputError: Error, Sendable {
  /// The reader went away (EPIPE): the run ends quietly, with status 0.
  case closed
  /// Any other failure, by its `errno`: a full disk, a vanished mount.
  case failed(errno: Int32)
}

/// A buffered writer over `write(2)`, the only way this program writes to stdout and stderr.
///
/// `print` loses data silently on a full disk and `FileHandle.write(_:)` crashes on a closed pipe;
/// this writer reports both, and whoever ends the program flushes it and looks at the result.
/// Tests write into memory instead of a descriptor.
final class OutputWriter: Sendable {
  private enum Sink: Sendable {
    case descriptor(Int32)
    case memory
  }

  private struct State: Sendable {
    var buffer: [UInt8] = []
    var failure: OutputError?
    /// The progress line that must be gone before anything is written.
    var progress: ProgressLine?
  }

  private static let capacity = 64 * 1024

  private let sink: Sink
  private let flushesLines: Mutex<Bool>
  private let state = Mutex(State())

  /// Creates a writer to an open descriptor.
  ///
  /// - Parameters:
  ///   - descriptor: the descriptor, which stays open.
  ///   - flushesLines: whether each write is passed on at once (terminals, followed feeds).
  init(descriptor: Int32, flushesLines: Bool) {
    sink = .descriptor(descriptor)
    self.flushesLines = Mutex(flushesLines)
  }

  /// Creates a writer that keeps everything in memory, for tests.
  init() {
    sink = .memory
    flushesLines = Mutex(false)
  }

  /// Clears a progress line before each write.
  func clears(_ line: ProgressLine) {
    guard line.isEnabled else { return }
    state.withLock { $0.progress = line }
  }

  /// Passes each further write on at once; for feeds that a reader waits on.
  func flushEachWrite() { flushesLines.withLock { $0 = true } }

  /// Writes text as UTF-8.
  func write(_ text: String) throws(OutputError) {
    var text = text
    let failure = text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    if let failure { throw failure }
  }

  /// Writes text and a line feed.
  func writeLine(_ text: String) throws(OutputError) { try write(text + "\n") }

  /// Writes bytes as they are.
  func write(_ bytes: [UInt8]) throws(OutputError) {
    if let failure = bytes.withUnsafeBytes({ append($0) }) { throw failure }
  }

  /// Writes bytes as they are.
  func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) {
    if let failure = append(bytes) { throw failure }
  }

  /// Passes on what is buffered.
  func flush() throws(OutputError) {
    let failure = state.withLock { state in
      drain(&state)
      return state.failure
    }
    if let failure { throw failure }
  }

  /// What was written so far, for tests of a writer in memory.
  var written: [UInt8] { state.withLock { $0.buffer } }

  private func append(_ bytes: UnsafeRawBufferPointer) -> OutputError? {
    let flushes = flushesLines.withLock { $0 }
    return state.withLock { state in
      if let failure = state.failure { return failure }
      state.buffer.append(contentsOf: bytes)
      if flushes || state.buffer.count >= OutputWriter.capacity { drain(&state) }
      return state.failure
    }
  }

  private func drain(_ state: inout State) {
    guard case .descriptor(let descriptor) = sink, state.failure == nil, !state.buffer.isEmpty
    else { return }
    state.progress?.clear()
    state.failure = state.buffer.withUnsafeBytes { writeAll($0, to: descriptor) }
    state.buffer.removeAll(keepingCapacity: true)
  }
}

/// Writes every byte to a descriptor, going on after interruptions and short writes.
func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> OutputError? {
  var position = 0
  while position < bytes.count {
    let count = Glibc.write(
      descriptor, bytes.baseAddress?.advanced(by: position), bytes.count - position)
    if count >= 0 {
      position += count
      continue
    }
    switch errno {
    case EINTR: continue
    case EAGAIN:
      // The descriptor was made non-blocking by whoever shares it: wait until it takes more.
      var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = poll(&poller, 1, -1)
    case EPIPE: return .closed
    case let code: return .failed(errno: code)
    }
  }
  return nil
}

/// The C library's words for an `errno`, in lower case as messages have them.
func systemMessage(_ code: Int32) -> String {
  var buffer = [CChar](repeating: 0, count: 256)
  guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
  let message = buffer.withUnsafeBufferPointer { buffer in
    String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
  guard let first = message.first else { return "error \(code)" }
  return first.lowercased() + message.dropFirst()
}
