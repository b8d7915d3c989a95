import Testing

@testable import HTTP

@Suite struct SmokeTests {
  @Test func roundTrip() async throws {
    let server = try HTTPServer { request in
      let body = (try? await request.body.collect(upTo: 100 << 20)) ?? []
      return HTTPResponse(text: "\(request.method.rawValue) \(request.segments) \(body.count)")
    }
    let client = try HTTPClient()
    let base = WebURL(scheme: .http, host: "127.0.0.1", port: server.port)
    let one = try await client.send(HTTPClientRequest(.get, base.appending("a/b")))
    #expect(one.status == 200)
    #expect(try await one.bytes().text == "GET [\"a/b\"] 0")
    let two = try await client.send(
      HTTPClientRequest(
        .put, base.appending("x"), body: .bytes([UInt8](repeating: 1, count: 3_000_000))))
    #expect(try await two.bytes().text == "PUT [\"x\"] 3000000")
    await server.stop()
  }
}
