import Core
import HTTP
import Synchronization
import Testing

@testable import Photos

/// The stream, its pages, feeds and live events.
struct StreamTests {
  // jointakahe/takahe#518: offset pages repeat posts when new ones arrive.
  @Test("jointakahe/takahe#518: pages go on where they ended, whatever comes meanwhile")
  func pages() async throws {
    try await withPhotoService { service in
      _ = try await service.user("ann")
      var ids: [String] = []
      for number in 0..<7 { ids.append(try await service.photo(number, by: "ann").id.description) }
      let first = try await service.send("/api/v1/photos?limit=3")
      _ = try await service.photo(7, by: "ann")
      var seen = try #require(first.json["photos"]?.arrayValue)
      var next = first.json["next"]?.stringValue
      while let cursor = next {
        let page = try await service.send("/api/v1/photos?limit=3&before=\(cursor)")
        seen += try #require(page.json["photos"]?.arrayValue)
        next = page.json["next"]?.stringValue
      }
      #expect(seen.map { $0["id"]?.stringValue } == ids.reversed())
    }
  }

  @Test("a user's own photos, by both addresses")
  func byUser() async throws {
    try await withPhotoService { service in
      for name in ["ann", "bob"] {
        _ = try await service.user(name)
        _ = try await service.photo(title: name, by: name)
      }
      for path in [
        "/api/v1/users/bob/photos", "/api/v1/photos?user=bob", "/api/v1/users/BOB/photos",
      ] {
        let photos = try #require(try await service.send(path).json["photos"]?.arrayValue)
        #expect(photos.map { $0["user"] } == ["bob"])
      }
      #expect(try await service.send("/api/v1/users/nobody/photos").json["photos"] == [])
      #expect(try await service.send("/feed.json?user=bob").json["items"]?.arrayValue?.count == 1)
      #expect(try await service.send("/u/bob").text.contains("bob"))
    }
  }

  @Test(
    "a part of the stream that cannot be is refused",
    arguments: [
      "limit=0", "limit=201", "limit=x", "limit=", "limit=-1", "limit=+5", "limit=9999999999999999",
      "before=x", "before=", "user=", "user=a%20b", "user=%3Cb%3E", "limit=1&limit=2",
    ])
  func badPages(query: String) async throws {
    try await withPhotoService { service in
      let answer = try await service.send("/api/v1/photos?\(query)")
      #expect(answer.status == 400 && answer.code != nil)
    }
  }

  @Test("an answer that did not change is 304, compressed or not; who is logged in keeps nothing")
  func revalidation() async throws {
    try await withPhotoService { service in
      let user = try await service.user("ann")
      for number in 0..<5 { _ = try await service.photo(number, by: "ann") }
      for path in ["/api/v1/photos", "/feed.xml", "/feed.json", "/", "/api/v1/openapi.json"] {
        let plain = try await service.send(path)
        let small = try await service.send(path, ["Accept-Encoding": "gzip"])
        #expect(small.headers["Content-Encoding"] == "gzip", "\(path)")
        #expect(small.bytes.count < plain.bytes.count)
        #expect(small.headers["Vary"]?.contains("Accept-Encoding") == true || path == "/")
        for tag in [plain, small].compactMap(\.headers["ETag"]) {
          #expect(try await service.send(path, ["If-None-Match": tag]).status == 304, "\(path)")
        }
        let personal = try await service.send(path, user)
        #expect(personal.headers["Cache-Control"] == "no-store" && personal.headers["ETag"] == nil)
      }
      let tag = try #require(try await service.send("/feed.xml").headers["ETag"])
      _ = try await service.photo(9, by: "ann")
      #expect(try await service.send("/feed.xml", ["If-None-Match": tag]).status == 200)
    }
  }

  // LycheeOrg/Lychee#39, saimn/sigal#73.
  @Test("LycheeOrg/Lychee#39: feeds tell the newest photos with their pictures and addresses")
  func feeds() async throws {
    try await withPhotoService {
      $0.name = "A & B"
    } _: { service in
      _ = try await service.user("ann")
      let photo = try await service.photo(title: "my cat", by: "ann")
      let rss = try await service.send("/feed.xml", ["Host": "localhost:8080"])
      #expect(rss.headers["Content-Type"] == "application/rss+xml; charset=utf-8")
      for part in [
        "<title>A &amp; B</title>", "<title>my cat</title>", "<dc:creator>ann</dc:creator>",
        "<link>http://localhost:8080/p/\(photo.id)</link>",
        "url=\"http://localhost:8080/photos/\(photo.id)/view.jpg\"",
        "length=\"\(try #require(photo.picture(.view)).length)\"", " GMT</pubDate>",
      ] {
        #expect(rss.text.contains(part), "\(part)")
      }
      let json = try await service.send("/feed.json", ["Host": "localhost:8080"]).json
      #expect(json["version"] == "https://jsonfeed.org/version/1.1" && json["title"] == "A & B")
      let item = json["items"]?.arrayValue?.first
      #expect(item?["id"] == .string("\(photo.id)") && item?["title"] == "my cat")
      #expect(item?["date_published"] == .string(photo.created))
      #expect(item?["url"] == .string("http://localhost:8080/p/\(photo.id)"))
    }
  }

  @Test("photos are told as they come and go, and who comes back is told what was missed")
  func events() async throws {
    try await withPhotoService { service in
      _ = try await service.user("ann")
      let first = try await service.photo(0, by: "ann")
      let second = try await service.photo(1, by: "ann")
      let reader = try await EventReader(service, after: first.id)
      #expect(try await reader.next("id: ").contains(second.id.description))
      let third = try await service.photo(2, title: "a\u{2028}b", by: "ann")
      #expect(try await reader.next("event: ") == "event: added")
      #expect(try await reader.next("id: ").contains(third.id.description))
      let data = try await reader.next("data: ")
      #expect(try JSON(parsing: String(data.dropFirst(6)))["user"] == "ann")
      _ = try await service.library.remove(second.id, by: "ann")
      #expect(try await reader.next("event: ") == "event: removed")
      #expect(try await reader.next("data: ") == "data: {\"id\":\"\(second.id)\"}")
      service.server.streams.endAll()
      await reader.ended()
    }
  }

  @Test("a reader who went away is forgotten")
  func leaving() async throws {
    try await withPhotoService { service in
      let reader = try await EventReader(service, after: nil)
      #expect(
        service.server.metrics.text(queue: (0, 0, 0), connections: 0).contains("event_streams 1"))
      reader.leave()
      await reader.ended()
      #expect(
        service.server.metrics.text(queue: (0, 0, 0), connections: 0).contains("event_streams 0"))
    }
  }

  @Test("the service says what it is and that it is well")
  func service() async throws {
    try await withPhotoService {
      $0.version = "1.2.3"
      $0.photo.limits.bytes = 40_000_000
    } _: { service in
      let info = try await service.send("/api/v1/info")
      #expect(
        info.json == [
          "name": "photos", "version": "1.2.3", "registration": "open", "private": false,
          "max_upload": 40_000_000, "max_pixels": 100_000_000,
        ])
      #expect(try await service.send("/health").json == ["status": "ok"])
    }
  }
}

/// Reads an event stream line by line.
private final class EventReader: Sendable {
  private let task: Task<Void, Never>
  private let lines: AsyncStream<String>
  private let iterator: Mutex<Box>

  private struct Box: @unchecked Sendable { var iterator: AsyncStream<String>.Iterator }

  init(_ service: PhotoService, after last: PhotoID?) async throws {
    var headers: HTTPHeaders = ["Host": "localhost"]
    if let last { headers["Last-Event-ID"] = last.description }
    let response = await service.server.answer(
      try HTTPRequest(method: .get, target: "/api/v1/events", headers: headers))
    #expect(response.headers["Content-Type"] == "text/event-stream")
    let (lines, line) = AsyncStream<String>.makeStream()
    self.lines = lines
    iterator = Mutex(Box(iterator: lines.makeAsyncIterator()))
    guard case .stream(_, let write) = response.body else { throw CancellationError() }
    task = Task {
      try? await write(
        HTTPBodyWriter { bytes in
          for text in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            line.yield(String(text))
          }
        })
      line.finish()
    }
    // The first line comes once everything that happens later is told.
    _ = try await next(":")
  }

  /// The next line that begins so.
  func next(_ prefix: String) async throws -> String {
    var box = iterator.withLock { $0 }
    while let line = await box.iterator.next() {
      if line.hasPrefix(prefix) { return line }
    }
    throw CancellationError()
  }

  func leave() { task.cancel() }
  func ended() async { await task.value }
}
