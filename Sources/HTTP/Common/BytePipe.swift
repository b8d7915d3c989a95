import Synchronization

/// A bounded queue of chunks between one producer and one consumer, either of which may be a
/// callback of a C library or Swift concurrency.
///
/// The callback sides are told by hooks when to go on; the async sides wait. Chunks keep their order
/// and are never split, so the queue holds at most one chunk more than its bound.
final class BytePipe: Sendable {
  /// What a callback consumer gets.
  enum Reading {
    case bytes(Int)
    /// Nothing there yet: `consumerHook` will be called.
    case empty
    case end
    case failure(any Error)
  }

  private struct State {
    var chunks: [[UInt8]] = []
    var head = 0
    var headOffset = 0
    var buffered = 0
    var isFinished = false
    var failure: (any Error)?
    /// What the reader gets instead of an end.
    var ending: (any Error)?
    var wasRead = false
    var producerWaits = false
    var consumerWaits = false
    var reader: CheckedContinuation<[UInt8]?, any Error>?
    var writer: CheckedContinuation<Void, any Error>?

    mutating func popFirst() -> [UInt8]? {
      guard head < chunks.count else { return nil }
      var chunk = chunks[head]
      chunks[head] = []
      head += 1
      if head == chunks.count {
        chunks.removeAll(keepingCapacity: true)
        head = 0
      }
      if headOffset > 0 {
        chunk.removeFirst(headOffset)
        headOffset = 0
      }
      buffered -= chunk.count
      return chunk
    }
  }

  private let state = Mutex(State())
  private let capacity: Int
  /// Called when there is room again after a push was told to wait.
  private let producerHook: @Sendable () -> Void
  /// Called when there is something to read, or an end, after a read found nothing.
  private let consumerHook: @Sendable () -> Void
  /// Called before the first read of an async consumer.
  private let firstReadHook: @Sendable () -> Void

  init(
    capacity: Int = 256 << 10, producerHook: @escaping @Sendable () -> Void = {},
    consumerHook: @escaping @Sendable () -> Void = {},
    firstReadHook: @escaping @Sendable () -> Void = {}
  ) {
    self.capacity = capacity
    self.producerHook = producerHook
    self.consumerHook = consumerHook
    self.firstReadHook = firstReadHook
  }

  var buffered: Int { state.withLock { $0.buffered } }

  var hasRoom: Bool { buffered < capacity }

  // MARK: Producer

  /// Appends a chunk; false when the producer should stop until `producerHook` is called.
  ///
  /// Chunks after an end or a failure are dropped.
  @discardableResult
  func push(_ chunk: [UInt8]) -> Bool {
    guard !chunk.isEmpty else { return true }
    let (reader, hasRoom, wakes) = state.withLock { state in
      guard !state.isFinished, state.failure == nil else {
        return (nil as CheckedContinuation<[UInt8]?, any Error>?, true, false)
      }
      if let reader = state.reader {
        state.reader = nil
        return (reader, true, false)
      }
      state.chunks.append(chunk)
      state.buffered += chunk.count
      let wakes = state.consumerWaits
      state.consumerWaits = false
      let hasRoom = state.buffered < capacity
      if !hasRoom { state.producerWaits = true }
      return (nil, hasRoom, wakes)
    }
    reader?.resume(returning: chunk)
    if wakes { consumerHook() }
    return hasRoom
  }

  /// Appends a chunk and waits until the queue is below its bound.
  ///
  /// - Throws: the failure the pipe was ended with, or `CancellationError`.
  func send(_ chunk: [UInt8]) async throws {
    try Task.checkCancellation()
    if let failure = state.withLock(\.failure) { throw failure }
    guard !push(chunk) else { return }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome: Result<Void, any Error>? = state.withLock { state in
          if let failure = state.failure { return .failure(failure) }
          if state.buffered < capacity { return .success(()) }
          // A cancellation that came before there was a continuation to resume.
          if Task.isCancelled { return .failure(CancellationError()) }
          state.writer = continuation
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      let writer = state.withLock { state in
        defer { state.writer = nil }
        return state.writer
      }
      writer?.resume(throwing: CancellationError())
    }
  }

  /// Ends the stream; what is queued can still be read.
  func finish() {
    end(nil)
  }

  /// Ends the stream with an error: what is queued is dropped and both sides get the error.
  func fail(_ error: any Error) {
    end(error)
  }

  /// Ends the stream with an error that the reader gets after what is queued: bytes that came before a
  /// connection broke are good.
  func breakOff(_ error: any Error) {
    let (reader, writer, wakes) = state.withLock { state in
      guard !state.isFinished, state.failure == nil else {
        return (
          nil as CheckedContinuation<[UInt8]?, any Error>?,
          nil as CheckedContinuation<Void, any Error>?, false
        )
      }
      state.isFinished = true
      state.ending = error
      defer {
        state.reader = nil
        state.writer = nil
        state.consumerWaits = false
        state.producerWaits = false
      }
      return (state.reader, state.writer, state.consumerWaits)
    }
    reader?.resume(throwing: error)
    writer?.resume(throwing: error)
    if wakes { consumerHook() }
  }

  /// Ends a stream that has not ended yet with an error.
  func failUnlessFinished(_ error: any Error) {
    if !state.withLock(\.isFinished) { end(error) }
  }

  private func end(_ error: (any Error)?) {
    let (reader, writer, wakesConsumer, wakesProducer) = state.withLock { state in
      guard !state.isFinished || error != nil, state.failure == nil else {
        return (
          nil as CheckedContinuation<[UInt8]?, any Error>?,
          nil as CheckedContinuation<Void, any Error>?, false, false
        )
      }
      let wasFinished = state.isFinished
      state.isFinished = true
      if let error, !(wasFinished && state.buffered == 0) {
        state.failure = error
        state.chunks = []
        state.head = 0
        state.buffered = 0
      }
      defer {
        state.reader = nil
        if error != nil { state.writer = nil }
        state.consumerWaits = false
        if error != nil { state.producerWaits = false }
      }
      return (
        state.reader, error == nil ? nil : state.writer, state.consumerWaits,
        error != nil && state.producerWaits
      )
    }
    if let error { reader?.resume(throwing: error) } else { reader?.resume(returning: nil) }
    if let error { writer?.resume(throwing: error) }
    if wakesConsumer { consumerHook() }
    if wakesProducer { producerHook() }
  }

  // MARK: Consumer

  /// The next chunk, nil at the end.
  ///
  /// - Throws: the failure the pipe was ended with, or `CancellationError`.
  func next() async throws -> [UInt8]? {
    let isFirst = state.withLock { state in
      defer { state.wasRead = true }
      return !state.wasRead
    }
    if isFirst { firstReadHook() }
    if let ready = takeReady() { return try ready.get() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if let ready = takeReady(otherwiseWait: continuation) { continuation.resume(with: ready) }
      }
    } onCancel: {
      let reader = state.withLock { state in
        defer { state.reader = nil }
        return state.reader
      }
      reader?.resume(throwing: CancellationError())
    }
  }

  private func takeReady(
    otherwiseWait continuation: CheckedContinuation<[UInt8]?, any Error>? = nil
  ) -> Result<[UInt8]?, any Error>? {
    let (ready, room): (Result<[UInt8]?, any Error>?, Room) = state.withLock { state in
      if let failure = state.failure { return (.failure(failure), Room()) }
      if let chunk = state.popFirst() { return (.success(chunk), madeRoom(&state)) }
      if state.isFinished {
        return (state.ending.map { .failure($0) } ?? .success(nil), Room())
      }
      if continuation != nil, Task.isCancelled {
        return (.failure(CancellationError()), Room())
      }
      state.reader = continuation
      return (nil, Room())
    }
    tell(room)
    return ready
  }

  /// Copies into a C library's buffer what is there.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Reading {
    let (reading, room): (Reading, Room) = state.withLock { state in
      if let failure = state.failure { return (.failure(failure), Room()) }
      var count = 0
      while state.head < state.chunks.count, count < buffer.count {
        let available = state.chunks[state.head].count - state.headOffset
        let size = min(available, buffer.count - count)
        state.chunks[state.head].withUnsafeBytes { bytes in
          buffer.baseAddress?.advanced(by: count).copyMemory(
            from: bytes.baseAddress.unsafelyUnwrapped.advanced(by: state.headOffset),
            byteCount: size)
        }
        count += size
        state.headOffset += size
        state.buffered -= size
        guard state.headOffset == state.chunks[state.head].count else { break }
        state.headOffset = 0
        state.chunks[state.head] = []
        state.head += 1
        if state.head == state.chunks.count {
          state.chunks.removeAll(keepingCapacity: true)
          state.head = 0
        }
      }
      if count > 0 { return (.bytes(count), madeRoom(&state)) }
      if state.isFinished { return (state.ending.map { .failure($0) } ?? .end, Room()) }
      state.consumerWaits = true
      return (.empty, Room())
    }
    tell(room)
    return reading
  }

  private struct Room {
    var writer: CheckedContinuation<Void, any Error>?
    var wakesProducer = false
  }

  private func madeRoom(_ state: inout State) -> Room {
    // Half empty before the producer goes on: waking it for each chunk would cost more than it moves.
    guard state.buffered <= capacity / 2 else { return Room() }
    defer {
      state.writer = nil
      state.producerWaits = false
    }
    return Room(writer: state.writer, wakesProducer: state.producerWaits)
  }

  private func tell(_ room: Room) {
    room.writer?.resume()
    if room.wakesProducer { producerHook() }
  }
}
