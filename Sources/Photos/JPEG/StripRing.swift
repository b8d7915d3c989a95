import CJPEG
import Glibc

/// Makes strips on a thread of its own, a few ahead of who takes them.
final class StripRing {
  private let producer: any StripProducer
  private let slots: [StripBuffer]
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var thread = pthread_t()
  // Guarded by the mutex.
  private var rows: [Int] = []
  private var isFinished = false
  private var isCancelled = false
  private var failure: PhotoRefusal?

  private static let depth = 4

  init(_ producer: any StripProducer) throws(PhotoRefusal) {
    self.producer = producer
    var slots: [StripBuffer] = []
    for _ in 0..<Self.depth { slots.append(try StripBuffer(producer.shape)) }
    self.slots = slots
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// Hands every strip to `body`, on the caller's thread and in order.
  func forEach(
    _ body: (tote_jpeg_planes, Int) throws(PhotoRefusal) -> Void
  ) throws(PhotoRefusal) {
    let this = Unmanaged.passRetained(self)
    let code = withoutSignals { pthread_create(&thread, nil, stripThread, this.toOpaque()) }
    guard code == 0 else {
      this.release()
      throw .unreadable(code)
    }
    defer {
      locked { isCancelled = true }
      pthread_join(thread, nil)
    }
    var taken = 0
    while let count = waitForStrip() {
      try body(slots[taken % Self.depth].planes(), count)
      taken += 1
      locked { _ = rows.removeFirst() }
    }
    if let failure = locked({ failure }) { throw failure }
  }

  fileprivate func run() {
    var made = 0
    do throws(PhotoRefusal) {
      while waitForSlot() {
        let count = try producer.next(into: slots[made % Self.depth].planes())
        guard count > 0 else { break }
        made += 1
        locked { rows.append(count) }
      }
      locked { isFinished = true }
    } catch {
      locked {
        failure = error
        isFinished = true
      }
    }
  }

  /// Waits for a strip; nil after the last.
  private func waitForStrip() -> Int? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while rows.isEmpty && !isFinished { pthread_cond_wait(changed, mutex) }
    return rows.first
  }

  /// Waits for room; false when nobody takes strips any more.
  private func waitForSlot() -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while rows.count == Self.depth && !isCancelled { pthread_cond_wait(changed, mutex) }
    return !isCancelled
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(changed)
      pthread_mutex_unlock(mutex)
    }
    return body()
  }

  /// The thread is born with every signal blocked: those are for the main thread.
  private func withoutSignals(_ body: () -> Int32) -> Int32 {
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return body()
  }
}

// The thread touches only the producer, a slot that is its turn, and fields under the mutex.
extension StripRing: @unchecked Sendable {}

private func stripThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument else { return nil }
  Unmanaged<StripRing>.fromOpaque(argument).takeRetainedValue().run()
  return nil
}
