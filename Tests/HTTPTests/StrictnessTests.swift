import Foundation
import Testing

@testable import HTTP

extension Loopback {
  @Suite("what the server refuses")
  struct StrictnessTests {
    struct Case: Sendable, CustomTestStringConvertible {
      var name: String
      var request: String
      /// nil: the connection may also just close.
      var status: Int?
      var testDescription: String { name }
    }

    static let cases: [Case] = [
      .init(
        name: "a plain request is fine", request: "GET /a HTTP/1.1\r\nHost: x\r\n\r\n", status: 200),
      .init(name: "HTTP/1.0 without Host is fine", request: "GET /a HTTP/1.0\r\n\r\n", status: 200),
      .init(
        name: "an absolute target is fine", request: "GET http://x/a HTTP/1.1\r\nHost: x\r\n\r\n",
        status: 200),
      .init(
        name: "Content-Length with Transfer-Encoding",
        request:
          "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        status: 400),
      .init(
        name: "two Content-Length",
        request:
          "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        status: 400),
      .init(
        name: "two equal Content-Length",
        request:
          "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
        status: 400),
      .init(
        name: "negative Content-Length",
        request: "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", status: 400),
      .init(
        name: "a list as Content-Length",
        request: "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5, 5\r\n\r\nhello", status: 400),
      .init(
        name: "two Host", request: "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", status: 400),
      .init(name: "no Host", request: "GET / HTTP/1.1\r\n\r\n", status: 400),
      .init(
        name: "a blank before the colon", request: "GET / HTTP/1.1\r\nHost : x\r\n\r\n", status: 400
      ),
      .init(
        name: "a Host with a path", request: "GET / HTTP/1.1\r\nHost: x/y\r\n\r\n", status: 400),
      .init(
        name: "another transfer coding",
        request: "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        status: 501),
      .init(
        name: "Transfer-Encoding in HTTP/1.0",
        request: "POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        status: 400),
      .init(
        name: "an unknown method", request: "BREW / HTTP/1.1\r\nHost: x\r\n\r\n", status: 501),
      .init(
        name: "a method that is switched off", request: "PATCH / HTTP/1.1\r\nHost: x\r\n\r\n",
        status: 405),
      .init(
        name: "a NUL in the path", request: "GET /%00a HTTP/1.1\r\nHost: x\r\n\r\n", status: 400),
      .init(name: "a broken escape", request: "GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", status: 400),
      .init(
        name: "an escape that is not UTF-8", request: "GET /%ff HTTP/1.1\r\nHost: x\r\n\r\n",
        status: 400),
      .init(
        name: "a broken escape in the query", request: "GET /?a=% HTTP/1.1\r\nHost: x\r\n\r\n",
        status: 400),
      .init(name: "a fragment", request: "GET /a#b HTTP/1.1\r\nHost: x\r\n\r\n", status: 400),
      .init(
        name: "a target that is no path", request: "GET a HTTP/1.1\r\nHost: x\r\n\r\n", status: 400),
      .init(
        name: "an unknown expectation",
        request: "POST / HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nContent-Length: 1\r\n\r\n",
        status: 417
      ),
      .init(
        name: "a body that is announced too large",
        request: "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n", status: 413),
      .init(
        name: "a target that is too long",
        request: "GET /\(String(repeating: "a", count: 5000)) HTTP/1.1\r\nHost: x\r\n\r\n",
        status: 414),
      .init(
        name: "too many header fields",
        request: "GET / HTTP/1.1\r\nHost: x\r\n\((0..<120).map { "H\($0): 1\r\n" }.joined())\r\n",
        status: 431),
      .init(
        name: "header fields that are too large",
        request: "GET / HTTP/1.1\r\nHost: x\r\nA: \(String(repeating: "a", count: 9000))\r\n\r\n",
        status: 431),
      .init(name: "an unknown version", request: "GET / HTTP/3.7\r\nHost: x\r\n\r\n", status: 505),
      .init(
        name: "a malformed chunk",
        request: "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        status: 400
      ),
    ]

    @Test("each rule", arguments: cases)
    func rule(_ test: Case) async throws {
      try await withServer({ options in
        options.limits.targetBytes = 4096
        options.limits.headerBytes = 8192
        options.limits.bodyBytes = 1 << 20
        options.methods.remove(.patch)
      }) { request in
        _ = try? await request.body.collect(upTo: 1 << 20)
        return HTTPResponse(text: "ok")
      } _: { server, _ in
        let port = server.port
        let status = try await blocking { try RawClient(port: port).status(of: test.request) }
        #expect(status == test.status)
      }
    }

    @Test("%2F stays inside its segment, and nothing is decoded twice")
    func segments() async throws {
      try await withServer { request in
        HTTPResponse(
          text: request.segments.joined(separator: "|") + "?" + (request.query["q"] ?? ""))
      } _: { server, _ in
        let port = server.port
        let answer = try await blocking {
          let client = try RawClient(port: port)
          client.send(
            "GET /db/a%2Fb/%252e/../x+y?q=a+b%2Bc&q=%2541 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
          )
          return client.receive()
        }
        #expect(answer.hasSuffix("\r\n\r\ndb|a/b|%2e|..|x+y?%41"))
      }
    }

    @Test("OPTIONS * names the methods")
    func options() async throws {
      try await withServer { _ in
        HTTPResponse(text: "handler")
      } _: { server, _ in
        let port = server.port
        let answer = try await blocking {
          let client = try RawClient(port: port)
          client.send("OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
          return client.receive()
        }
        #expect(answer.hasPrefix("HTTP/1.1 204"))
        #expect(answer.contains("Allow: COPY, DELETE, GET"))
      }
    }

    @Test("a request that trickles is cut, with and without its first line")
    func slowHeads() async throws {
      try await withServer({ options in
        options.limits.idle = .milliseconds(1000)
        options.limits.head = .milliseconds(300)
      }) { _ in
        HTTPResponse(text: "ok")
      } _: { server, _ in
        let port = server.port
        for opening in ["GET / HTTP/1.1\r\nA: ", "G"] {
          let isCut = try await blocking {
            let client = try RawClient(port: port)
            client.send(opening)
            for _ in 0..<60 {
              // A byte now and then renews the library's own limit.
              usleep(100_000)
              var byte: UInt8 = 0
              if recv(client.descriptor, &byte, 1, Int32(MSG_DONTWAIT)) == 0 { return true }
              guard client.send("x") else { return true }
            }
            return false
          }
          #expect(isCut)
        }
      }
    }
  }
}
