import HTTP
import Testing

/// The end of servers.
@Suite struct StopTests {
  @Test("a server that stops while connections close ends quietly, and refuses new ones")
  func quietly() async throws {
    // libmicrohttpd's own way aborted the process about once in two hundred times.
    for _ in 0..<200 {
      let server = try HTTPServer { _ in HTTPResponse(text: "x") }
      let client = try HTTPClient()
      let request = HTTPClientRequest(.get, try WebURL("http://127.0.0.1:\(server.port)/"))
      #expect(try await client.send(request).bytes() == Array("x".utf8))
      await server.stop(draining: .zero)
      await #expect(throws: HTTPError.self) { _ = try await client.send(request) }
    }
  }
}
