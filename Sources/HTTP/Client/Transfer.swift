import CCurl
import Glibc
import Synchronization

/// One request on its way: joins libcurl's callbacks, on the loop's thread, with the callers of
/// `send` and the readers of the body.
final class Transfer: @unchecked Sendable {
  // Invariant of `@unchecked`: `easy` and the members after it are touched by the loop's thread only;
  // `wake` and `abandon` are set before the transfer is handed over; the rest is guarded.

  let request: HTTPClientRequest
  let options: HTTPClient.Options
  let timeouts: HTTPClient.Timeouts
  var wake: @Sendable () -> Void = {}
  var abandon: @Sendable () -> Void = {}

  private struct Shared {
    var continuation: CheckedContinuation<HTTPClientResponse, any Error>?
    var hasEnded = false
    var uploadTask: Task<Void, Never>?
    var uploadError: (any Error)?
  }

  private let shared = Mutex(Shared())
  /// The response's body.
  private(set) lazy var download = BytePipe(producerHook: { [weak self] in self?.wake() })
  /// The request's body, when it is a stream.
  private(set) lazy var upload = BytePipe(consumerHook: { [weak self] in self?.wake() })

  var easy: CurlEasy?
  var uploadPosition: Int64 = 0
  var status = 0
  var version = "1.1"
  var headers = HTTPHeaders()
  var hasHead = false
  var isDownloadPaused = false
  /// The last push found the pipe full.
  var isDownloadFull = false
  var isUploadPaused = false
  var started = monotonicMilliseconds()
  var lastProgress = monotonicMilliseconds()

  /// Keeps the loop running while the response is read, also when the client was let go.
  let owner: any AnyObject & Sendable

  init(
    _ request: HTTPClientRequest, _ options: HTTPClient.Options, owner: any AnyObject & Sendable
  ) {
    self.owner = owner
    self.request = request
    self.options = options
    timeouts = request.timeouts ?? options.timeouts
    // Made now, on one thread: `lazy` is not safe on two.
    _ = download
    _ = upload
  }

  var hasEnded: Bool { shared.withLock(\.hasEnded) }

  /// Leaves a continuation for the head; a cancellation may have ended the transfer before.
  func awaitHead(_ continuation: CheckedContinuation<HTTPClientResponse, any Error>) {
    let hasEnded = shared.withLock { shared in
      if !shared.hasEnded { shared.continuation = continuation }
      return shared.hasEnded
    }
    if hasEnded { continuation.resume(throwing: CancellationError()) }
  }

  // MARK: The loop's thread

  func begin(on easy: CurlEasy) {
    self.easy = easy
    started = monotonicMilliseconds()
    lastProgress = started
    configure(easy)
    if case .stream(let body) = request.body { startUpload(body) }
  }

  private func startUpload(_ body: HTTPBody) {
    let upload = upload
    let task = Task { [weak self] in
      do {
        for try await chunk in body { try await upload.send(chunk) }
        upload.finish()
      } catch {
        self?.shared.withLock { $0.uploadError = error }
        upload.fail(error)
      }
    }
    shared.withLock { $0.uploadTask = task }
  }

  /// There is room in the download again, or something to upload.
  func unpause() {
    if isDownloadFull, download.hasRoom {
      isDownloadFull = false
      isDownloadPaused = false
    }
    easy?.unpause()
  }

  /// The head is complete: hands the response to the caller of `send`.
  func deliverHead() {
    guard !hasHead else { return }
    hasHead = true
    let continuation = shared.withLock { shared in
      defer { shared.continuation = nil }
      return shared.continuation
    }
    let reader = BodyReader(self)
    let length =
      request.method == .head || headers.contains("Content-Encoding")
      ? nil : headers["Content-Length"].flatMap { decimalNumber($0.utf8) }
    continuation?.resume(
      returning: HTTPClientResponse(
        status: status, headers: headers, url: request.url, version: version,
        body: HTTPBody(length: length) { try await reader.next() }))
  }

  /// The transfer is over; nil is success.
  func end(_ error: (any Error)?) {
    if error == nil { deliverHead() }
    let (continuation, task, uploadError) = shared.withLock { shared in
      shared.hasEnded = true
      defer {
        shared.continuation = nil
        shared.uploadTask = nil
      }
      return (shared.continuation, shared.uploadTask, shared.uploadError)
    }
    if let error {
      // What the caller's own stream threw says more than libcurl's "aborted by callback".
      let cause = uploadError ?? error
      continuation?.resume(throwing: cause)
      if cause is CancellationError { download.fail(cause) } else { download.breakOff(cause) }
    } else {
      download.finish()
    }
    task?.cancel()
    upload.fail(error ?? HTTPError.connectionClosed(text: "the response is complete"))
  }

  /// The limit of time that has passed, if any.
  func passedLimit(at now: Int64) -> HTTPError.TimeLimit? {
    if let total = timeouts.total, now - started > total.milliseconds { return .total }
    // A pause is ours, not the peer's silence.
    if isDownloadPaused {
      lastProgress = now
      return nil
    }
    if isUploadPaused, !hasHead, upload.buffered == 0 { lastProgress = now }
    if let idle = timeouts.idle, now - lastProgress > idle.milliseconds { return .idle }
    return nil
  }
}

/// Reads a response's body; when the last reference goes, the transfer ends.
private final class BodyReader: Sendable {
  private let transfer: Transfer

  init(_ transfer: Transfer) { self.transfer = transfer }

  deinit { if !transfer.hasEnded { transfer.abandon() } }

  func next() async throws -> [UInt8]? { try await transfer.download.next() }
}
