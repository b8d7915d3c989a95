import Core
import Glibc
import HTTP
import Sync
import TestSupport
import Testing

@testable import Photos

/// A server on a port of the loopback: what only a connection shows.
@Suite(.serialized) struct SocketTests {
  private func withOpenService(
    _ change: (inout PhotoServer.Options) -> Void = { _ in },
    _ body: (PhotoService, HTTPClient, WebURL) async throws -> Void
  ) async throws {
    try await withPhotoService(change) { service in
      let port = try service.server.start()
      try await body(service, try HTTPClient(), try WebURL("http://127.0.0.1:\(port)/"))
    }
  }

  /// Sends a file of which is counted how much was asked for.
  private func post(
    _ size: Int, _ headers: HTTPHeaders, _ client: HTTPClient, _ url: WebURL
  ) async throws -> (status: Int, sent: Int64) {
    let counter = Counter()
    var request = HTTPClientRequest(
      .post, url.appending("api", "v1", "photos"), headers: headers,
      body: .stream(
        HTTPBody(length: Int64(size)) { await counter.piece(of: size) }))
    request.expectsContinue = false
    let response = try await client.send(request)
    _ = try await response.bytes()
    return (response.status, await counter.sent)
  }

  private actor Counter {
    var sent: Int64 = 0
    func piece(of size: Int) -> [UInt8]? {
      let count = min(64 << 10, size - Int(sent))
      guard count > 0 else { return nil }
      sent += Int64(count)
      return [UInt8](repeating: 0xff, count: count)
    }
  }

  @Test("a client that waits for 100 Continue is not asked for what is refused")
  func expectation() async throws {
    try await withOpenService { service, _, url in
      func answer(_ length: Int, _ authorization: String) async throws -> String {
        try await raw(
          "POST /api/v1/photos HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(length)\r\n"
            + "Content-Type: image/jpeg\r\nExpect: 100-continue\r\n\(authorization)\r\n", url)
      }
      #expect(try await answer(8 << 20, "").hasPrefix("HTTP/1.1 401 "))
      let user = try #require(try await service.user("ann")["Authorization"])
      let header = "Authorization: \(user)\r\n"
      #expect(try await answer(100 << 20, header).hasPrefix("HTTP/1.1 413 "))
      #expect(try await answer(1 << 20, header).hasPrefix("HTTP/1.1 100 "))
    }
  }

  @Test("who sends without asking is answered in the middle of the body")
  func unasked() async throws {
    try await withOpenService { service, client, url in
      let anonymous: HTTPHeaders = ["Content-Type": "image/jpeg"]
      let refused = try await post(60 << 20, anonymous, client, url)
      #expect(refused.status == 401 && refused.sent < 60 << 20)
      #expect(try Folder(service.spoolFolder).names().isEmpty)
    }
  }

  @Test("both a length and chunks, paths with NULs and foreign methods end at the door")
  func strictness() async throws {
    try await withOpenService { service, client, url in
      for request in [
        "GET /%00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /photos/%2e%2e%00/full.jpg HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "POST /index.php HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n"
          + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
      ] {
        let answer = try await raw(request, url)
        #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer.prefix(100))")
        // Of a missing Host libmicrohttpd tells itself.
        #expect(answer.contains("{\"error\":{\"code\":") || answer.contains("lacked such"))
      }
      #expect(try await raw("BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n", url).contains(" 501 "))
      let trace = try await raw("TRACE / HTTP/1.1\r\nHost: localhost\r\n\r\n", url)
      #expect(trace.hasPrefix("HTTP/1.1 405 ") && !trace.contains("TRACE / "))
    }
  }

  @Test("thumbnails come from memory in the same words as from the library")
  func thumbnails() async throws {
    try await withOpenService { service, client, url in
      _ = try await service.user("ann")
      let photo = try await service.photo(by: "ann")
      let address = url.appending("photos", photo.id.description, "thumb.jpg")
      var answers: [(HTTPHeaders, [UInt8])] = []
      for _ in 0..<3 {
        let response = try await client.send(HTTPClientRequest(.get, address))
        var headers = response.headers
        headers["Date"] = nil
        answers.append((headers, try await response.bytes()))
      }
      #expect(answers[1].1 == answers[0].1 && answers[2].1 == answers[0].1)
      #expect(answers[1].0 == answers[0].0 && answers[2].0 == answers[0].0)
      _ = try await service.library.remove(photo.id, by: "ann")
      let gone = try await client.send(HTTPClientRequest(.get, address))
      #expect(gone.status == 404)
    }
  }

  @Test("event streams end when the server stops, and so does the server")
  func draining() async throws {
    try await withOpenService { service, client, url in
      let response = try await client.send(
        HTTPClientRequest(.get, url.appending("api", "v1", "events")))
      var body = response.body.makeAsyncIterator()
      _ = try await body.next()
      let start = ContinuousClock.now
      await service.server.stop(draining: .seconds(30))
      while try await body.next() != nil {}
      #expect(.now - start < .seconds(20))
    }
  }

  @Test("an upload that is cut off leaves nothing")
  func cutOff() async throws {
    try await withOpenService { service, client, url in
      var user = try await service.user("ann")
      user["Content-Type"] = "image/jpeg"
      let file = try PhotoService.picture()
      let (gate, open) = AsyncStream<Void>.makeStream()
      let sending = Task { [user] in
        let body = HTTPBody(length: 1 << 20) {
          open.yield()
          for await _ in AsyncStream<Void>.makeStream().stream {}
          return file
        }
        _ = try await client.send(
          HTTPClientRequest(
            .post, url.appending("api", "v1", "photos"), headers: user, body: .stream(body)))
      }
      for await _ in gate { break }
      sending.cancel()
      _ = try? await sending.value
      while service.server.queue.load.admitted > 0 { try await Task.sleep(for: .milliseconds(5)) }
      #expect(try Folder(service.spoolFolder).names().isEmpty)
      #expect(try await service.library.newest(10).photos.isEmpty)
    }
  }

  @Test("two servers over one database on a third see each other's photos, users and sessions")
  func twoServers() async throws {
    try await withTemporaryDirectory { folder in
      let stores = StoreDirectory(path: folder + "/couch")
      _ = try stores.create("photos")
      _ = try stores.create("_users")
      var options = Listener.Options(stores: stores)
      // The servers are its administrators.
      options.authenticator = nil
      let listener = Listener(options)
      let port = try listener.start()
      let client = try HTTPClient()
      func remote(_ name: String) throws -> RemoteStore {
        RemoteStore(try WebURL("http://127.0.0.1:\(port)/\(name)"), client: client)
      }
      var services: [PhotoService] = []
      for number in 0..<2 {
        let library = try await PhotoLibrary(
          try remote("photos"), users: PhotoUsers(try remote("_users"), rounds: 1))
        var options = PhotoServer.Options(spoolFolder: "\(folder)/spool\(number)")
        options.registration = .open
        services.append(
          PhotoService(
            server: try PhotoServer(library, options), library: library, folder: folder))
      }
      let made = try await services[0].library.store.info()
      #expect(made.documentCount >= 0)
      let user = try await services[0].user("ann")
      let added = try await services[0].upload(try PhotoService.picture(), title: "here", user)
      #expect(added.status == 201, "\(added.text)")
      #expect(try await services[1].send("/api/v1/session", user).json == ["user": ["name": "ann"]])
      let seen = try await services[1].send("/api/v1/photos")
      #expect(seen.json["photos"]?.arrayValue?.first?["id"] == added.json["id"])
      let url = try #require(added.json["thumb"]?["url"]?.stringValue)
      #expect(try await services[1].send(url).bytes == services[0].send(url).bytes)
      let again = try await services[1].upload(try PhotoService.picture(), user)
      #expect(again.status == 200 && again.json["id"] == added.json["id"])
      for service in services { await service.library.close() }
      await listener.stop()
    }
  }

  /// Says something on a connection and gives what comes until it closes.
  private func raw(_ text: String, _ url: WebURL) async throws -> String {
    let port = url.effectivePort
    return try await withCheckedThrowingContinuation { continuation in
      startThread {
        continuation.resume(with: Result { try Self.talk(text, port) })
      }
    }
  }

  private static func talk(_ text: String, _ port: UInt16) throws -> String {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var limit = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(code == 0)
    let bytes = Array(text.utf8)
    _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      answer += buffer[..<count]
      let soFar = String(decoding: answer, as: UTF8.self)
      if soFar.hasPrefix("HTTP/1.1 100 ") || soFar.contains("}\n")
        || soFar.contains("\r\n\r\n") && soFar.contains("Content-Length: 0")
      {
        break
      }
    }
    return String(decoding: answer, as: UTF8.self)
  }
}
