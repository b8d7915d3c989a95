import Core
import HTTP
import Synchronization
import TestSupport
import Testing

@testable import Photos

/// Answers as a photo server does, from a script.
private final class FakeServer: Sendable {
  struct Seen: Sendable {
    var line: String
    var bearer: String?
    var lastEvent: String?
    var body: Int
  }

  let seen = Mutex<[Seen]>([])
  let photo: Photo
  let sent: [UInt8]

  init(photo: Photo, sent: [UInt8]) {
    self.photo = photo
    self.sent = sent
  }

  func answer(_ request: HTTPRequest) async -> HTTPResponse {
    let line = "\(request.method.rawValue) \(request.path)"
    var entry = Seen(
      line: line, bearer: request.headers["Authorization"],
      lastEvent: request.headers["Last-Event-ID"], body: 0)
    let isRefused = request.query["title"] == "refuse"
    if !isRefused { entry.body = (try? await request.body.collect(upTo: 1 << 20).count) ?? -1 }
    let index = seen.withLock { seen in
      seen.append(entry)
      return seen.filter { $0.line == line }.count
    }
    switch line {
    case "GET /api/v1/info":
      return json(["name": "Holiday", "version": "1", "registration": "open", "private": true])
    case "POST /api/v1/login": return json(["user": ["name": "ann"], "token": "tote_x.y"])
    case "GET /api/v1/photos":
      let next: JSON = request.query["before"] == nil ? .string(photo.id.description) : .null
      return json(["photos": [photo.json()], "next": next])
    case "GET /api/v1/photos/\(photo.id)": return json(photo.json())
    case "GET /api/v1/photos/sent/\(hexadecimal(digest(sent)))": return json(photo.json())
    case "DELETE /api/v1/photos/\(photo.id)": return HTTPResponse(status: 204)
    case "GET /photos/\(photo.id)/full.jpg": return HTTPResponse(body: [1, 2, 3])
    case "POST /api/v1/photos":
      if isRefused { return error(413, "too_many_bytes", "larger than the limit of 64 MB") }
      var json = photo.json()
      json["duplicate"] = false
      return self.json(json, status: 201)
    case "GET /api/v1/events": return events(index)
    case "GET /api/v1/session": return HTTPResponse(status: 502, text: "<html>bad gateway</html>")
    default: return error(404, "not_found", "there is no such thing")
    }
  }

  /// Each connection brings one event and breaks; the third is refused.
  private func events(_ index: Int) -> HTTPResponse {
    guard index < 3 else { return error(401, "unauthorized", "log in first") }
    let text =
      index == 1
      ? ": beat\nretry: 1\n\nid: \(photo.id)\nevent: added\ndata: \(photo.json())\n\n"
      : "event: removed\ndata: {\"id\":\"\(photo.id)\"}\n\nevent: other\ndata: 1\n\n"
    var response = HTTPResponse(body: Array(text.utf8))
    response.headers["Content-Type"] = "text/event-stream"
    return response
  }

  private func json(_ json: JSON, status: Int = 200) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: ["Content-Type": "application/json"], body: json.serializedBytes())
  }

  private func error(_ status: Int, _ code: String, _ message: String) -> HTTPResponse {
    var response = json(
      ["error": ["code": .string(code), "message": .string(message)]], status: status)
    if status == 413 { response.headers["Retry-After"] = "7" }
    return response
  }
}

struct PhotoServerClientTests {
  private func withServer(
    _ body: (PhotoServerClient, FakeServer) async throws -> Void
  ) async throws {
    let photo = Photo(
      id: PhotoID.make(at: 1_800_000_000_000), number: 7, title: "Ä <b>", user: "ann", width: 30,
      height: 20, created: PhotoDocument.timestamp(1_800_000_000_000),
      taken: "2026-11-30T12:00:00", placeholder: [1, 2, 3], notes: [.damaged],
      pictures: [
        .full: Photo.Picture(length: 3, digest: ""), .thumb: Photo.Picture(length: 2, digest: ""),
      ])
    let fake = FakeServer(photo: photo, sent: Array("known".utf8))
    let server = try HTTPServer { await fake.answer($0) }
    let url = try WebURL("http://someone:secret@127.0.0.1:\(server.port)/")
    do {
      try await body(PhotoServerClient(url, client: try HTTPClient()), fake)
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
  }

  @Test("photos come back as they were told, page by page")
  func reading() async throws {
    try await withServer { client, fake in
      #expect(client.url.user == nil)
      let info = try await client.info()
      #expect(info.name == "Holiday" && info.isPrivate && info.registration == "open")
      let page = try await client.newest(1)
      #expect(page.photos == [fake.photo] && page.next == fake.photo.id)
      let second = try await client.newest(1, before: page.next, by: "ann")
      #expect(second.next == nil)
      #expect(try await client.photo(fake.photo.id) == fake.photo)
      #expect(try await client.photo(PhotoID.make(at: 1)) == nil)
      for size in [PictureSize.full, .view] {
        let body = try #require(try await client.pictureBody(size, of: fake.photo.id))
        #expect(try await body.collect(upTo: 10) == [1, 2, 3])
      }
      #expect(try await client.remove(fake.photo.id))
      #expect(try await !client.remove(PhotoID.make(at: 1)))
    }
  }

  @Test("after a login its token goes with every request")
  func login() async throws {
    try await withServer { client, fake in
      _ = try await client.info()
      #expect(try await client.logIn("ann", password: "correct horse") == "tote_x.y")
      _ = try await client.info()
      let bearers = fake.seen.withLock { $0.map(\.bearer) }
      #expect(bearers == [nil, nil, "Bearer tote_x.y"])
    }
  }

  @Test("a file that the server has is not sent again, another is")
  func adding() async throws {
    try await withServer { client, fake in
      try await withTemporaryDirectory { path in
        try writeBytes(fake.sent, to: "\(path)/known.jpg")
        try writeBytes([1, 2, 3, 4], to: "\(path)/new.jpg")
        let known = try await client.add(file: "\(path)/known.jpg", title: "x")
        #expect(known.isDuplicate && known.photo == fake.photo)
        let new = try await client.add(file: "\(path)/new.jpg", title: "ä & ?")
        #expect(!new.isDuplicate)
        let posts = fake.seen.withLock { $0.filter { $0.line.hasPrefix("POST") } }
        #expect(posts.map(\.body) == [4])
        await #expect(
          throws: PhotoServerError.refused(
            status: 413, code: "too_many_bytes", message: "larger than the limit of 64 MB",
            retryAfter: 7)
        ) { try await client.add(file: "\(path)/new.jpg", title: "refuse") }
        await #expect(throws: PhotoServerError.self) {
          try await client.add(file: "\(path)/none.jpg", title: "")
        }
        await #expect(throws: PhotoServerError.self) {
          try await client.add(file: "\(path)", title: "")
        }
      }
    }
  }

  @Test("an answer that is no photo server's is named by its status")
  func stranger() async throws {
    try await withServer { client, _ in
      await #expect(
        throws: PhotoServerError.refused(
          status: 502, code: "http_502", message: "the server answered with status 502",
          retryAfter: nil)
      ) { try await client.user() }
    }
  }

  @Test("an event stream that breaks goes on after the last event, and ends when it is refused")
  func events() async throws {
    try await withServer { client, fake in
      var events = client.events().makeAsyncIterator()
      #expect(try await events.next() == .added(fake.photo))
      #expect(try await events.next() == .removed(fake.photo.id))
      do {
        _ = try await events.next()
        Issue.record("no refusal")
      } catch let error as PhotoServerError {
        #expect(error.code == "unauthorized")
      }
      let last = fake.seen.withLock { $0.map(\.lastEvent) }
      let id = fake.photo.id.description
      #expect(last == [nil, id, id])
    }
  }
}
