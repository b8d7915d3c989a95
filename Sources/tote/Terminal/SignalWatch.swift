import Glibc
import Synchronization

/// Waits for SIGINT, SIGTERM and SIGHUP on the main thread while the command runs on others.
///
/// The signals are blocked in every thread and taken synchronously, so no code ever runs inside a
/// signal handler. The first signal cancels the command, cleans up and lets the process die by that
/// very signal, which is what a shell looks at; a second one dies at once.
enum SignalWatch {
  /// What the watcher should do at the moment, set by whoever waits for something.
  private struct Mood: Sendable {
    var childrenInForeground = 0
    var drainSeconds = 0
    var endsNormally = false
    /// The signal that ended the run, once there was one.
    var received: Int32?
  }

  private static let mood = Mutex(Mood())

  /// Blocks the watched signals in the calling thread and all it will start, and ignores SIGPIPE
  /// (writes report EPIPE instead).
  static func prepare() {
    signal(SIGPIPE, SIG_IGN)
    var set = watched()
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits for a signal, forever; the command's task ends the process when it is done.
  ///
  /// - Parameter task: the running command, cancelled by the first signal.
  static func run(cancelling task: Task<Void, Never>) -> Never {
    var set = watched()
    while true {
      var number: Int32 = 0
      guard sigwait(&set, &number) == 0 else { continue }
      let current = mood.withLock { $0 }
      // Ctrl-C in an editor or pager reaches us as well; it is meant for them.
      if number == SIGINT, current.childrenInForeground > 0 { continue }
      mood.withLock { $0.received = number }
      task.cancel()
      // The task ends the process itself if it is quick; otherwise this thread does.
      wait(atMost: current.drainSeconds, for: set)
      Cleanup.runAll()
      die(by: number)
    }
  }

  /// Runs `body` while a child owns the terminal and takes its Ctrl-C.
  static func withForegroundChild<R>(_ body: () throws -> R) rethrows -> R {
    mood.withLock { $0.childrenInForeground += 1 }
    defer { mood.withLock { $0.childrenInForeground -= 1 } }
    return try body()
  }

  /// Lets the command finish what it has begun, for at most `seconds`, when a signal comes.
  ///
  /// - Parameters:
  ///   - seconds: the longest wait; a second signal cuts it short.
  ///   - endsNormally: whether a run that SIGTERM or Ctrl-C ended, such as a server's, has the status
  ///     of its command instead of dying by the signal.
  static func allowDraining(seconds: Int, endsNormally: Bool = false) {
    mood.withLock { mood in
      mood.drainSeconds = seconds
      mood.endsNormally = endsNormally
    }
  }

  /// Ends the process after the command: with its status, or by the signal that cancelled it.
  static func finish(_ status: Int32) -> Never {
    Cleanup.runAll()
    let current = mood.withLock { $0 }
    if let number = current.received, number == SIGHUP || !current.endsNormally {
      die(by: number)
    }
    _exit(status)
  }

  /// Ends this process by a signal, as if it had never been caught.
  static func die(by number: Int32) -> Never {
    signal(number, SIG_DFL)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, number)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    // To this very thread: one sent to the process could be taken by the thread in sigwait.
    raise(number)
    // The signal is delivered before raise returns; this is for a debugger that holds it back.
    _exit(128 + number)
  }

  private static func wait(atMost seconds: Int, for set: sigset_t) {
    var set = set
    var limit = timespec(tv_sec: time_t(seconds), tv_nsec: seconds == 0 ? 20_000_000 : 0)
    let second = sigtimedwait(&set, nil, &limit)
    if second > 0 { die(by: second) }
  }

  /// The signals that are watched: those a parent has not told us to ignore (`nohup`).
  private static func watched() -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      var action = sigaction()
      sigaction(number, nil, &action)
      if unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) != 1 {
        sigaddset(&set, number)
      }
    }
    return set
  }
}
