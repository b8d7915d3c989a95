import Glibc

/// Starts a detached thread that takes no signals: those are for the main thread.
package func startThread(_ body: @escaping @Sendable () -> Void) {
  final class Box {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  let box = Unmanaged.passRetained(Box(body))
  var thread = pthread_t()
  let code = withoutSignals {
    pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
  }
  precondition(code == 0, "the system has no thread left")
  pthread_detach(thread)
}

/// Runs a call that starts threads, so that these are born with every signal blocked.
func withoutSignals<Result>(_ body: () -> Result) -> Result {
  var all = sigset_t()
  var before = sigset_t()
  sigfillset(&all)
  pthread_sigmask(SIG_SETMASK, &all, &before)
  defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
  return body()
}

/// Milliseconds of a clock that only goes forward.
func monotonicMilliseconds() -> Int64 {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
}

extension Duration {
  /// Whole milliseconds, at least 0.
  var milliseconds: Int64 {
    max(0, components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000)
  }
}
