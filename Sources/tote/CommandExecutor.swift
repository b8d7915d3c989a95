import Glibc

/// Runs the command's task on one thread of its own.
///
/// The default executor starts libdispatch, with a manager thread, timers and an event queue of its
/// own: 2 of the 6 ms that `tote --version` took. A command that never sleeps needs none of it.
final class CommandExecutor: TaskExecutor {
  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private let jobs: UnsafeMutablePointer<[UnownedJob]>

  /// Makes an executor; jobs wait until `start`.
  ///
  /// It is never freed: the process ends while its thread waits for jobs.
  init() {
    lock = .allocate(capacity: 1)
    condition = .allocate(capacity: 1)
    jobs = .allocate(capacity: 1)
    pthread_mutex_init(lock, nil)
    pthread_cond_init(condition, nil)
    jobs.initialize(to: [])
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    pthread_mutex_lock(lock)
    jobs.pointee.append(job)
    pthread_cond_signal(condition)
    pthread_mutex_unlock(lock)
  }

  /// Starts the thread.
  ///
  /// Like every thread it inherits the caller's blocked signals.
  func start() {
    var thread = pthread_t()
    let code = pthread_create(&thread, nil, commandThread, Unmanaged.passRetained(self).toOpaque())
    precondition(code == 0, "a process that cannot have a second thread cannot run a command")
  }

  fileprivate func run() -> Never {
    while true {
      next().runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  private func next() -> UnownedJob {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while jobs.pointee.isEmpty { pthread_cond_wait(condition, lock) }
    return jobs.pointee.removeFirst()
  }
}

// The jobs are touched under the lock only; the pointers themselves never change.
extension CommandExecutor: @unchecked Sendable {}

private func commandThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  Unmanaged<CommandExecutor>.fromOpaque(context).takeUnretainedValue().run()
}
