import Glibc

/// Runs the handlers of all servers on threads that may block.
///
/// Handlers call what waits for disks and locks. On the shared pool, which has a thread a core, two
/// of them would hold up every other task of the process, heartbeats and time-outs too.
final class HandlerThreads: TaskExecutor {
  static let shared = HandlerThreads()

  /// Started as work comes in; enough for handlers that wait beside those that compute.
  private static let limit = 16

  /// So many jobs are taken before a queue that never empties is moved up.
  private static let compaction = 1024

  private struct State {
    var jobs: [UnownedJob] = []
    /// Jobs before this one are taken already; they go when the queue is empty.
    var next = 0
    var idle = 0
    var threads = 0
  }

  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private let state: UnsafeMutablePointer<State>

  private init() {
    lock = .allocate(capacity: 1)
    condition = .allocate(capacity: 1)
    state = .allocate(capacity: 1)
    pthread_mutex_init(lock, nil)
    pthread_cond_init(condition, nil)
    state.initialize(to: State())
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    pthread_mutex_lock(lock)
    state.pointee.jobs.append(job)
    let waiting = state.pointee.jobs.count - state.pointee.next
    let isShort = waiting > state.pointee.idle && state.pointee.threads < Self.limit
    if isShort { state.pointee.threads += 1 }
    pthread_cond_signal(condition)
    pthread_mutex_unlock(lock)
    if isShort { startThread { [self] in run() } }
  }

  private func run() -> Never {
    while true { next().runSynchronously(on: asUnownedTaskExecutor()) }
  }

  private func next() -> UnownedJob {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    state.pointee.idle += 1
    while state.pointee.next == state.pointee.jobs.count { pthread_cond_wait(condition, lock) }
    state.pointee.idle -= 1
    let job = state.pointee.jobs[state.pointee.next]
    state.pointee.next += 1
    if state.pointee.next == state.pointee.jobs.count {
      state.pointee.jobs.removeAll(keepingCapacity: true)
      state.pointee.next = 0
    } else if state.pointee.next == Self.compaction {
      state.pointee.jobs.removeFirst(Self.compaction)
      state.pointee.next = 0
    }
    return job
  }
}

// The state is touched under the lock only; the pointers never change and are never freed.
extension HandlerThreads: @unchecked Sendable {}
