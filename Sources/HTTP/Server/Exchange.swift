import CMicroHTTPD
import Synchronization

/// One request and its answer: joins libmicrohttpd's callbacks and the handler's task.
///
/// The library calls on its own thread, one call at a time, and never waits: where there is nothing
/// to do the connection is suspended, and whoever has something for it resumes it. In 0.9.75 an
/// answer can be queued in two places only: after the head, and after the whole body. An answer
/// that is ready in between is sent past the library, or the rest of the body is read away first.
final class Exchange: Sendable {
  /// What the library's thread and others share.
  struct Shared {
    var isSuspended = false
    /// A wake-up that came while not suspended: the next suspension must look again.
    var wasWoken = false
    /// The handler has begun to read the body.
    var wantsBody = false
    /// To be closed as soon as the library asks.
    var isCut = false
    var isDone = false
    /// Its client was seen to have closed while the request was being received.
    var hasLeft = false
    var answer: PreparedAnswer?
    var task: Task<Void, Never>?
    /// The time of the head's first line, then of the handler's start.
    var since = monotonicMilliseconds()
    var isHeadComplete = false
    /// Body bytes and the time spent waiting for them, without our own pauses.
    var receivedBytes: Int64 = 0
    var receivingTime: Int64 = 0
    var receivingSince: Int64?
  }

  /// Where the library's calls stand.
  enum Phase {
    case head
    /// Suspended after the head until the handler reads or answers.
    case waiting
    case receiving
    case complete
    case answered
  }

  /// What only the library's thread touches.
  struct Local {
    var phase = Phase.head
    var head: RequestHead?
    var request: HTTPRequest?
    var pipe: BytePipe?
    /// The body of a small request, which is complete before its handler starts.
    var collected: [UInt8]?
    var received: Int64 = 0
    var drained: Int64 = 0
    /// The client may still be sending after our answer.
    var lingers = false
  }

  // Touched by the library's thread for this connection only, except before `handle` first runs.
  private struct Confined: @unchecked Sendable { var local = Local() }

  let core: ServerCore
  let connection: ServerConnection?
  let handle: Handle
  private let target: String?
  let shared = Mutex(Shared())
  private let confined = Mutex(Confined())

  /// The library's connection.
  ///
  /// Valid until `complete`; used by its thread, and by `wake` while the
  /// connection is suspended, which the library keeps until it is resumed.
  struct Handle: @unchecked Sendable { let pointer: OpaquePointer }

  init(core: ServerCore, handle: OpaquePointer, target: String?) {
    self.core = core
    self.handle = Handle(pointer: handle)
    self.target = target
    connection = tote_mhd_socket_context(handle).map {
      Unmanaged<ServerConnection>.fromOpaque($0).takeUnretainedValue()
    }
  }

  // MARK: The library's calls

  /// One call of the access handler; 0 closes the connection.
  func handle(
    method: UnsafePointer<CChar>, version: UnsafePointer<CChar>, data: UnsafePointer<CChar>?,
    size: UnsafeMutablePointer<Int>
  ) -> Int32 {
    // Uncontended: the mutex only tells the compiler what `Confined` says.
    var local = confined.withLock { confined in
      let local = confined.local
      // Moved out, so that its arrays are not copied when they grow.
      confined.local = Local()
      return local
    }
    defer { confined.withLock { $0.local = local } }
    if shared.withLock(\.isCut) { return 0 }
    switch local.phase {
    case .head:
      return begin(&local, String(cString: method), String(cString: version))
    case .waiting: return wait(&local)
    case .receiving:
      guard let data, size.pointee > 0 else { return completeBody(&local) }
      let bytes = UnsafeRawBufferPointer(start: data, count: size.pointee)
      size.pointee = 0
      return receive(bytes, &local)
    case .complete: return answer(&local)
    case .answered: return 1
    }
  }

  private func begin(_ local: inout Local, _ method: String, _ version: String) -> Int32 {
    let head: RequestHead
    do throws(RequestHead.Refusal) {
      head = try RequestHead(
        method: method, target: target, version: version, headers: receivedHeaders(),
        options: core.options)
    } catch {
      return refuse(error, &local)
    }
    local.head = head
    do throws(HTTPError) {
      local.request = try HTTPRequest(
        method: head.method, target: target ?? "", headers: head.headers,
        peer: connection?.peer ?? "", isSecure: core.options.identity != nil)
    } catch {
      var reason = "the target is malformed"
      if case .protocolViolation(let text) = error { reason = text }
      return refuse(RequestHead.Refusal(status: 400, reason: reason), &local)
    }
    if let path = local.request?.path, sameBytes(path, "*"), head.method != .options {
      return refuse(RequestHead.Refusal(status: 400, reason: "the target is not a path"), &local)
    }
    shared.withLock { shared in
      shared.isHeadComplete = true
      shared.since = monotonicMilliseconds()
    }
    guard head.hasBody else {
      local.phase = .complete
      return 1
    }
    if let length = head.contentLength, length <= core.options.limits.completeBody,
      !head.expectsContinue
    {
      startReceiving(&local)
      local.collected = []
      local.collected?.reserveCapacity(Int(length))
      return 1
    }
    let pipe = makePipe()
    local.pipe = pipe
    local.phase = .waiting
    start(local.request, HTTPBody(pipe, length: head.contentLength), pipe)
    return wait(&local)
  }

  /// After the head: the handler decides by reading or answering.
  private func wait(_ local: inout Local) -> Int32 {
    let (isCut, answer, wantsBody) = shared.withLock { shared in
      if !shared.isCut, shared.answer == nil, !shared.wantsBody, suspend(&shared) {
        return (false, nil as PreparedAnswer?, false)
      }
      return (shared.isCut, shared.answer, shared.wantsBody)
    }
    if isCut { return 0 }
    if let answer {
      // A body that is short is read away, so that any client sees the answer and the connection
      // stays of use; a client that waits for 100 Continue has sent nothing.
      if let head = local.head, !head.expectsContinue, let length = head.contentLength,
        length <= Self.drainedBody
      {
        startReceiving(&local)
        return 1
      }
      local.lingers = true
      return queue(answer, &local)
    }
    if wantsBody { startReceiving(&local) }
    return 1
  }

  private func receive(_ bytes: UnsafeRawBufferPointer, _ local: inout Local) -> Int32 {
    local.received += Int64(bytes.count)
    let answer = shared.withLock { shared in
      shared.receivedBytes = local.received
      return shared.answer
    }
    if let answer { return drain(bytes.count, answer, &local) }
    guard local.received <= core.options.limits.bodyBytes else {
      let limit = core.options.limits.bodyBytes
      local.pipe?.fail(HTTPError.bodyTooLarge(limit: limit))
      local.lingers = true
      sendDirectly(core.options.refusal(413, "the body is larger than \(limit) bytes"))
      return 0
    }
    guard let pipe = local.pipe else {
      local.collected?.append(contentsOf: bytes)
      return 1
    }
    shared.withLock { $0.wasWoken = false }
    guard !pipe.push(Array(bytes)) else { return 1 }
    shared.withLock { shared in
      if !shared.wasWoken, !shared.isCut, shared.answer == nil { _ = suspend(&shared) }
    }
    return 1
  }

  /// Reads away what the handler did not want, or answers and closes when that is too much.
  private func drain(_ count: Int, _ answer: PreparedAnswer, _ local: inout Local) -> Int32 {
    local.drained += Int64(count)
    let left = local.head?.contentLength.map { $0 - local.received } ?? .max
    guard local.drained > Self.drainedBody || left > Self.drainedBody, answer.isInMemory else {
      return 1
    }
    local.lingers = true
    sendDirectly(answer.response)
    return 0
  }

  private func completeBody(_ local: inout Local) -> Int32 {
    local.pipe?.finish()
    local.phase = .complete
    shared.withLock { pauseReceiving(&$0) }
    return answer(&local)
  }

  /// After the body: starts the handler if it waits for that, then queues its answer.
  private func answer(_ local: inout Local) -> Int32 {
    if let request = local.request, local.pipe == nil {
      local.request = nil
      if sameBytes(request.path, "*") {
        return queue(PreparedAnswer(allowed(), for: self), &local)
      }
      if local.collected == nil, !core.isStopping.load(ordering: .relaxed),
        let answer = core.options.immediate?(request)
      {
        return queue(answer.answer, &local)
      }
      start(request, local.collected.map { HTTPBody($0) } ?? .empty)
      local.collected = nil
    }
    let (isCut, answer) = shared.withLock { shared in
      if !shared.isCut, shared.answer == nil, suspend(&shared) {
        return (false, nil as PreparedAnswer?)
      }
      return (shared.isCut, shared.answer)
    }
    if isCut { return 0 }
    guard let answer else { return 1 }
    return queue(answer, &local)
  }

  /// The request is over, well or not; the library forgets it.
  func complete(reason: Int32) {
    let (pipe, lingers) = confined.withLock { confined in
      defer { confined.local = Local() }
      return (confined.local.pipe, confined.local.lingers)
    }
    let (task, answer) = shared.withLock { shared in
      shared.isDone = true
      defer {
        shared.task = nil
        shared.answer = nil
      }
      return (shared.task, shared.answer)
    }
    if lingers, let connection { LingeringClose.shared.add(connection.duplicate()) }
    connection?.endExchange()
    let closed = HTTPError.connectionClosed(text: "the client has gone")
    pipe?.fail(closed)
    answer?.pipe?.fail(closed)
    // 0 is a complete answer: the handler has returned, or is about to.
    if reason != 0 { task?.cancel() }
  }

  // MARK: Answers

  private func refuse(_ refusal: RequestHead.Refusal, _ local: inout Local) -> Int32 {
    var response = core.options.refusal(refusal.status, refusal.reason)
    response.headers["Connection"] = "close"
    if refusal.status == 405 { response.headers["Allow"] = allowed().headers["Allow"] }
    local.lingers = true
    return queue(PreparedAnswer(response, for: self), &local)
  }

  private func allowed() -> HTTPResponse {
    let methods = core.options.methods.map(\.rawValue).sorted().joined(separator: ", ")
    return HTTPResponse(status: 204, headers: ["Allow": methods])
  }

  private func queue(_ answer: PreparedAnswer, _ local: inout Local) -> Int32 {
    local.phase = .answered
    return answer.queue(on: handle.pointer) ? 1 : 0
  }

  private func sendDirectly(_ response: HTTPResponse) {
    DirectAnswer.send(
      response, descriptor: tote_mhd_socket(handle.pointer),
      session: tote_mhd_tls_session(handle.pointer))
  }

  // MARK: The handler's side

  private func start(_ request: HTTPRequest?, _ body: HTTPBody, _ pipe: BytePipe? = nil) {
    guard var request else { return }
    request.body = body
    let task = Task(executorPreference: HandlerThreads.shared) { [self, request] in
      let response = await core.handler(request)
      // What is not read by now is dropped: the library takes no answer in the middle of a body.
      pipe?.failUnlessFinished(
        HTTPError.connectionClosed(text: "the answer came before the body was read"))
      await deliver(response, to: request)
    }
    shared.withLock { if !$0.isDone { $0.task = task } }
  }

  private func deliver(_ response: HTTPResponse, to request: HTTPRequest) async {
    var response = response
    if request.method == .head, case .stream(nil, _) = response.body {
      // The library ends a chunked answer with its last chunk, also where no body may be.
      response.body = .bytes([])
    }
    let answer = PreparedAnswer(response, for: self)
    let isTaken = shared.withLock { shared in
      guard !shared.isDone, shared.answer == nil else { return false }
      shared.answer = answer
      wake(&shared)
      return true
    }
    guard isTaken, let pipe = answer.pipe, case .stream(_, let write) = response.body,
      request.method != .head, response.status != 304
    else { return }
    do {
      try await write(HTTPBodyWriter { try await pipe.send($0) })
      pipe.finish()
    } catch {
      // The client sees a body that is cut short; the handler knows why it threw.
      pipe.fail(error)
    }
  }

  private func makePipe() -> BytePipe {
    BytePipe(
      producerHook: { [weak self] in self?.wakeUp() },
      firstReadHook: { [weak self] in
        self?.shared.withLock { shared in
          shared.wantsBody = true
          self?.wake(&shared)
        }
      })
  }

  /// Resumes the connection, or notes that it must not be suspended without another look.
  func wakeUp() {
    shared.withLock { wake(&$0) }
  }

  func wake(_ shared: inout Shared) {
    guard shared.isSuspended else {
      shared.wasWoken = true
      return
    }
    shared.isSuspended = false
    tote_mhd_resume(handle.pointer)
  }

  /// Suspends, unless the server is closing: then the exchange is cut.
  func suspend(_ shared: inout Shared) -> Bool {
    if core.isClosing.load(ordering: .sequentiallyConsistent) {
      shared.isCut = true
      return false
    }
    // A chunked body may bring several calls before the library heeds a suspension.
    guard !shared.isSuspended else { return true }
    pauseReceiving(&shared)
    shared.isSuspended = true
    tote_mhd_suspend(handle.pointer)
    return true
  }

  // MARK: Time

  private func startReceiving(_ local: inout Local) {
    local.phase = .receiving
    shared.withLock { $0.receivingSince = monotonicMilliseconds() }
  }

  private func pauseReceiving(_ shared: inout Shared) {
    guard let since = shared.receivingSince else { return }
    shared.receivingTime += monotonicMilliseconds() - since
    shared.receivingSince = nil
  }

  /// How much of an unwanted body is read away before the answer.
  private static let drainedBody: Int64 = 1 << 20
}
