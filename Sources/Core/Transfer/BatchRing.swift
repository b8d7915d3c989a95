import Glibc

/// A batch that travels between the reader's thread and the writer's.
final class BatchSlot {
  var batch = ImportBatch()
}

// A slot is used by the one thread that took it out of the ring.
extension BatchSlot: @unchecked Sendable {}

/// Hands batches from the reader's thread to the writer's, in order, and empty ones back.
///
/// There are four: enough to keep both busy, few enough to stay in the processor's cache.
final class BatchRing {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var free: [BatchSlot]
  private var filled: [BatchSlot] = []
  private var isCancelled = false
  private var end: Result<Bool, TransferError>?

  static let slotCount = 4

  init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
    free = (0..<Self.slotCount).map { _ in BatchSlot() }
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  // MARK: The reader's side

  /// Waits for an empty batch; `nil` when the import was cancelled.
  func takeFree() -> BatchSlot? {
    locked {
      while free.isEmpty && !isCancelled { pthread_cond_wait(changed, mutex) }
      return isCancelled ? nil : free.removeLast()
    }
  }

  /// Hands a filled batch over.
  func put(_ slot: BatchSlot) {
    locked {
      filled.append(slot)
      pthread_cond_signal(changed)
    }
  }

  /// Says that no batch will follow.
  ///
  /// - Parameter result: whether the input proved itself complete, or why it could not be read on.
  func finish(_ result: Result<Bool, TransferError>) {
    locked {
      end = result
      pthread_cond_signal(changed)
    }
  }

  // MARK: The writer's side

  /// Waits for the next batch; `nil` at the end of the input.
  func take() throws(TransferError) -> BatchSlot? {
    let next: Result<BatchSlot?, TransferError> = locked {
      while filled.isEmpty && end == nil { pthread_cond_wait(changed, mutex) }
      if !filled.isEmpty { return .success(filled.removeFirst()) }
      if case .failure(let error)? = end { return .failure(error) }
      return .success(nil)
    }
    return try next.get()
  }

  /// Gives a batch back to be filled again.
  func recycle(_ slot: BatchSlot) {
    locked {
      free.append(slot)
      pthread_cond_signal(changed)
    }
  }

  /// Lets the reader stop at its next batch.
  func cancel() {
    locked {
      isCancelled = true
      pthread_cond_signal(changed)
    }
  }

  /// Whether the input proved itself complete; known after the last batch.
  var isProvenComplete: Bool {
    locked {
      guard case .success(let proven)? = end else { return false }
      return proven
    }
  }

  private func locked<Value>(_ body: () -> Value) -> Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }
}

// All state is read and written under the mutex.
extension BatchRing: @unchecked Sendable {}
