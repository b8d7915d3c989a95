import Core
import HTTP
import TestSupport
import Testing

/// A page that gave its own name this machine's address (DNS rebinding).
@Suite struct HostTests {
  @Test("without users a request by another name is refused, and changes nothing")
  func rebound() async throws {
    try await withListener { listener in
      let refused = try await listener.ask(.put, "/db", headers: ["Host": "evil.example:5984"])
      #expect(refused.status == 421)
      #expect(refused.error == "misdirected_request")
      #expect(try await listener.ask(.get, "/db").status == 404)
      #expect(try await listener.ask(.put, "/db", headers: ["Host": "localhost"]).status == 201)
    }
  }
}
