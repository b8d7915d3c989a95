import Core
import HTTP
import Testing

@testable import Photos

/// Requests that are not what they seem: of other sites' pages, by wrong names, through proxies.
struct ForgeryTests {
  @Test("a change with a cookie needs the header that no form can send")
  func header() async throws {
    try await withPhotoService { service in
      var browser = try await service.browser("ann")
      browser["X-Tote"] = nil
      let photo = try await service.photo(by: "ann")
      let path = "/api/v1/photos/\(photo.id)"
      #expect(try await service.send(.delete, path, browser).code == "header_missing")
      #expect(try await service.send(.post, "/api/v1/logout", browser).code == "header_missing")
      let token = try await service.post(
        "/api/v1/tokens", ["label": "x", "scope": "full"], browser)
      #expect(token.code == "header_missing")
      let upload = try await service.upload(try PhotoService.picture(1), browser)
      #expect(upload.code == "header_missing")
      browser["X-Tote"] = "1"
      #expect(try await service.send(.delete, path, browser).status == 204)
    }
  }

  @Test(
    "a change that comes from another site's page is refused",
    arguments: [
      ["Origin": "https://evil.example"], ["Origin": "null"], ["Origin": "http://127.0.0.1:9"],
      ["Origin": "http://127.0.0.1:8080.evil.example"], ["Sec-Fetch-Site": "cross-site"],
      ["Sec-Fetch-Site": "same-site"], ["Referer": "https://evil.example/x?127.0.0.1:8080"],
    ] as [[String: String]])
  func origin(headers: [String: String]) async throws {
    try await withPhotoService { service in
      let foreign = HTTPHeaders(headers.map { ($0.key, $0.value) })
      var browser = try await service.browser("ann")
      for field in foreign { browser[field.name] = field.value }
      for path in ["/api/v1/logout", "/api/v1/photos", "/api/v1/tokens"] {
        let answer = try await service.send(.post, path, browser)
        #expect(answer.status == 403 && answer.code == "foreign_origin", "\(path)")
      }
      let login = try await service.post(
        "/api/v1/login", ["username": "ann", "password": "correct horse"], foreign)
      #expect(login.code == "foreign_origin" && login.headers["Set-Cookie"] == nil)
      var form = foreign
      form["Content-Type"] = "application/x-www-form-urlencoded"
      let tutorial = try await service.send(
        .post, "/index.php", form, body: HTTPBody("command=stream"))
      #expect(tutorial.status == 403 && tutorial.json["error"] != nil)
    }
  }

  @Test("the page's own requests go through")
  func ownOrigin() async throws {
    try await withPhotoService { service in
      var browser = try await service.browser("ann")
      browser["Origin"] = "http://127.0.0.1:8080"
      browser["Sec-Fetch-Site"] = "same-origin"
      browser["Referer"] = "http://127.0.0.1:8080/u/ann?x#y"
      #expect(try await service.upload(try PhotoService.picture(), browser).status == 201)
    }
  }

  @Test(
    "names that are not ours are refused: a page may have made one point here",
    arguments: [
      "evil.example", "evil.example:8080", "127.0.0.1.evil.example", "photos.example.org",
    ])
  func rebinding(host: String) async throws {
    try await withPhotoService {
      $0.hosts = ["photos.example"]
    } _: { service in
      let answer = try await service.send("/api/v1/photos", ["Host": host])
      #expect(answer.status == 421 && answer.code == "wrong_host")
    }
  }

  @Test(
    "our names are answered to",
    arguments: [
      "127.0.0.1", "127.0.0.1:1", "[::1]:8080", "192.0.2.9", "localhost", "LOCALHOST:80",
      "Photos.Example:8080", "photos.example.",
    ])
  func ownNames(host: String) async throws {
    try await withPhotoService {
      $0.hosts = ["photos.example"]
    } _: { service async throws in
      #expect(try await service.send("/api/v1/info", ["Host": host]).status == 200)
    }
  }

  @Test("X-Forwarded-For counts from a proxy that was named, and then only its last part")
  func forwarded() {
    func address(_ trusted: [String], _ header: String, peer: String = "127.0.0.1") -> String? {
      let request = try? HTTPRequest(
        method: .get, target: "/", headers: ["Host": "x", "X-Forwarded-For": header], peer: peer)
      return request.map { ProxyRules(trusted).origin(of: $0).address }
    }
    #expect(address([], "203.0.113.5") == "127.0.0.1")
    #expect(address(["127.0.0.1"], "203.0.113.5") == "203.0.113.5")
    #expect(address(["127.0.0.1"], "203.0.113.5", peer: "192.0.2.1") == "192.0.2.1")
    #expect(address(["127.0.0.1"], "6.6.6.6, 203.0.113.5") == "203.0.113.5")
    #expect(address(["127.0.0.1", "10.0.0.1"], "203.0.113.5, 10.0.0.1") == "203.0.113.5")
    #expect(address(["127.0.0.1"], "2001:db8::5") == "2001:db8::5")
    for wrong in ["", "x", "<script>", "203.0.113.5:99", "unknown"] {
      #expect(address(["127.0.0.1"], wrong) == "127.0.0.1", "\(wrong)")
    }
  }

  @Test("nobody escapes the login throttle by inventing an address")
  func throttleBehindNothing() async throws {
    try await withPhotoService { service in
      var last = 0
      for index in 0..<12 {
        last = try await service.post(
          "/api/v1/login", ["username": .string("u\(index)"), "password": "wrong one"],
          ["X-Forwarded-For": "203.0.113.\(index)"]
        ).status
      }
      #expect(last == 429)
    }
  }

  @Test("behind a proxy its Host, scheme and client count")
  func proxied() async throws {
    try await withPhotoService {
      $0.trustedProxies = ["10.0.0.1"]
      $0.hosts = ["photos.example"]
    } _: { service in
      let headers: HTTPHeaders = [
        "Host": "127.0.0.1:8080", "X-Forwarded-Host": "photos.example",
        "X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.5",
        "Origin": "https://photos.example",
      ]
      let answer = try await service.post(
        "/api/v1/register", ["username": "ann", "password": "correct horse"], headers,
        peer: "10.0.0.1")
      #expect(answer.status == 201)
      #expect(answer.headers["Set-Cookie"]?.contains("; Secure") == true)
      let feed = try await service.send("/feed.json", headers, peer: "10.0.0.1")
      #expect(feed.json["home_page_url"] == "https://photos.example/")
      var evil = headers
      evil["X-Forwarded-Host"] = "evil.example"
      #expect(try await service.send("/feed.json", evil, peer: "10.0.0.1").status == 421)
    }
  }

  @Test("metrics are for this machine, and not for what a proxy on it hands on")
  func metrics() async throws {
    try await withPhotoService { service in
      #expect(try await service.send("/metrics", peer: "127.0.0.1").status == 200)
      #expect(try await service.send("/metrics", peer: "192.0.2.7").status == 403)
      let forwarded = try await service.send(
        "/metrics", ["X-Forwarded-For": "127.0.0.1"], peer: "127.0.0.1")
      #expect(forwarded.status == 403)
    }
    try await withPhotoService {
      $0.sharesMetrics = true
    } _: { service in
      let answer = try await service.send("/metrics")
      #expect(answer.status == 200 && answer.text.contains("# TYPE tote_photo_uploads_total"))
    }
  }
}
