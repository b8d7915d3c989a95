import Core
import HTTP
import Synchronization

/// Gets bytes off the disk that no photo needs any more, as soon as nobody is writing.
final class BlobTidier: Sendable {
  private let store: LocalStore
  private let state = Mutex(State())

  private struct State {
    var jobs: [Job] = []
    var isWaiting = false
    var isClosed = false
  }

  private struct Job {
    var blobs: [NamedBlob]
    var note: BlobNote?
  }

  /// While photos come all the time, between two looks.
  private static let pause = Duration.milliseconds(500)

  init(_ store: LocalStore) { self.store = store }

  /// Clears up after processes that ended in the middle.
  func sweep() async throws {
    let store = store
    try await blocking { _ = try store.sweepLeftovers(ofDocuments: PhotoDocument.photoPrefix) }
  }

  /// Notes on the disk that blobs are to go.
  func note() throws -> BlobNote { try store.noteRemoving() }

  /// Removes blobs that no document names, now or a little later.
  ///
  /// - Parameters:
  ///   - blobs: which may go; what else names them stays.
  ///   - ids: documents whose past revisions are not needed any more, with their blobs.
  ///   - note: ended when that is done.
  func remove(_ blobs: [NamedBlob], pastOf ids: [String], ending note: BlobNote?) async {
    let store = store
    do {
      let past = ids.isEmpty ? [] : try await blocking { try store.forgetPast(of: ids) }
      state.withLock { $0.jobs.append(Job(blobs: blobs + past, note: note)) }
      if await !tidy() { tidySoon() }
    } catch {
      // The note on the disk makes the next start do it.
    }
  }

  /// Tries again until nobody is in the way.
  func tidySoon() {
    let mustStart = state.withLock { state in
      guard !state.jobs.isEmpty, !state.isWaiting, !state.isClosed else { return false }
      state.isWaiting = true
      return true
    }
    guard mustStart else { return }
    Task {
      var isDone = false
      while !isDone, !state.withLock({ $0.isClosed }) {
        try? await Task.sleep(for: Self.pause)
        isDone = await tidy()
      }
      state.withLock { $0.isWaiting = false }
    }
  }

  /// Does what waits; false when somebody is writing.
  private func tidy() async -> Bool {
    let jobs = state.withLock { state in
      defer { state.jobs = [] }
      return state.jobs
    }
    guard !jobs.isEmpty else { return true }
    let store = store
    let isDone = try? await blocking { try store.removeUnnamed(jobs.flatMap(\.blobs)) }
    guard isDone == true else {
      state.withLock { $0.jobs += jobs }
      return false
    }
    for job in jobs { job.note?.end() }
    return true
  }

  /// A last try; what cannot be done now is done at the next start.
  func finish() async {
    state.withLock { $0.isClosed = true }
    _ = await tidy()
  }

  /// Files and the database's lock can keep a thread waiting.
  private func blocking<Result: Sendable>(
    _ work: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      startThread { continuation.resume(with: Swift.Result { try work() }) }
    }
  }
}
