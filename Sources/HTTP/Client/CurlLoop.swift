import CCurl
import Glibc
import Synchronization

/// The one thread that moves all transfers of a client, with libcurl's multi interface.
///
/// libcurl's handles are touched by that thread alone; others leave commands and wake it.
final class CurlLoop: Sendable {
  private enum Command {
    case start(Transfer)
    /// The body's reader has room again, or the upload has bytes.
    case unpause(Transfer)
    case cancel(Transfer)
    case stop
  }

  private struct Handle: @unchecked Sendable { let pointer: UnsafeMutableRawPointer }

  private let options: HTTPClient.Options
  /// Valid until the thread ends, and the thread ends only on `stop`.
  private let multi: Handle
  private let commands = Mutex<(list: [Command], isStopped: Bool)>(([], false))

  init(_ options: HTTPClient.Options) throws(HTTPError) {
    self.options = options
    guard let pointer = tote_curl_multi_init() else {
      throw .transfer(code: 27, text: "out of memory")
    }
    multi = Handle(pointer: pointer)
    tote_curl_multi_set_long(
      pointer, CURLMOPT_MAX_HOST_CONNECTIONS, options.connectionsPerHost)
    tote_curl_multi_set_long(pointer, CURLMOPT_MAXCONNECTS, max(32, options.connectionsPerHost * 2))
    tote_curl_multi_set_long(pointer, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    startThread { [self] in run() }
  }

  func stop() { post(.stop) }

  /// Stops the loop when the last of its users has gone: the client and the responses being read.
  final class Owner: Sendable {
    let loop: CurlLoop

    init(_ loop: CurlLoop) { self.loop = loop }

    deinit { loop.stop() }
  }

  /// Starts a transfer and waits for its head.
  func send(_ request: HTTPClientRequest, owner: Owner) async throws -> HTTPClientResponse {
    try Task.checkCancellation()
    let transfer = Transfer(request, options, owner: owner)
    transfer.wake = { [weak self, weak transfer] in
      if let self, let transfer { post(.unpause(transfer)) }
    }
    transfer.abandon = { [weak self, weak transfer] in
      if let self, let transfer { post(.cancel(transfer)) }
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        transfer.awaitHead(continuation)
        if !post(.start(transfer)) {
          transfer.end(HTTPError.connectionClosed(text: "the client was stopped"))
        }
      }
    } onCancel: {
      post(.cancel(transfer))
    }
  }

  @discardableResult
  private func post(_ command: Command) -> Bool {
    commands.withLock { commands in
      guard !commands.isStopped else { return false }
      commands.list.append(command)
      // Under the lock: the thread frees the handle only after it has set `isStopped`.
      tote_curl_multi_wakeup(multi.pointer)
      return true
    }
  }

  // MARK: The thread

  private func run() {
    var running: [UnsafeMutableRawPointer: Transfer] = [:]
    var idle: [CurlEasy] = []
    var nextCheck = monotonicMilliseconds()
    while true {
      let list = commands.withLock { commands in
        defer { commands.list.removeAll(keepingCapacity: true) }
        return commands.list
      }
      for command in list {
        switch command {
        case .start(let transfer): start(transfer, &running, &idle)
        case .unpause(let transfer): transfer.unpause()
        case .cancel(let transfer):
          if transfer.easy != nil || !transfer.hasEnded {
            finish(transfer, CancellationError(), &running, &idle)
          }
        case .stop: return shutDown(&running, idle)
        }
      }
      var count: Int32 = 0
      tote_curl_multi_perform(multi.pointer, &count)
      var code: Int32 = 0
      while let easy = tote_curl_multi_next_done(multi.pointer, &code) {
        guard let transfer = running[easy] else { continue }
        finish(transfer, transfer.error(code: Int(code)), &running, &idle)
      }
      let now = monotonicMilliseconds()
      if now >= nextCheck {
        nextCheck = now + 200
        for transfer in Array(running.values) {
          guard let limit = transfer.passedLimit(at: now) else { continue }
          finish(transfer, HTTPError.timedOut(limit), &running, &idle)
        }
      }
      let isBusy = commands.withLock { !$0.list.isEmpty }
      if !isBusy { tote_curl_multi_poll(multi.pointer, running.isEmpty ? 60_000 : 200) }
    }
  }

  private func start(
    _ transfer: Transfer, _ running: inout [UnsafeMutableRawPointer: Transfer],
    _ idle: inout [CurlEasy]
  ) {
    guard !transfer.hasEnded else { return }
    guard let easy = idle.popLast() ?? CurlEasy() else {
      return transfer.end(HTTPError.transfer(code: 27, text: "out of memory"))
    }
    transfer.begin(on: easy)
    running[easy.pointer] = transfer
    let code = tote_curl_multi_add(multi.pointer, easy.pointer)
    if code != 0 {
      finish(transfer, HTTPError.transfer(code: Int(code), text: "not started"), &running, &idle)
    }
  }

  private func finish(
    _ transfer: Transfer, _ error: (any Error)?,
    _ running: inout [UnsafeMutableRawPointer: Transfer], _ idle: inout [CurlEasy]
  ) {
    if let easy = transfer.easy {
      running[easy.pointer] = nil
      tote_curl_multi_remove(multi.pointer, easy.pointer)
      transfer.easy = nil
      easy.reset()
      if idle.count < 32 { idle.append(easy) }
    }
    transfer.end(error)
  }

  private func shutDown(
    _ running: inout [UnsafeMutableRawPointer: Transfer], _ idle: [CurlEasy]
  ) {
    let left = commands.withLock { commands in
      defer { commands.list = [] }
      commands.isStopped = true
      return commands.list
    }
    let closed = HTTPError.connectionClosed(text: "the client was stopped")
    var handles = idle
    for transfer in Array(running.values) { finish(transfer, closed, &running, &handles) }
    for case .start(let transfer) in left { transfer.end(closed) }
    handles.removeAll()
    tote_curl_multi_cleanup(multi.pointer)
  }
}
