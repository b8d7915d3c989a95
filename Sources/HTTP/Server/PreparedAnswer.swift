import CMicroHTTPD
import Glibc
import Synchronization

/// A handler's response as libmicrohttpd takes it; made on the handler's thread, queued on the
/// library's.
final class PreparedAnswer: Sendable {
  let response: HTTPResponse
  /// Where the writer of a stream meets the library's reader.
  let pipe: BytePipe?
  private let handle: Handle

  // The library counts references to a response under a lock of its own.
  private struct Handle: @unchecked Sendable { let pointer: OpaquePointer? }

  init(_ response: HTTPResponse, for exchange: Exchange) {
    self.response = response
    var pipe: BytePipe?
    let pointer = Self.makeBody(response, exchange, &pipe)
    if let pointer {
      Self.setHeaders(of: response, on: pointer)
      if exchange.core.isStopping.load(ordering: .relaxed) {
        _ = tote_mhd_response_header(pointer, "Connection", "close")
      }
    }
    self.pipe = pipe
    handle = Handle(pointer: pointer)
  }

  /// An answer of bytes that any number of exchanges may be given.
  init(reusing response: HTTPResponse) {
    guard case .bytes(let bytes) = response.body else {
      preconditionFailure("only bytes can be sent again")
    }
    self.response = response
    pipe = nil
    // It may be made before the first server, which loads the library as a rule.
    guard tote_mhd_load() == 0 else {
      handle = Handle(pointer: nil)
      return
    }
    let pointer = bytes.withUnsafeBytes { tote_mhd_response_bytes($0.baseAddress, $0.count) }
    if let pointer { Self.setHeaders(of: response, on: pointer) }
    handle = Handle(pointer: pointer)
  }

  deinit {
    if let pointer = handle.pointer { tote_mhd_destroy(pointer) }
  }

  private static func setHeaders(of response: HTTPResponse, on pointer: OpaquePointer) {
    for field in response.headers where !isServersAffair(field.name) {
      _ = tote_mhd_response_header(pointer, field.name, cleanFieldValue(field.value))
    }
  }

  var isInMemory: Bool {
    if case .bytes = response.body { true } else { false }
  }

  /// Hands it to the library; false when the connection is to be closed.
  func queue(on connection: OpaquePointer) -> Bool {
    guard let pointer = handle.pointer else { return false }
    return tote_mhd_queue(connection, UInt32(response.status), pointer) != 0
  }

  private static func isServersAffair(_ name: String) -> Bool {
    equalIgnoringCase(name, "Content-Length") || equalIgnoringCase(name, "Transfer-Encoding")
      || equalIgnoringCase(name, "Date")
  }

  private static func makeBody(
    _ response: HTTPResponse, _ exchange: Exchange, _ pipe: inout BytePipe?
  ) -> OpaquePointer? {
    switch response.body {
    case .bytes(let bytes):
      return bytes.withUnsafeBytes { tote_mhd_response_bytes($0.baseAddress, $0.count) }
    case .file(let file):
      let descriptor = fcntl(file.handle.descriptor, F_DUPFD_CLOEXEC, 0)
      guard descriptor >= 0 else { return nil }
      return tote_mhd_response_file(descriptor, UInt64(file.offset), UInt64(file.length))
    case .stream(let length, _):
      let made = BytePipe(consumerHook: { [weak exchange] in exchange?.wakeUp() })
      pipe = made
      let source = Unmanaged.passRetained(Source(exchange, made)).toOpaque()
      return tote_mhd_response_reader(
        length ?? -1, 64 << 10, source,
        { context, _, buffer, size in
          guard let context else { return -2 }
          return Unmanaged<Source>.fromOpaque(context).takeUnretainedValue()
            .read(UnsafeMutableRawBufferPointer(start: buffer, count: size))
        },
        { context in
          if let context { Unmanaged<Source>.fromOpaque(context).release() }
        })
    }
  }

  /// What the library's reader callback is given.
  ///
  /// It lives as long as the library's response, which
  /// the exchange owns through its answer: so the exchange is not owned back.
  private final class Source: Sendable {
    private weak let exchange: Exchange?
    private let pipe: BytePipe

    init(_ exchange: Exchange, _ pipe: BytePipe) {
      self.exchange = exchange
      self.pipe = pipe
    }

    func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
      exchange?.fill(buffer, from: pipe) ?? -2
    }
  }
}
