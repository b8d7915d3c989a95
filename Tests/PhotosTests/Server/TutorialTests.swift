import Core
import HTTP
import Testing

@testable import Photos

/// The tutorial's phone app, call by call as it makes them: one address, form data or urlencoded, a
/// cookie, and pictures by number.
struct TutorialTests {
  /// What the app keeps between its calls, as AFNetworking and the system's cookie store do.
  private actor App {
    let service: PhotoService
    let isMultipart: Bool
    let base: String
    var cookie: String?

    init(_ service: PhotoService, isMultipart: Bool, base: String = "") {
      self.service = service
      self.isMultipart = isMultipart
      self.base = base
    }

    /// `commandWithParams:`; a picture goes as the part `file`, named `photo.jpg`.
    func command(
      _ fields: KeyValuePairs<String, String>, file: [UInt8]? = nil
    ) async throws -> JSON {
      var headers: HTTPHeaders = [
        "User-Agent": "iReporter/1.0 (iPhone; iOS 6.0; Scale/2.00)", "Accept-Language": "en",
        "Accept": "*/*",
      ]
      if let cookie { headers["Cookie"] = cookie }
      let body: HTTPBody
      if isMultipart || file != nil {
        var form = FormFixture(fields)
        if let file { form.add(file: file, named: "photo.jpg") }
        headers["Content-Type"] = form.contentType
        body = HTTPBody(form.bytes)
      } else {
        headers["Content-Type"] = "application/x-www-form-urlencoded; charset=utf-8"
        body = HTTPBody(HTTPQuery(fields.map { ($0.key, $0.value) }).encoded)
      }
      let answer = try await service.send(.post, "\(base)/index.php", headers, body: body)
      #expect(answer.status == 200)
      #expect(answer.headers["Content-Type"] == "application/json")
      if let set = answer.cookie { cookie = set }
      return answer.bytes.isEmpty ? .null : answer.json
    }

    /// `urlForImageWithId:isThumb:`.
    func image(_ id: Int32, isThumb: Bool) async throws -> PhotoService.Answer {
      try await service.send("\(base)/upload/\(id)\(isThumb ? "-thumb" : "").jpg")
    }
  }

  /// What the app sends as a password: a salted SHA-1 in hexadecimal.
  private static let password = "0beec7b5ea3f0fdbc95d0dd47f3c5bc275da8a33"

  @Test(
    "the app registers, uploads, shows the stream, a photo and its title", arguments: [true, false])
  func story(isMultipart: Bool) async throws {
    try await withPhotoService { service in
      let app = App(service, isMultipart: isMultipart)
      let made = try await app.command([
        "command": "register", "username": "ann", "password": Self.password,
      ])
      #expect(made == ["result": [["IdUser": "1", "username": "ann"]]])
      #expect(try await app.command(["command": "stream"]) == ["result": []])
      let sent = try await app.command(
        ["command": "upload", "title": "my cat"], file: try PhotoService.picture())
      #expect(sent == ["successful": 1])

      let stream = try await app.command(["command": "stream"])
      let row = try #require(stream["result"]?.arrayValue?.first?.objectValue)
      #expect(row.keys == ["IdPhoto", "title", "IdUser", "username"])
      #expect(row["title"] == "my cat" && row["IdUser"] == "1" && row["username"] == "ann")
      let number = try #require(row["IdPhoto"]?.stringValue.flatMap { Int32($0) })
      for isThumb in [true, false] {
        let image = try await app.image(number, isThumb: isThumb)
        #expect(image.status == 200 && image.headers["Content-Type"] == "image/jpeg")
        expectBarePicture(image.bytes, "\(isThumb)")
      }
      let one = try await app.command(["command": "stream", "IdPhoto": "\(number)"])
      #expect(one == ["result": [.object(row)]])
      #expect(try await app.command(["command": "logout"]) == .null)
      let after = try await app.command(
        ["command": "upload", "title": "x"], file: try PhotoService.picture(1))
      #expect(after == ["error": "Authorization required"])
    }
  }

  @Test("errors have the tutorial's words and status 200")
  func errors() async throws {
    try await withPhotoService { service in
      let app = App(service, isMultipart: true)
      let credentials: KeyValuePairs = [
        "command": "register", "username": "ann", "password": Self.password,
      ]
      _ = try await app.command(credentials)
      #expect(try await app.command(credentials) == ["error": "Username already exists"])
      let bad = try await app.command(["command": "register", "username": "a b", "password": "x"])
      #expect(bad == ["error": "Registration failed"])
      let wrong = try await app.command(["command": "login", "username": "ann", "password": "x"])
      #expect(wrong == ["error": "Authorization failed"])
      let login = try await app.command([
        "command": "login", "username": "ann", "password": Self.password,
      ])
      #expect(login == ["result": [["IdUser": "1", "username": "ann"]]])
      let php = try await app.command(
        ["command": "upload", "title": "x"], file: Array("<?php evil();".utf8))
      #expect(php == ["error": "Upload malfunction"])
      #expect(try await app.command(["command": "upload"]) == ["error": "Upload malfunction"])
      let none = try await app.command(["command": "stream", "IdPhoto": "12345"])
      #expect(none == ["result": []])
      let text = try await app.command(["command": "stream", "IdPhoto": "7' OR '1'='1"])
      #expect(text == ["result": []])
      #expect(try await app.command(["command": "drop"]) == ["error": "Unknown command"])
    }
  }

  @Test("a picture without a login is refused before it is sent")
  func unauthorized() async throws {
    try await withPhotoService { service in
      let body = HTTPBody(length: 5_000_000) {
        Issue.record("the body was read")
        return nil
      }
      let answer = try await service.send(
        .post, "/index.php", ["Content-Type": FormFixture().contentType], body: body)
      #expect(answer.status == 200 && answer.json == ["error": "Authorization required"])
    }
  }

  @Test("the base path of the app goes before all of its addresses")
  func base() async throws {
    try await withPhotoService {
      $0.tutorialPath = ["iReporter"]
    } _: { service in
      let app = App(service, isMultipart: true, base: "/iReporter")
      _ = try await app.command([
        "command": "register", "username": "ann", "password": Self.password,
      ])
      _ = try await app.command(
        ["command": "upload", "title": ""], file: try PhotoService.picture())
      let number = try #require(try await service.library.newest(1).photos.first).number
      #expect(try await app.image(number, isThumb: true).status == 200)
    }
  }

  @Test("the stream is the newest 50, newest first, and their numbers cannot be walked")
  func newest() async throws {
    try await withPhotoService { service in
      _ = try await service.user("ann")
      var numbers: [Int32] = []
      for number in 0..<52 { numbers.append(try await service.photo(number, by: "ann").number) }
      let stream = try await App(service, isMultipart: false).command(["command": "stream"])
      let rows = try #require(stream["result"]?.arrayValue)
      #expect(rows.map { $0["IdPhoto"] } == numbers.reversed().prefix(50).map { .string("\($0)") })
      #expect(zip(numbers, numbers.dropFirst()).contains { abs(Int($0) - Int($1)) > 1000 })
    }
  }
}
