import Foundation
import Synchronization
import Testing

@testable import HTTP

extension Loopback {
  @Suite("what the client does with odd peers")
  struct ClientTests {
    @Test("credentials of the URL become Basic, and stay with their origin")
    func redirects() async throws {
      let echo: HTTPServer.Handler = { request in
        HTTPResponse(
          text: "\(request.method.rawValue) \(request.headers["Authorization"] ?? "-") "
            + (request.headers["Cookie"] ?? "-"))
      }
      try await withServer(handler: echo) { _, other in
        try await withServer { request in
          switch request.segments[0] {
          case "same": HTTPResponse(status: 302, headers: ["Location": "/end"])
          case "other": HTTPResponse(status: 307, headers: ["Location": other.description])
          case "see": HTTPResponse(status: 303, headers: ["Location": "end?x"])
          case "loop": HTTPResponse(status: 301, headers: ["Location": "/loop"])
          case "file": HTTPResponse(status: 302, headers: ["Location": "file:///etc/passwd"])
          default: await echo(request)
          }
        } _: { _, base in
          let client = try HTTPClient()
          func get(
            _ path: String, _ method: HTTPMethod = .get, _ body: HTTPClientRequest.Body = .none
          ) async throws -> (String, HTTPClientResponse) {
            var url = base.appending(path)
            url.user = "u"
            url.password = "p:@"
            let response = try await client.send(
              HTTPClientRequest(method, url, headers: ["Cookie": "c=1"], body: body))
            return (try await response.bytes().text, response)
          }
          let basic = BasicCredentials(user: "u", password: "p:@").authorization
          #expect(try await get("end").0 == "GET \(basic) c=1")
          let (text, response) = try await get("same")
          #expect(text == "GET \(basic) c=1")
          #expect(response.url.path == "/end")
          #expect(try await get("other").0 == "GET - -")
          #expect(try await get("other", .put, .bytes([1])).0 == "PUT - -")
          #expect(try await get("see", .post, .bytes([1])).0 == "GET \(basic) c=1")
          await #expect(throws: HTTPError.self) { try await get("loop") }
          await #expect(throws: HTTPError.self) { try await get("file") }
          var stopped = HTTPClientRequest(.get, base.appending("same"))
          stopped.maximumRedirects = 0
          #expect(try await client.send(stopped).status == 302)
        }
      }
    }

    @Test("a redirect from https to http is refused")
    func downgrade() throws {
      let request = HTTPClientRequest(.get, try WebURL("https://a/"))
      let response = HTTPClientResponse(
        status: 302, headers: [:], url: request.url, version: "1.1", body: .empty)
      #expect(throws: HTTPError.self) { try Redirects.next(after: request, response, "http://a/") }
      #expect(
        try Redirects.next(after: request, response, "//b/c").url.description == "https://b/c")
    }

    @Test("headers that would break their line are refused before anything is sent")
    func badHeaders() async throws {
      let client = try HTTPClient()
      let url = try WebURL("http://127.0.0.1:9/")
      for headers in [["A": "b\r\nC: d"], ["A b": "c"], ["A": "\u{0}"]] as [HTTPHeaders] {
        await #expect(throws: HTTPError.self) {
          try await client.send(HTTPClientRequest(.get, url, headers: headers))
        }
      }
    }

    @Test("nobody there is a typed error without secrets")
    func refusedConnection() async throws {
      let socket = try ListeningSocket(address: "127.0.0.1", port: 0)
      close(socket.descriptor)
      let client = try HTTPClient()
      do {
        _ = try await client.send(
          HTTPClientRequest(.get, try WebURL("http://user:secret@127.0.0.1:\(socket.port)/")))
        Issue.record("somebody there")
      } catch let error as HTTPError {
        guard case .connectionFailed = error else {
          Issue.record("\(error)")
          return
        }
        #expect(!error.description.contains("secret"))
      }
    }

    /// Answers each connection with fixed bytes once a request head has come.
    static func withPeer<Result>(
      _ answer: String, closes: Bool = true, _ body: (WebURL) async throws -> Result
    ) async throws -> Result {
      let listening = try ListeningSocket(address: "127.0.0.1", port: 0)
      let isDone = Mutex(false)
      Thread.detachNewThread { [listening] in
        var held: [Int32] = []
        for _ in 0..<3000 where !isDone.withLock({ $0 }) {
          let descriptor = accept(listening.descriptor, nil, nil)
          guard descriptor >= 0 else {
            usleep(5000)
            continue
          }
          var buffer = [UInt8](repeating: 0, count: 64 << 10)
          _ = recv(descriptor, &buffer, buffer.count, 0)
          let bytes = Array(answer.utf8)
          _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
          if closes { close(descriptor) } else { held.append(descriptor) }
        }
        for descriptor in held { close(descriptor) }
        close(listening.descriptor)
      }
      defer { isDone.withLock { $0 = true } }
      return try await body(WebURL(scheme: .http, host: "127.0.0.1", port: listening.port))
    }

    @Test("1xx heads are passed over, and a body without length ends with the connection")
    func interim() async throws {
      try await Self.withPeer(
        "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\n\r\nbody"
      ) { url in
        let response = try await HTTPClient().send(HTTPClientRequest(.get, url))
        #expect(response.status == 200)
        #expect(response.headers["Link"] == nil)
        #expect(try await response.bytes().text == "body")
      }
    }

    @Test(
      "truncated and malformed answers are errors",
      arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "", "nonsense\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nnot gzip",
      ])
    func truncated(answer: String) async throws {
      try await Self.withPeer(answer) { url in
        let client = try HTTPClient()
        await #expect(throws: HTTPError.self) {
          let response = try await client.send(HTTPClientRequest(.get, url))
          _ = try await response.bytes()
        }
      }
    }

    @Test("silence and slowness end in their own errors")
    func timeouts() async throws {
      try await Self.withPeer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", closes: false) {
        url in
        let client = try HTTPClient()
        var request = HTTPClientRequest(.get, url)
        request.timeouts = HTTPClient.Timeouts()
        request.timeouts?.idle = .milliseconds(400)
        let idle = try await client.send(request)
        await #expect(throws: HTTPError.timedOut(.idle)) { try await idle.bytes() }
        request.timeouts?.idle = nil
        request.timeouts?.total = .milliseconds(400)
        let total = try await client.send(request)
        await #expect(throws: HTTPError.timedOut(.total)) { try await total.bytes() }
      }
    }

    @Test("what a streamed upload throws reaches the caller, and its peer sees no whole body")
    func failingUpload() async throws {
      struct Failure: Error {}
      let wasWhole = Atomic(false)
      try await withServer { request in
        if (try? await request.body.collect(upTo: 1 << 20)) != nil {
          wasWhole.store(true, ordering: .relaxed)
        }
        return HTTPResponse(text: "ok")
      } _: { _, base in
        let client = try HTTPClient()
        let count = Atomic(0)
        let body = HTTPBody {
          guard count.add(1, ordering: .relaxed).newValue < 3 else { throw Failure() }
          return [UInt8](repeating: 1, count: 1000)
        }
        await #expect(throws: Failure.self) {
          try await client.send(HTTPClientRequest(.put, base, body: .stream(body)))
        }
        let isWhole = wasWhole.load(ordering: .relaxed)
        #expect(!isWhole)
      }
    }

    @Test("a connection is used again")
    func keepAlive() async throws {
      try await withServer { _ in
        HTTPResponse(text: "ok")
      } _: { server, base in
        let client = try HTTPClient()
        for _ in 0..<20 {
          #expect(try await client.send(HTTPClientRequest(.get, base)).bytes().text == "ok")
        }
        #expect(server.load.connections == 1)
      }
    }

    @Test("a task cancelled beforehand sends nothing")
    func cancelledBeforehand() async throws {
      try await withServer { _ in
        HTTPResponse(text: "ok")
      } _: { server, base in
        let client = try HTTPClient()
        for _ in 0..<50 {
          let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await client.send(HTTPClientRequest(.get, base))
          }
          await #expect(throws: CancellationError.self) { try await task.value }
          let raced = Task { try await client.send(HTTPClientRequest(.get, base)) }
          raced.cancel()
          _ = await raced.result
        }
        #expect(try await client.send(HTTPClientRequest(.get, base)).status == 200)
      }
    }

    @Test("a response can be read after its client was let go")
    func clientLetGo() async throws {
      let size = 3 << 20
      try await withServer { _ in
        HTTPResponse(streaming: HTTPBody(PatternChunks(total: size), length: Int64(size)))
      } _: { _, base in
        let response = try await HTTPClient().send(HTTPClientRequest(.get, base))
        #expect(try await response.bytes().count == size)
      }
    }

    @Test("a proxy is asked for the whole URL, except for the hosts that need none")
    func proxy() async throws {
      try await withServer { request in
        HTTPResponse(text: "\(request.target) \(request.path)")
      } _: { _, base in
        var options = HTTPClient.Options()
        options.proxies[.http] = base.description
        let url = try WebURL("http://u:p@nowhere.invalid/a%2Fb?x")
        let response = try await HTTPClient(options).send(HTTPClientRequest(.get, url))
        #expect(try await response.bytes().text == "http://nowhere.invalid/a%2Fb?x /a%2Fb")
        options.noProxy = "nowhere.invalid"
        await #expect {
          try await HTTPClient(options).send(HTTPClientRequest(.get, url))
        } throws: { error in
          if case .nameNotResolved? = error as? HTTPError { true } else { false }
        }
      }
    }

    @Test("an empty PUT has a length, and odd paths go out as they are")
    func forms() async throws {
      try await withServer { request in
        HTTPResponse(text: "\(request.headers["Content-Length"] ?? "-") \(request.target)")
      } _: { _, base in
        let client = try HTTPClient()
        var url = base
        url.path = "/a/../b%2F/./c"
        url.query = "x=%5B%5D"
        let response = try await client.send(HTTPClientRequest(.put, url))
        #expect(try await response.bytes().text == "0 /a/../b%2F/./c?x=%5B%5D")
      }
    }

    @Test("proxies come from an environment, but not from HTTP_PROXY")
    func proxies() {
      var options = HTTPClient.Options()
      options.takeProxies(from: [
        "HTTP_PROXY": "evil", "https_proxy": "http://p:1", "no_proxy": "a",
      ])
      #expect(options.proxies == [.https: "http://p:1"])
      #expect(options.noProxy == "a")
    }
  }
}
