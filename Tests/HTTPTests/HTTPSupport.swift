import Foundation
import Testing

@testable import HTTP

/// A generator whose seed is printed, and taken from TOTE_TEST_SEED when that is set.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(test: String) {
    let given = ProcessInfo.processInfo.environment["TOTE_TEST_SEED"].flatMap { UInt64($0) }
    state = given ?? UInt64.random(in: 1 ... .max)
    print("\(test): TOTE_TEST_SEED=\(state)")
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

/// The tests over sockets, one at a time: they measure this process's memory and time.
@Suite("over loopback", .serialized)
enum Loopback {}

/// Runs a server for the time of a test.
func withServer<Result>(
  _ change: (inout HTTPServer.Options) -> Void = { _ in },
  handler: @escaping HTTPServer.Handler,
  _ body: (HTTPServer, WebURL) async throws -> Result
) async throws -> Result {
  var options = HTTPServer.Options()
  change(&options)
  let server = try HTTPServer(options, handler: handler)
  let scheme: WebURL.Scheme = options.identity == nil ? .http : .https
  let outcome: Swift.Result<Result, any Error>
  do {
    outcome = .success(
      try await body(server, WebURL(scheme: scheme, host: "127.0.0.1", port: server.port)))
  } catch {
    outcome = .failure(error)
  }
  await server.stop(draining: .milliseconds(500))
  return try outcome.get()
}

/// A blocking socket that says what it is told to; every wait is bounded by 5 s.
final class RawClient {
  let descriptor: Int32

  init(port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var limit = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(
      descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(code == 0)
  }

  deinit { close(descriptor) }

  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var position = 0
    while position < bytes.count {
      let count = bytes.withUnsafeBytes {
        Foundation.send(
          descriptor, $0.baseAddress.map { $0 + position }, bytes.count - position,
          Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      position += count
    }
    return true
  }

  /// What comes until the server closes, or until `enough` says so.
  func receive(until enough: (String) -> Bool = { _ in false }) -> String {
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while !enough(String(decoding: result, as: UTF8.self)) {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      result += buffer[..<count]
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Sends a request and gives the status of the answer; nil when the connection just closes.
  func status(of request: String) -> Int? {
    send(request)
    let answer = receive { $0.contains("\r\n\r\n") }
    return answer.split(separator: " ").dropFirst().first.flatMap { Int($0) }
  }
}

/// Runs blocking code away from Swift's own threads.
func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws
  -> Result
{
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
  }
}

/// Waits for a condition, looking every 5 ms for up to 5 s.
func eventually(_ condition: () async -> Bool) async -> Bool {
  for _ in 0..<1000 {
    if await condition() { return true }
    try? await Task.sleep(for: .milliseconds(5))
  }
  return false
}
