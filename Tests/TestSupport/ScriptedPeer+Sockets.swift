import Glibc

extension ScriptedPeer {
  static func listen(
    at numeric: String = "127.0.0.1", port: UInt16 = 0
  ) throws -> (descriptor: Int32, port: UInt16) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = loopback(port)
    inet_pton(AF_INET, numeric, &address.sin_addr)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withAddress(&address) { bind(descriptor, $0, size) } == 0
    guard descriptor >= 0, isBound, Glibc.listen(descriptor, 256) == 0,
      withAddress(&address, { getsockname(descriptor, $0, &size) }) == 0
    else { throw SupportError.system("listen", errno) }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  static func connect(to port: UInt16) -> Int32? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = loopback(port)
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    guard withAddress(&address, { Glibc.connect(descriptor, $0, size) }) == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
  }

  private static func withAddress<Result>(
    _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
  ) -> Result {
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
    }
  }

  /// Sends all bytes, as long as the other side takes them.
  static func send(_ bytes: [UInt8], to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  static func startThread(_ body: @escaping @Sendable () -> Void) {
    final class Box: Sendable {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_create(
      &thread, &attributes,
      { context in
        guard let context else { return nil }
        Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
        return nil
      }, Unmanaged.passRetained(Box(body)).toOpaque())
    pthread_attr_destroy(&attributes)
  }
}

/// Reads one HTTP message from a socket.
struct MessageReader {
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var isAtEnd = false

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  private mutating func fill() {
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    let count = chunk.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
    guard count > 0 else {
      isAtEnd = true
      return
    }
    buffer += chunk[..<count]
  }

  /// The start line and the header lines; nil when the peer leaves before they are complete.
  mutating func head() -> [String]? {
    let end: [UInt8] = [13, 10, 13, 10]
    while true {
      if let place = (0..<max(buffer.count - 3, 0)).first(where: {
        buffer[$0..<$0 + 4].elementsEqual(end)
      }) {
        let text = String(decoding: buffer[..<place], as: UTF8.self)
        buffer.removeFirst(place + 4)
        // Interim answers are skipped.
        if text.hasPrefix("HTTP/1.1 100") { continue }
        return text.split(separator: "\r\n").map(String.init)
      }
      guard !isAtEnd else { return nil }
      fill()
    }
  }

  /// The body, its chunks joined; what has no length ends with the connection, if it may.
  mutating func body(
    _ headers: [(name: String, value: String)], untilEnd: Bool = false
  ) -> [UInt8] {
    func value(_ name: String) -> String? {
      headers.first { $0.name.lowercased() == name }?.value
    }
    if let length = value("content-length").flatMap({ Int($0) }) { return take(length) }
    if value("transfer-encoding")?.lowercased() == "chunked" {
      var whole: [UInt8] = []
      while let line = line(), let size = Int(line.prefix { $0 != ";" }, radix: 16), size > 0 {
        whole += take(size)
        _ = self.line()
      }
      return whole
    }
    guard untilEnd else { return [] }
    while !isAtEnd { fill() }
    return take(buffer.count)
  }

  private mutating func take(_ count: Int) -> [UInt8] {
    while buffer.count < count, !isAtEnd { fill() }
    let part = Array(buffer.prefix(count))
    buffer.removeFirst(part.count)
    return part
  }

  private mutating func line() -> String? {
    while true {
      if let end = buffer.firstIndex(of: 10) {
        let text = String(decoding: buffer[..<end].filter { $0 != 13 }, as: UTF8.self)
        buffer.removeFirst(end + 1)
        return text
      }
      guard !isAtEnd else { return nil }
      fill()
    }
  }
}
