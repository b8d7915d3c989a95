import Foundation
import Synchronization
import Testing

@testable import HTTP

extension Loopback {
  @Suite("TLS")
  struct TLSTests {
    @Test("a fresh identity has a pin, a term and the key of its certificate")
    func identity() throws {
      let identity = try TLSIdentity.selfSigned(
        commonName: "tote", addresses: ["127.0.0.1", "::1"], names: ["localhost"],
        validity: .seconds(86_400))
      #expect(identity.certificatePEM.hasPrefix("-----BEGIN CERTIFICATE-----"))
      #expect(TLSPin(identity.pin.description) == identity.pin)
      let left = Double(identity.expiry) - Date().timeIntervalSince1970
      #expect(abs(left - 86_400) < 60)
      let again = try TLSIdentity(
        certificatePEM: identity.certificatePEM, keyPEM: identity.keyPEM)
      #expect(again.publicKeyDigest == identity.publicKeyDigest)
      let other = try TLSIdentity.selfSigned(commonName: "other")
      #expect(other.pin != identity.pin)
      #expect(throws: HTTPError.self) {
        try TLSIdentity(certificatePEM: identity.certificatePEM, keyPEM: other.keyPEM)
      }
      #expect(throws: HTTPError.self) { try TLSIdentity(certificatePEM: "x", keyPEM: "y") }
      #expect(throws: HTTPError.self) {
        try TLSIdentity.selfSigned(commonName: "a", addresses: ["b"])
      }
    }

    @Test("the right pin is let in, a wrong one and no pin at all are not, and nothing is sent")
    func pins() async throws {
      let identity = try TLSIdentity.selfSigned(commonName: "tote", addresses: ["127.0.0.1"])
      try await withServer({ $0.identity = identity }) { request in
        let body = (try? await request.body.collect(upTo: 100 << 20)) ?? []
        return HTTPResponse(text: "\(request.isSecure) \(body.count)")
      } _: { _, base async throws in
        func send(_ trust: HTTPClient.Trust) async throws -> String {
          var options = HTTPClient.Options()
          options.trust = trust
          let request = HTTPClientRequest(
            .put, base, body: .bytes([UInt8](repeating: 1, count: 3_000_000)))
          return try await HTTPClient(options).send(request).bytes().text
        }
        #expect(try await send(.pin(identity.pin)) == "true 3000000")
        let wrong = TLSPin([UInt8](repeating: 7, count: 32))
        await #expect {
          try await send(.pin(wrong))
        } throws: { error in
          if case .tls(.pinMismatch, _, 90, _)? = error as? HTTPError { true } else { false }
        }
        for trust in [HTTPClient.Trust.system, .systemAndPin(identity.pin)] {
          await #expect {
            try await send(trust)
          } throws: { error in
            if case .tls(.untrusted, _, _, _)? = error as? HTTPError { true } else { false }
          }
        }
      }
    }

    @Test("a certificate can be its own authority, and its address counts")
    func authorities() async throws {
      let identity = try TLSIdentity.selfSigned(commonName: "tote", addresses: ["127.0.0.1"])
      try await FileResponseTests.withFile(Array(identity.certificatePEM.utf8)) { path in
        try await withServer({ $0.identity = identity }) { _ in
          HTTPResponse(text: "ok")
        } _: { _, base in
          var options = HTTPClient.Options()
          options.trust = .authorities(path: path)
          let client = try HTTPClient(options)
          #expect(try await client.send(HTTPClientRequest(.get, base)).bytes().text == "ok")
          options.trust = .authorities(path: "/nowhere")
          await #expect(throws: HTTPError.self) {
            try await HTTPClient(options).send(HTTPClientRequest(.get, base))
          }
        }
      }
    }

    @Test("plain HTTP to a TLS port, and TLS to a plain one, are errors")
    func mixed() async throws {
      let identity = try TLSIdentity.selfSigned(commonName: "tote")
      let client = try HTTPClient()
      try await withServer({ $0.identity = identity }) { _ in
        HTTPResponse(text: "ok")
      } _: { _, base in
        var url = base
        url.scheme = .http
        await #expect(throws: HTTPError.self) {
          try await client.send(HTTPClientRequest(.get, url))
        }
      }
      try await withServer { _ in
        HTTPResponse(text: "ok")
      } _: { _, base in
        var url = base
        url.scheme = .https
        await #expect(throws: HTTPError.self) {
          try await client.send(HTTPClientRequest(.get, url))
        }
      }
    }

    @Test("10 MB stream both ways over TLS, and an answer in the middle of a body is seen")
    func streams() async throws {
      let identity = try TLSIdentity.selfSigned(commonName: "tote")
      try await withServer({ $0.identity = identity }) { request in
        guard request.path == "/echo" else {
          var iterator = request.body.makeAsyncIterator()
          _ = try? await iterator.next()
          return HTTPResponse(status: 409, text: "enough")
        }
        let body = (try? await request.body.collect(upTo: 11 << 20)) ?? []
        return HTTPResponse(streaming: HTTPBody { [next = PatternIterator(body)] in next.next() })
      } _: { _, base in
        var options = HTTPClient.Options()
        options.trust = .pin(identity.pin)
        let client = try HTTPClient(options)
        let size = 10 << 20
        let response = try await client.send(
          HTTPClientRequest(
            .put, base.appending("echo"), body: .stream(HTTPBody(PatternChunks(total: size)))))
        var received = 0
        for try await chunk in response.body {
          #expect(PatternChunks.matches(chunk, at: received))
          received += chunk.count
        }
        #expect(received == size)
        let early = try await client.send(
          HTTPClientRequest(.put, base, body: .stream(HTTPBody(PatternChunks(total: 20 << 20)))))
        #expect(early.status == 409)
      }
    }
  }
}

/// Gives bytes in chunks of odd sizes.
final class PatternIterator: Sendable {
  private let rest: Mutex<ArraySlice<UInt8>>

  init(_ bytes: [UInt8]) { rest = Mutex(bytes[...]) }

  func next() -> [UInt8]? {
    rest.withLock { rest in
      let chunk = Array(rest.prefix(77_777))
      rest = rest.dropFirst(chunk.count)
      return chunk.isEmpty ? nil : chunk
    }
  }
}
