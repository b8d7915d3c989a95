import Core
import HTTP
import Testing

@testable import Photos

/// Which addresses there are, and with which methods.
struct RouteTests {
  static let id = "01" + String(repeating: "0", count: 34)

  @Test(
    "what is no address is 404, whatever its escapes",
    arguments: [
      "/nothing", "/api", "/api/v1", "/api/v2/photos", "/api/v1/photos/x", "/photos",
      "/photos/\(id)", "/photos/\(id)/other.jpg", "/photos/\(id)/thumb.jpg/",
      "/photos/\(id)/..%2ffull.jpg", "/photos/..%2f..%2fetc/passwd/full.jpg",
      "/%70hotos/\(id)/full.jpg",
      "//", "/./health", "/health/", "/a%2f..%2fhealth", "/..%2f..%2fetc%2fpasswd", "/p/..%2f",
      "/upload/0.jpg", "/upload/7.png", "/upload/-7.jpg", "/upload/99999999999.jpg",
      "/upload/07.jpg", "/assets/..%2fapp.js", "/assets/", "/index.php/x", "/api/v1/photos/sent/00",
    ])
  func unknown(path: String) async throws {
    try await withPhotoService { service async throws in
      let answer = try await service.send(.get, path)
      #expect(answer.status == 404 && answer.code == "not_found")
    }
  }

  @Test("a NUL and a broken escape in a path are refused by the server before any route")
  func malformed() {
    for path in ["/%00", "/photos/%00/full.jpg", "/%zz"] {
      #expect(throws: HTTPError.self) { try HTTPRequest(method: .get, target: path) }
    }
  }

  @Test(
    "a wrong method is 405 with the right ones in Allow",
    arguments: [
      ("DELETE", "/", "GET, HEAD, OPTIONS"), ("PUT", "/api/v1/photos", "GET, HEAD, POST, OPTIONS"),
      ("GET", "/api/v1/login", "POST, OPTIONS"), ("GET", "/index.php", "POST, OPTIONS"),
      ("POST", "/api/v1/photos/\(id)", "GET, HEAD, DELETE, OPTIONS"),
      ("TRACE", "/health", "GET, HEAD, OPTIONS"), ("POST", "/feed.xml", "GET, HEAD, OPTIONS"),
      ("PATCH", "/api/v1/tokens/1", "DELETE, OPTIONS"),
    ])
  func method(method: String, path: String, allowed: String) async throws {
    try await withPhotoService { service async throws in
      let answer = try await service.send(HTTPMethod(rawValue: method), path)
      #expect(answer.status == 405 && answer.headers["Allow"] == allowed)
      #expect(answer.code == "method_not_allowed")
      let options = try await service.send(.options, path)
      #expect(options.status == 204 && options.headers["Allow"] == allowed)
    }
  }

  @Test("the tutorial's addresses lie below its base path, all others do not")
  func tutorialPath() async throws {
    try await withPhotoService {
      $0.tutorialPath = ["api", "iReporter"]
    } _: { service async throws in
      #expect(try await service.send(.get, "/api/iReporter/index.php").status == 405)
      #expect(try await service.send(.get, "/index.php").status == 404)
      #expect(try await service.send(.get, "/api/v1/info").status == 200)
      #expect(try await service.send(.get, "/api/iReporter/health").status == 404)
    }
  }

  @Test(
    "every answer says how a browser may use it, whatever it is",
    arguments: [
      "/", "/p/x", "/u/ann", "/nothing", "/api/v1/info", "/api/v1/photos", "/api/v1/tokens",
      "/metrics", "/feed.xml", "/feed.json", "/assets/app.js", "/assets/none", "/health",
      "/photos/\(id)/full.jpg", "/index.php", "/api/v1/openapi.json",
    ])
  func headers(path: String) async throws {
    try await withPhotoService { service in
      for headers: HTTPHeaders in [[:], ["Accept": "text/html"], ["Host": "evil.example"]] {
        let answer = try await service.send(path, headers)
        let fields = answer.headers
        #expect(
          fields["X-Content-Type-Options"] == "nosniff" && fields["X-Frame-Options"] == "DENY")
        let policy = try #require(fields["Content-Security-Policy"])
        #expect(policy.hasPrefix("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
        #expect(!policy.contains("unsafe") && fields["Cross-Origin-Resource-Policy"] != nil)
        #expect(fields["Cache-Control"] != nil && fields["Content-Type"] != nil)
        #expect(fields.values(of: "Content-Security-Policy").count == 1)
      }
    }
  }

  @Test("the description names just the routes that are answered")
  func openAPI() async throws {
    try await withPhotoService { service in
      let answer = try await service.send(.get, "/api/v1/openapi.json")
      let paths = try #require(answer.json["paths"]?.objectValue)
      #expect(paths.count > 12)
      for (path, item) in paths {
        let target = path.replacing("{id}.jpg", with: "x").replacing("{size}", with: "thumb")
          .replacing("{sha256}", with: String(repeating: "0", count: 64))
          .replacing("{name}", with: "ann").replacing("{id}", with: Self.id)
        let route = try #require(
          PhotoRoute(try HTTPRequest(method: .get, target: target)), "\(path)")
        let methods = Set(route.methods).subtracting([.head, .options])
        let named = (item.objectValue?.keys ?? []).filter { $0 != "parameters" }
        #expect(Set(named.map { HTTPMethod(rawValue: $0.uppercased()) }) == methods, "\(path)")
      }
    }
  }

  @Test("every reference of the description leads somewhere")
  func references() throws {
    let text = OpenAPIDescription(PhotoServer.Options(spoolFolder: "/x")).text
    let json = try JSON(parsing: text)
    for part in text.split(separator: "\"$ref\":\"#/").dropFirst() {
      var place: JSON? = json
      for word in part.prefix(while: { $0 != "\"" }).split(separator: "/") {
        place = place?[String(word)]
      }
      #expect(place != nil, "\(part.prefix(40))")
    }
  }
}
