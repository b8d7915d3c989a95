import Core
import Drop
import Glibc
import HTTP
import TestSupport
import Testing

/// Senders that only hold connections, and many of them.
@Suite struct ManyConnectionsTests {
  private func connect(_ port: UInt16) -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    return descriptor
  }

  @Test("a thousand connections that say nothing neither end it nor take its memory")
  func idle() async throws {
    try await ReceiverFixture.with { fixture async throws in
      let sockets = (0..<1_000).map { _ in connect(fixture.ticket.port) }
      for socket in sockets where socket >= 0 { close(socket) }
      // A fresh client is let in as soon as the closed ones are seen.
      var status = 0
      for _ in 0..<200 where status != 200 {
        do {
          status = try await fixture.send(.get, "/drop").status
        } catch HTTPError.connectionClosed {
          continue
        } catch is HTTPError {
          continue
        }
      }
      #expect(status == 200)
      #expect(try await fixture.deliver("a", name: "a", [1]).status == 200)
    }
  }

  @Test("one address has a bounded number of connections, and the one that is served goes on")
  func bounded() async throws {
    try await ReceiverFixture.with { fixture async throws in
      try await fixture.offer("a", name: "a", size: 2)
      #expect(try await fixture.patch("a", [1]).status == 204)
      let sockets = (0..<200).map { _ in connect(fixture.ticket.port) }
      defer { for socket in sockets where socket >= 0 { close(socket) } }
      // On the connection that is open already.
      #expect(try await fixture.patch("a", at: 1, [2]).status == 200)
    }
  }
}
