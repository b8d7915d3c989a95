import Core
import HTTP
import Testing

@testable import Photos

/// Pictures over HTTP: immutable, revalidated, in parts, shared with other sites.
struct PictureAnswerTests {
  @Test("each size is a picture that may be kept for ever, under a strong tag")
  func headers() async throws {
    try await withPhotoService { service in
      _ = try await service.user("ann")
      let photo = try await service.photo(by: "ann")
      for size in PictureSize.allCases {
        let answer = try await service.send("/photos/\(photo.id)/\(size.attachmentName)")
        #expect(answer.status == 200 && answer.headers["Content-Type"] == "image/jpeg")
        #expect(answer.bytes.count == Int(try #require(photo.picture(size)).length))
        #expect(answer.headers["Cache-Control"] == "public, max-age=31536000, immutable")
        #expect(answer.headers["ETag"]?.first == "\"")
        #expect(answer.headers["X-Content-Type-Options"] == "nosniff")
        #expect(answer.headers["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
        #expect(answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin")
        #expect(answer.headers["Access-Control-Allow-Origin"] == "*")
        #expect(answer.headers["Access-Control-Allow-Credentials"] == nil)
        expectBarePicture(answer.bytes, "\(size)")
      }
    }
  }

  @Test("a known tag is 304 without a body, another one 200; HEAD is as GET")
  func revalidation() async throws {
    try await withPhotoService { service in
      _ = try await service.user("ann")
      let path = "/photos/\(try await service.photo(by: "ann").id)/full.jpg"
      let first = try await service.send(path)
      let tag = try #require(first.headers["ETag"])
      for known in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
        let answer = try await service.send(path, ["If-None-Match": known])
        #expect(answer.status == 304 && answer.bytes.isEmpty && answer.headers["ETag"] == tag)
      }
      #expect(try await service.send(path, ["If-None-Match": "\"x\""]).bytes == first.bytes)
      let head = try await service.send(.head, path)
      #expect(head.status == 200 && head.headers["ETag"] == tag)
    }
  }

  @Test("a range is answered with just its bytes, from memory and from a file")
  func ranges() async throws {
    try await withPhotoService { service in
      _ = try await service.user("ann")
      let photo = try await service.photo(by: "ann")
      for size in PictureSize.allCases {
        let path = "/photos/\(photo.id)/\(size.attachmentName)"
        let all = try await service.send(path)
        let count = all.bytes.count
        let part = try await service.send(path, ["Range": "bytes=10-19"])
        #expect(part.status == 206 && part.bytes == Array(all.bytes[10..<20]))
        #expect(part.headers["Content-Range"] == "bytes 10-19/\(count)")
        let tail = try await service.send(path, ["Range": "bytes=-5"])
        #expect(tail.bytes == Array(all.bytes.suffix(5)))
        let past = try await service.send(path, ["Range": "bytes=\(count)-"])
        #expect(past.status == 416 && past.headers["Content-Range"] == "bytes */\(count)")
        let stale = try await service.send(path, ["Range": "bytes=0-1", "If-Range": "\"x\""])
        #expect(stale.status == 200 && stale.bytes == all.bytes)
      }
    }
  }

  @Test("a browser that asks for another site may read, and nothing else")
  func preflight() async throws {
    try await withPhotoService { service in
      let id = RouteTests.id
      for path in ["/photos/\(id)/thumb.jpg", "/api/v1/photos", "/feed.json"] {
        let answer = try await service.send(
          .options, path,
          ["Origin": "https://other.example", "Access-Control-Request-Method": "POST"])
        #expect(answer.headers["Access-Control-Allow-Origin"] == "*")
        #expect(answer.headers["Access-Control-Allow-Methods"] == "GET, HEAD")
        let allowed = answer.headers["Access-Control-Allow-Headers"] ?? ""
        #expect(!allowed.contains("Authorization") && !allowed.contains("X-Tote"))
      }
      for path in ["/api/v1/session", "/api/v1/login", "/api/v1/tokens", "/index.php", "/"] {
        let answer = try await service.send(
          .options, path,
          ["Origin": "https://other.example", "Access-Control-Request-Method": "POST"])
        #expect(answer.headers["Access-Control-Allow-Origin"] == nil, "\(path)")
      }
      // An answer for somebody is for nobody else.
      let user = try await service.user("ann")
      let answer = try await service.send("/api/v1/photos", user)
      #expect(answer.headers["Access-Control-Allow-Origin"] == nil)
    }
  }

  @Test("a private library shows nothing to who has not logged in, and shares with nobody")
  func privacy() async throws {
    try await withPhotoService {
      $0.isPrivate = true
    } _: { service in
      let user = try await service.user("ann")
      let photo = try await service.photo(title: "secret title", by: "ann")
      let paths = [
        "/photos/\(photo.id)/full.jpg", "/photos/\(photo.id)/thumb.jpg", "/api/v1/photos",
        "/api/v1/photos/\(photo.id)", "/api/v1/users/ann/photos", "/feed.xml", "/feed.json",
        "/api/v1/events", "/upload/\(photo.number).jpg",
      ]
      for path in paths {
        let answer = try await service.send(path)
        #expect(answer.status == 401 && answer.code == "unauthorized", "\(path)")
        #expect(answer.headers["Access-Control-Allow-Origin"] == nil)
      }
      for path in ["/", "/p/\(photo.id)", "/u/ann"] {
        let page = try await service.send(path)
        #expect(!page.text.contains("secret title") && !page.text.contains("/photos/\(photo.id)"))
      }
      let picture = try await service.send(paths[0], user)
      #expect(picture.status == 200)
      #expect(picture.headers["Cache-Control"] == "private, max-age=31536000, immutable")
      #expect(picture.headers["Cross-Origin-Resource-Policy"] == "same-origin")
      let stream = try await service.send(
        .post, "/index.php", ["Content-Type": "application/x-www-form-urlencoded"],
        body: HTTPBody("command=stream"))
      #expect(stream.json["error"] == "Authorization required")
    }
  }

  @Test("after a photo is removed its pictures are gone at once, also those kept in memory")
  func removal() async throws {
    try await withPhotoService { service in
      let user = try await service.user("ann")
      let photo = try await service.photo(by: "ann")
      let path = "/photos/\(photo.id)/thumb.jpg"
      #expect(try await service.send(path).status == 200)
      #expect(service.server.immediateAnswer(try request(path)) != nil)
      #expect(try await service.send(.delete, "/api/v1/photos/\(photo.id)", user).status == 204)
      #expect(service.server.immediateAnswer(try request(path)) == nil)
      #expect(try await service.send(path).status == 404)
      #expect(try await service.send("/upload/\(photo.number).jpg").status == 404)
      #expect(try await service.send("/feed.xml").text.contains("\(photo.id)") == false)
    }
  }

  @Test("an answer from memory is the same as any other, and only for plain requests")
  func immediate() async throws {
    try await withPhotoService { service in
      _ = try await service.user("ann")
      let path = "/photos/\(try await service.photo(by: "ann").id)/thumb.jpg"
      #expect(service.server.immediateAnswer(try request(path)) == nil, "nothing is in memory yet")
      let slow = try await service.send(path)
      let fast = try #require(service.server.immediateAnswer(try request(path))).response
      #expect(fast.status == 200 && fast.headers == slow.headers)
      guard case .bytes(let bytes) = fast.body else { throw SomethingElse() }
      #expect(bytes == slow.bytes)
      for field in ["Range", "If-None-Match", "If-Match", "Authorization"] {
        #expect(service.server.immediateAnswer(try request(path, [field: "x"])) == nil)
      }
      #expect(service.server.immediateAnswer(try request(path, ["Host": "evil.example"])) == nil)
    }
  }

  private struct SomethingElse: Error {}

  private func request(_ path: String, _ headers: HTTPHeaders = [:]) throws -> HTTPRequest {
    var headers = headers
    if !headers.contains("Host") { headers["Host"] = "localhost" }
    return try HTTPRequest(method: .get, target: path, headers: headers)
  }
}
