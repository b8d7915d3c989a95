import Foundation
import Synchronization
import Testing

@testable import HTTP

extension Loopback {
  @Suite("server and client together")
  struct ServerTests {
    @Test("a handler that answers without reading is seen by a client that sends everything first")
    func earlyAnswer() async throws {
      try await withServer { _ in
        HTTPResponse(status: 401, text: "no")
      } _: { server, _ in
        let port = server.port
        for size in [10, 300_000, 8_000_000] {
          let answer = try await blocking {
            let client = try RawClient(port: port)
            client.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: \(size)\r\n\r\n")
            client.send([UInt8](repeating: 0x61, count: size))
            return client.receive { $0.hasSuffix("no") }
          }
          #expect(answer.hasPrefix("HTTP/1.1 401"), "\(size) bytes")
        }
      }
    }

    @Test("a client that waits for 100 Continue gets it, or the refusal instead")
    func expectation() async throws {
      try await withServer { request in
        guard request.path == "/read" else { return HTTPResponse(status: 401, text: "no") }
        let body = (try? await request.body.collect(upTo: 100)) ?? []
        return HTTPResponse(text: "got \(body.text)")
      } _: { server, _ in
        let port = server.port
        let refused = try await blocking {
          let client = try RawClient(port: port)
          client.send(
            "PUT /no HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
          return client.receive()
        }
        #expect(refused.hasPrefix("HTTP/1.1 401"))
        let read = try await blocking {
          let client = try RawClient(port: port)
          client.send(
            "PUT /read HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
          let first = client.receive { $0.contains("\r\n\r\n") }
          client.send("hello")
          return first + client.receive { $0.contains("got hello") }
        }
        #expect(read.hasPrefix("HTTP/1.1 100"))
        #expect(read.hasSuffix("got hello"))
      }
    }

    @Test("a chunked body past the limit is answered 413 while it is still being sent")
    func tooLargeOnTheWay() async throws {
      let failure = Mutex<HTTPError?>(nil)
      try await withServer({ $0.limits.bodyBytes = 1 << 20 }) { request in
        do {
          for try await _ in request.body {}
        } catch {
          failure.withLock { $0 = error as? HTTPError }
        }
        return HTTPResponse(text: "read")
      } _: { server, _ in
        let port = server.port
        let answer = try await blocking {
          let client = try RawClient(port: port)
          client.send("PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
          let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 0x61, count: 65536) + [13, 10]
          for _ in 0..<32 where !client.send(chunk) { break }
          return client.receive()
        }
        #expect(answer.hasPrefix("HTTP/1.1 413"))
        #expect(await eventually { failure.withLock { $0 } == .bodyTooLarge(limit: 1 << 20) })
      }
    }

    @Test("an answer in the middle of a large body is seen")
    func answerMidBody() async throws {
      try await withServer { request in
        var iterator = request.body.makeAsyncIterator()
        _ = try? await iterator.next()
        return HTTPResponse(status: 409, text: "enough")
      } _: { server, base in
        let port = server.port
        let answer = try await blocking {
          let client = try RawClient(port: port)
          client.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 12000000\r\n\r\n")
          client.send([UInt8](repeating: 0x61, count: 12_000_000))
          return client.receive()
        }
        #expect(answer.hasPrefix("HTTP/1.1 409"))
        let client = try HTTPClient()
        let response = try await client.send(
          HTTPClientRequest(.put, base, body: .bytes([UInt8](repeating: 1, count: 500_000))))
        #expect(response.status == 409)
      }
    }

    @Test("100 MB stream both ways with back-pressure, whole and in order")
    func largeStreams() async throws {
      let size = 100 << 20
      try await withServer { request in
        var received = 0
        do {
          for try await chunk in request.body {
            guard PatternChunks.matches(chunk, at: received) else { break }
            received += chunk.count
          }
        } catch {
          return HTTPResponse(status: 500, text: "\(error)")
        }
        guard received == size else { return HTTPResponse(status: 400, text: "\(received)") }
        return HTTPResponse(streaming: HTTPBody(PatternChunks(total: size), length: Int64(size)))
      } _: { _, base in
        let client = try HTTPClient()
        let before = residentBytes()
        let source = PatternChunks(total: size)
        let response = try await client.send(
          HTTPClientRequest(.put, base, body: .stream(HTTPBody(source, length: Int64(size)))))
        #expect(response.status == 200)
        var received = 0
        var isRight = true
        for try await chunk in response.body {
          isRight = isRight && PatternChunks.matches(chunk, at: received)
          received += chunk.count
        }
        #expect(received == size)
        #expect(isRight)
        #expect(residentBytes() - before < 48 << 20)
      }
    }

    @Test("a reader that stops reading stops the writer")
    func slowReader() async throws {
      let written = Atomic(0)
      try await withServer { _ in
        HTTPResponse(
          body: .stream(length: nil) { writer in
            while true {
              try await writer.write([UInt8](repeating: 1, count: 64 << 10))
              written.add(64 << 10, ordering: .relaxed)
            }
          })
      } _: { _, base in
        let client = try HTTPClient()
        let response = try await client.send(HTTPClientRequest(.get, base))
        var iterator = response.body.makeAsyncIterator()
        _ = try await iterator.next()
        // Both ends have buffers of the kernel; what they take settles soon.
        var last = -1
        let isSettled = await eventually {
          let now = written.load(ordering: .relaxed)
          defer { last = now }
          try? await Task.sleep(for: .milliseconds(100))
          return now == last
        }
        #expect(isSettled)
        let held = written.load(ordering: .relaxed)
        #expect(held < 24 << 20)
        for _ in 0..<2000 { _ = try await iterator.next() }
        let goesOn = await eventually { written.load(ordering: .relaxed) > held }
        #expect(goesOn)
      }
    }

    @Test(
      "a handler waiting to write is cancelled when its client goes, and so is one that computes")
    func clientGone() async throws {
      let cancelled = Atomic(0)
      try await withServer { request in
        if request.path == "/compute" {
          try? await Task.sleep(for: .seconds(60))
          if Task.isCancelled { cancelled.add(1, ordering: .relaxed) }
          return HTTPResponse(text: "late")
        }
        return HTTPResponse(
          body: .stream(length: nil) { writer in
            try await writer.write("first\n")
            do { try await Task.sleep(for: .seconds(60)) } catch {
              cancelled.add(1, ordering: .relaxed)
              throw error
            }
          })
      } _: { server, base in
        let client = try HTTPClient()
        do {
          let response = try await client.send(HTTPClientRequest(.get, base.appending("feed")))
          var iterator = response.body.makeAsyncIterator()
          #expect(try await iterator.next() == Array("first\n".utf8))
        }
        let first = await eventually { cancelled.load(ordering: .relaxed) == 1 }
        #expect(first)
        let task = Task {
          try await client.send(HTTPClientRequest(.get, base.appending("compute")))
        }
        #expect(await eventually { server.load.requests == 1 })
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let second = await eventually { cancelled.load(ordering: .relaxed) == 2 }
        #expect(second)
      }
    }

    @Test("200 requests at once are all answered")
    func concurrent() async throws {
      try await withServer { request in
        try? await Task.sleep(for: .milliseconds(20))
        return HTTPResponse(text: request.segments.last ?? "")
      } _: { _, base in
        var options = HTTPClient.Options()
        options.connectionsPerHost = 64
        let client = try HTTPClient(options)
        try await withThrowingTaskGroup(of: Bool.self) { group in
          for number in 0..<200 {
            group.addTask {
              let response = try await client.send(
                HTTPClientRequest(.get, base.appending("\(number)")))
              return try await response.bytes().text == "\(number)"
            }
          }
          for try await isRight in group { #expect(isRight) }
        }
      }
    }

    @Test("each chunk is sent whole and at once")
    func chunks() async throws {
      let seen = Atomic(0)
      try await withServer { _ in
        HTTPResponse(
          body: .stream(length: nil) { writer in
            for (index, text) in ["one", "three", "done"].enumerated() {
              try await writer.write(text)
              _ = await eventually { seen.load(ordering: .relaxed) > index }
            }
          })
      } _: { server, _ in
        let port = server.port
        let pieces = try await blocking {
          let client = try RawClient(port: port)
          client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
          var pieces: [String] = []
          var buffer = [UInt8](repeating: 0, count: 4096)
          while case let count = recv(client.descriptor, &buffer, buffer.count, 0), count > 0 {
            pieces.append(buffer[..<count].text)
            if pieces.joined().hasSuffix("\r\n"), pieces.joined().contains("\r\n\r\n3") {
              seen.add(1, ordering: .relaxed)
            }
          }
          return pieces
        }
        let body = pieces.joined().components(separatedBy: "\r\n\r\n").dropFirst().joined(
          separator: "\r\n\r\n")
        #expect(body == "3\r\none\r\n5\r\nthree\r\n4\r\ndone\r\n0\r\n\r\n")
        for chunk in ["5\r\nthree\r\n", "4\r\ndone\r\n"] {
          #expect(pieces.contains { $0.contains(chunk) })
        }
      }
    }

    @Test("a stream that fails or ends short cuts the connection, so that the client can tell")
    func shortStreams() async throws {
      struct Failure: Error {}
      try await withServer { request in
        let isSized = request.path == "/sized"
        return HTTPResponse(
          body: .stream(length: isSized ? 100 : nil) { writer in
            try await writer.write("only this")
            if !isSized { throw Failure() }
          })
      } _: { _, base in
        let client = try HTTPClient()
        for path in ["sized", "chunked"] {
          let response = try await client.send(HTTPClientRequest(.get, base.appending(path)))
          await #expect(throws: HTTPError.self) { try await response.bytes() }
        }
      }
    }

    @Test("a body that ends short is an error, also where libmicrohttpd 0.9.75 misses the end")
    func shortRequest() async throws {
      let failure = Mutex<(any Error)?>(nil)
      try await withServer { request in
        do {
          for try await _ in request.body {}
        } catch {
          failure.withLock { $0 = error }
        }
        return HTTPResponse(text: "")
      } _: { server, _ in
        let port = server.port
        try await blocking {
          let client = try RawClient(port: port)
          client.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nabc")
        }
        #expect(
          await eventually {
            switch failure.withLock({ $0 }) {
            case is CancellationError, HTTPError.connectionClosed?: true
            default: false
            }
          })
      }
    }

    @Test("stopping lets a request end, refuses new connections, and cuts what does not end")
    func gracefulStop() async throws {
      let server = try HTTPServer { request in
        let isSlow = request.path == "/slow"
        try? await Task.sleep(for: isSlow ? .seconds(60) : .milliseconds(300))
        return HTTPResponse(text: "done")
      }
      let base = WebURL(scheme: .http, host: "127.0.0.1", port: server.port)
      let client = try HTTPClient()
      let quick = Task { try await client.send(HTTPClientRequest(.get, base.appending("quick"))) }
      let slow = Task { try await client.send(HTTPClientRequest(.get, base.appending("slow"))) }
      #expect(await eventually { server.load.requests == 2 })
      await server.stop(draining: .milliseconds(1500))
      #expect(try await quick.value.status == 200)
      await #expect(throws: HTTPError.self) { try await slow.value }
      await #expect(throws: HTTPError.self) { try await client.send(HTTPClientRequest(.get, base)) }
      await server.stop()
    }

    @Test("stopping from a cancelled task, and letting a server go, end all that waits")
    func hardStops() async throws {
      for isStopped in [true, false] {
        var server: HTTPServer? = try HTTPServer { request in
          if request.path == "/feed" {
            return HTTPResponse(
              body: .stream(length: nil) { writer in
                try await writer.write("x")
                try await Task.sleep(for: .seconds(60))
              })
          }
          _ = try? await request.body.collect(upTo: 10)
          try? await Task.sleep(for: .seconds(60))
          return HTTPResponse()
        }
        let base = WebURL(scheme: .http, host: "127.0.0.1", port: server?.port ?? 0)
        let client = try HTTPClient()
        let tasks = ["feed", "wait"].map { path in
          Task { try await client.send(HTTPClientRequest(.get, base.appending(path))).bytes() }
        }
        #expect(await eventually { server?.load.requests == 2 })
        if isStopped {
          let stop = Task { [server] in await server?.stop() }
          stop.cancel()
          await stop.value
        }
        server = nil
        for task in tasks { await #expect(throws: HTTPError.self) { try await task.value } }
      }
    }

    @Test("a handler that never answers is answered for, and a silent client is cut")
    func limits() async throws {
      try await withServer({ options in
        options.limits.response = .milliseconds(300)
        options.limits.idle = .milliseconds(1000)
      }) { _ in
        try? await Task.sleep(for: .seconds(60))
        return HTTPResponse(text: "late")
      } _: { server, base in
        let client = try HTTPClient()
        #expect(try await client.send(HTTPClientRequest(.get, base)).status == 503)
        let port = server.port
        let rest = try await blocking { try RawClient(port: port).receive() }
        #expect(rest.isEmpty)
      }
    }

    @Test("connections from one address are limited")
    func connectionLimit() async throws {
      try await withServer({ $0.limits.connectionsPerAddress = 2 }) { _ in
        HTTPResponse(text: "ok")
      } _: { server, _ in
        let port = server.port
        let statuses = try await blocking {
          let clients = try (0..<3).map { _ in try RawClient(port: port) }
          return clients.map { $0.status(of: "GET / HTTP/1.1\r\nHost: x\r\n\r\n") }
        }
        #expect(statuses.compactMap(\.self) == [200, 200])
      }
    }

    @Test("compressed bodies go both ways, and a bomb stops at its limit")
    func compression() async throws {
      let text = String(repeating: "all work and no play ", count: 5000)
      try await withServer { request in
        do {
          let body = try await request.decodedBody(limit: 1 << 20).collect(upTo: 1 << 20)
          return HTTPResponse(text: body.text).gzipped(for: request)
        } catch {
          return HTTPResponse(status: 413, text: "\(error)")
        }
      } _: { _, base in
        let client = try HTTPClient()
        var request = HTTPClientRequest(
          .post, base, headers: ["Content-Encoding": "gzip"],
          body: .bytes(try GzipEncoder.encode(Array(text.utf8))))
        let response = try await client.send(request)
        #expect(response.headers["Content-Encoding"] == "gzip")
        #expect(try await response.bytes().text == text)
        request.decompresses = false
        request.headers["Accept-Encoding"] = "gzip"
        let raw = try await client.send(request).bytes()
        #expect(try GzipDecoder.decode(raw) == Array(text.utf8))
        request.body = .bytes(try GzipEncoder.encode([UInt8](repeating: 0, count: 50 << 20)))
        #expect(try await client.send(request).status == 413)
      }
    }
  }
}

/// Chunks of a pattern in which every position can be told.
struct PatternChunks: AsyncSequence, Sendable {
  typealias Element = [UInt8]
  let total: Int

  struct Iterator: AsyncIteratorProtocol {
    let total: Int
    var position = 0

    mutating func next() async -> [UInt8]? {
      guard position < total else { return nil }
      let size = Swift.min(48 << 10, total - position)
      defer { position += size }
      return PatternChunks.bytes(position..<position + size)
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(total: total) }

  static let table = (0..<251 * 400).map { UInt8($0 % 251) }

  static func bytes(_ range: Range<Int>) -> [UInt8] {
    let start = range.lowerBound % 251
    return Array(table[start..<start + range.count])
  }

  /// With memcmp: 100 MB in a loop of a debug build take half a minute.
  static func matches(_ chunk: [UInt8], at position: Int) -> Bool {
    chunk.withUnsafeBytes { chunk in
      table.withUnsafeBytes { table in
        var offset = 0
        while offset < chunk.count, let left = chunk.baseAddress, let right = table.baseAddress {
          let size = Swift.min(90_000, chunk.count - offset)
          guard memcmp(left + offset, right + (position + offset) % 251, size) == 0 else {
            return false
          }
          offset += size
        }
        return true
      }
    }
  }
}

/// This process's memory in bytes.
func residentBytes() -> Int {
  let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
  return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
}
