import Glibc
import Synchronization

/// One line on a terminal that says how far long work is.
///
/// It appears only after half a second, changes at most ten times a second, and is cleared before
/// anything else is written, since both writers ask it to.
final class ProgressLine: Sendable {
  private struct State: Sendable {
    var start: UInt64 = 0
    var lastDrawn: UInt64 = 0
    var isVisible = false
  }

  private let descriptor: Int32
  private let width: Int
  /// Whether anything is ever drawn.
  let isEnabled: Bool
  private let state = Mutex(State())

  /// Creates a line on a descriptor.
  ///
  /// - Parameters:
  ///   - descriptor: where to draw.
  ///   - width: the terminal's cells.
  ///   - isEnabled: false draws nothing: no terminal, `--quiet`, `--json`.
  init(descriptor: Int32, width: Int, isEnabled: Bool) {
    self.descriptor = descriptor
    self.width = width
    self.isEnabled = isEnabled
  }

  /// A line that draws nothing.
  static let none = ProgressLine(descriptor: -1, width: 80, isEnabled: false)

  /// Says how far the work is; the text is made only when it is drawn.
  func update(_ text: () -> String) {
    guard isEnabled else { return }
    let now = monotonicMilliseconds()
    let isDue = state.withLock { state in
      if state.start == 0 { state.start = now }
      guard now - state.start >= 500, now - state.lastDrawn >= 100 else { return false }
      state.lastDrawn = now
      state.isVisible = true
      return true
    }
    guard isDue else { return }
    let line = Cells.truncate(Sanitizer.terminalSafe(text()), to: width - 1, ellipsis: "")
    draw("\r" + line + "\u{1B}[K")
  }

  /// Takes the line away before something else is written, or when the work is done.
  func clear() {
    guard isEnabled else { return }
    let wasVisible = state.withLock { state in
      defer { state.isVisible = false }
      return state.isVisible
    }
    if wasVisible { draw("\r\u{1B}[K") }
  }

  private func draw(_ text: String) {
    // A lost progress line is no error: nothing depends on it.
    var text = text
    _ = text.withUTF8 { Glibc.write(descriptor, $0.baseAddress, $0.count) }
  }
}

/// Milliseconds on a clock that never goes back.
func monotonicMilliseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
}
