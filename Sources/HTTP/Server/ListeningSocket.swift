import Glibc

/// A socket that is bound and listens, so that its port is known before the server runs.
struct ListeningSocket {
  let descriptor: Int32
  let port: UInt16

  /// Binds to a numeric address.
  init(address: String, port: UInt16) throws(HTTPError) {
    var storage = sockaddr_storage()
    guard let size = Self.fill(&storage, address: address, port: port) else {
      throw .cannotListen(
        address: address, port: port, code: Int(EINVAL), text: "not a numeric address")
    }
    let descriptor = socket(
      Int32(storage.ss_family),
      Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        | Int32(SOCK_NONBLOCK.rawValue), 0)
    var on: Int32 = 1
    var off: Int32 = 0
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, 4)
    if storage.ss_family == AF_INET6 {
      setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &off, 4)
    }
    let isBound = withUnsafePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
    }
    guard descriptor >= 0, isBound, listen(descriptor, 1024) == 0 else {
      let code = errno
      if descriptor >= 0 { close(descriptor) }
      throw .cannotListen(
        address: address, port: port, code: Int(code), text: systemText(code))
    }
    self.descriptor = descriptor
    self.port = Self.boundPort(of: descriptor)
  }

  /// Refuses new connections: puts a socket that nobody can reach in the place of the one that listens.
  ///
  /// The library's own way (MHD_quiesce_daemon) has two threads take the socket out of one epoll set,
  /// and aborts the process when the second one finds nothing (0.9.75). The library closes the
  /// descriptor when it stops.
  func fallSilent() {
    let silent = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard silent >= 0 else { return }
    defer { close(silent) }
    _ = fcntl(silent, F_SETFL, O_NONBLOCK)
    // A name of the kernel's choice, which nobody is told.
    var address = sockaddr(
      sa_family: sa_family_t(AF_UNIX), sa_data: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    guard bind(silent, &address, socklen_t(MemoryLayout<sa_family_t>.size)) == 0,
      listen(silent, 1) == 0
    else { return }
    dup2(silent, descriptor)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  private static func boundPort(of descriptor: Int32) -> UInt16 {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = getsockname(descriptor, $0, &size)
      }
      return addressText(UnsafeRawPointer(pointer)).port
    }
  }

  private static func fill(
    _ storage: inout sockaddr_storage, address: String, port: UInt16
  ) -> socklen_t? {
    withUnsafeMutableBytes(of: &storage) { bytes -> socklen_t? in
      guard let base = bytes.baseAddress else { return nil }
      let four = base.assumingMemoryBound(to: sockaddr_in.self)
      if inet_pton(AF_INET, address, &four.pointee.sin_addr) == 1 {
        four.pointee.sin_family = sa_family_t(AF_INET)
        four.pointee.sin_port = port.bigEndian
        return socklen_t(MemoryLayout<sockaddr_in>.size)
      }
      four.pointee = sockaddr_in()
      let six = base.assumingMemoryBound(to: sockaddr_in6.self)
      guard inet_pton(AF_INET6, address, &six.pointee.sin6_addr) == 1 else { return nil }
      six.pointee.sin6_family = sa_family_t(AF_INET6)
      six.pointee.sin6_port = port.bigEndian
      return socklen_t(MemoryLayout<sockaddr_in6>.size)
    }
  }
}

/// The numeric text and port of a socket address; an IPv4 address mapped into IPv6 as IPv4.
func addressText(_ address: UnsafeRawPointer) -> (host: String, port: UInt16) {
  var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
  let family = Int32(address.assumingMemoryBound(to: sockaddr.self).pointee.sa_family)
  var port: UInt16 = 0
  if family == AF_INET {
    var four = address.assumingMemoryBound(to: sockaddr_in.self).pointee
    port = UInt16(bigEndian: four.sin_port)
    inet_ntop(AF_INET, &four.sin_addr, &buffer, socklen_t(buffer.count))
  } else if family == AF_INET6 {
    var six = address.assumingMemoryBound(to: sockaddr_in6.self).pointee
    port = UInt16(bigEndian: six.sin6_port)
    inet_ntop(AF_INET6, &six.sin6_addr, &buffer, socklen_t(buffer.count))
  }
  let host = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }.text
  return (host.hasPrefix("::ffff:") && host.contains(".") ? String(host.dropFirst(7)) : host, port)
}
