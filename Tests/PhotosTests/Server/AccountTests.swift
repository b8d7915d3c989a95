import Core
import HTTP
import Testing

@testable import Photos

/// Accounts, sessions and API tokens over HTTP.
struct AccountTests {
  private static let ann: JSON = ["username": "ann", "password": "correct horse"]

  @Test("who registers is logged in by a cookie that scripts and other sites do not get")
  func register() async throws {
    try await withPhotoService { service in
      let answer = try await service.post("/api/v1/register", Self.ann)
      #expect(answer.status == 201 && answer.json == ["user": ["name": "ann"]])
      let cookie = try #require(answer.headers["Set-Cookie"])
      for part in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age="] {
        #expect(cookie.contains(part))
      }
      #expect(!cookie.contains("Secure"))
      let session = try await service.send(
        "/api/v1/session", ["Cookie": try #require(answer.cookie)])
      #expect(session.json == ["user": ["name": "ann"]])
      #expect(session.headers["Cache-Control"] == "no-store")
      #expect(try await service.send("/api/v1/session").json == ["user": .null])
    }
  }

  @Test("over TLS the cookie is for TLS only")
  func secure() async throws {
    try await withPhotoService { service in
      let answer = try await service.send(
        .post, "/api/v1/register", ["Content-Type": "application/json"],
        body: HTTPBody(Self.ann.serialized()), isSecure: true)
      #expect(answer.headers["Set-Cookie"]?.contains("; Secure") == true)
    }
  }

  @Test("every login makes a new session, and ends the one that the browser came with")
  func fixation() async throws {
    try await withPhotoService { service in
      let planted = try #require(try await service.post("/api/v1/register", Self.ann).cookie)
      let second = try #require(
        try await service.post("/api/v1/login", Self.ann, ["Cookie": planted]).cookie)
      #expect(second != planted)
      let old = try await service.send("/api/v1/session", ["Cookie": planted])
      #expect(old.json == ["user": .null])
      let invented = "tote_session=tote_YW5u.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
      let third = try await service.post("/api/v1/login", Self.ann, ["Cookie": invented])
      #expect(third.status == 200 && third.cookie != invented)
    }
  }

  @Test("a token is given instead of a cookie on request, and ends at logout")
  func token() async throws {
    try await withPhotoService { service in
      _ = try await service.post("/api/v1/register", Self.ann)
      var body = Self.ann
      body["token"] = true
      let answer = try await service.post("/api/v1/login", body)
      let token = try #require(answer.json["token"]?.stringValue)
      #expect(answer.headers["Set-Cookie"] == nil)
      let user: HTTPHeaders = ["Authorization": "Bearer \(token)"]
      #expect(try await service.send("/api/v1/session", user).json == ["user": ["name": "ann"]])
      #expect(try await service.send(.post, "/api/v1/logout", user).status == 204)
      #expect(try await service.send("/api/v1/session", user).status == 401)
    }
  }

  @Test("logging out ends the session and clears the cookie")
  func logOut() async throws {
    try await withPhotoService { service in
      let browser = try await service.browser("ann")
      let answer = try await service.send(.post, "/api/v1/logout", browser)
      #expect(answer.status == 204)
      #expect(answer.headers["Set-Cookie"]?.contains("Max-Age=0") == true)
      #expect(try await service.send("/api/v1/session", browser).json == ["user": .null])
    }
  }

  @Test("wrong passwords: the same answer for users who are there and who are not, then 429")
  func bruteForce() async throws {
    try await withPhotoService { service in
      _ = try await service.post("/api/v1/register", Self.ann)
      var answers: [PhotoService.Answer] = []
      for index in 0..<14 {
        let name: JSON = index % 2 == 0 ? "ann" : "nobody"
        answers.append(
          try await service.post("/api/v1/login", ["username": name, "password": "wrong one"]))
        // A right one in between sets nothing back.
        if index == 5 { _ = try await service.post("/api/v1/login", Self.ann) }
      }
      #expect(answers[0].status == 401 && answers[0].bytes == answers[1].bytes)
      let last = try #require(answers.last)
      #expect(last.status == 429 && last.headers["Retry-After"] != nil)
      // From elsewhere the account is still slowed down, others are not.
      let elsewhere = try await service.post("/api/v1/login", Self.ann, peer: "198.51.100.1")
      #expect([200, 429].contains(elsewhere.status))
    }
  }

  @Test("guesses at one account from many addresses are counted together")
  func distributed() async throws {
    try await withPhotoService { service in
      _ = try await service.post("/api/v1/register", Self.ann)
      var statuses: [Int] = []
      for index in 0..<14 {
        statuses.append(
          try await service.post(
            "/api/v1/login", ["username": "ann", "password": "wrong one"],
            peer: "198.51.100.\(index)"
          ).status)
      }
      #expect(statuses.first == 401 && statuses.last == 429)
    }
  }

  @Test("registration is closed unless it is open, or the invitation is right")
  func registration() async throws {
    try await withPhotoService {
      $0.registration = .closed
    } _: { service async throws in
      let answer = try await service.post("/api/v1/register", Self.ann)
      #expect(answer.status == 403 && answer.code == "registration_closed")
      #expect(try await service.send("/api/v1/info").json["registration"] == "closed")
    }
    try await withPhotoService {
      $0.registration = .invite(code: "open sesame")
    } _: { service async throws in
      for invite: JSON in [.null, "", "open", "open sesame "] {
        var body = Self.ann
        body["invite"] = invite
        #expect(try await service.post("/api/v1/register", body).code == "wrong_invite")
      }
      var body = Self.ann
      body["invite"] = "open sesame"
      #expect(try await service.post("/api/v1/register", body).status == 201)
    }
  }

  @Test(
    "names that cannot be are refused, and so are short passwords",
    arguments: [
      ("", "correct horse", "invalid_username"), ("ann lee", "correct horse", "invalid_username"),
      ("<b>", "correct horse", "invalid_username"), ("../ann", "correct horse", "invalid_username"),
      ("é", "correct horse", "invalid_username"), ("ann\0", "correct horse", "invalid_username"),
      (String(repeating: "a", count: 65), "correct horse", "invalid_username"),
      ("ann", "short", "invalid_password"), ("ann", "", "invalid_password"),
    ])
  func names(name: String, password: String, code: String) async throws {
    try await withPhotoService { service in
      let answer = try await service.post(
        "/api/v1/register", ["username": .string(name), "password": .string(password)])
      #expect(answer.status == 400 && answer.code == code)
    }
  }

  @Test("a name is taken once, in whatever case")
  func taken() async throws {
    try await withPhotoService { service in
      _ = try await service.post("/api/v1/register", Self.ann)
      for name: JSON in ["ann", "ANN"] {
        let answer = try await service.post(
          "/api/v1/register", ["username": name, "password": "another one"])
        #expect(answer.status == 409 && answer.code == "user_exists")
      }
    }
  }

  @Test("accounts from one address are limited")
  func registrations() async throws {
    try await withPhotoService {
      $0.rates.registrations = 2
      // The clock stands.
      let now = ContinuousClock.now
      $0.clock = { now }
    } _: { service in
      var statuses: [Int] = []
      for index in 0..<3 {
        statuses.append(
          try await service.post(
            "/api/v1/register", ["username": .string("u\(index)"), "password": "correct horse"]
          ).status)
      }
      #expect(statuses == [201, 201, 429])
    }
  }

  @Test("a token is shown once, is good for its scope only, and cannot make another")
  func tokens() async throws {
    try await withPhotoService { service in
      let user = try await service.user("ann")
      let made = try await service.post(
        "/api/v1/tokens", ["label": "phone", "scope": "upload"], user)
      let id = try #require(made.json["id"]?.stringValue)
      let text = try #require(made.json["token"]?.stringValue)
      #expect(made.status == 201 && made.json["scope"] == "upload")
      let list = try await service.send("/api/v1/tokens", user)
      #expect(list.text.contains(id) && !list.text.contains(text))
      let phone: HTTPHeaders = ["Authorization": "Bearer \(text)"]
      let photo = try await service.upload(try PhotoService.picture(), phone)
      #expect(photo.status == 201)
      let path = "/api/v1/photos/\(try #require(photo.json["id"]?.stringValue))"
      #expect(try await service.send(.delete, path, phone).status == 403)
      for scope: JSON in ["upload", "full"] {
        let body: JSON = ["label": "x", "scope": scope]
        #expect(try await service.post("/api/v1/tokens", body, phone).status == 403)
      }
      let full = try await service.post("/api/v1/tokens", ["label": "all", "scope": "full"], user)
      let all: HTTPHeaders = [
        "Authorization": "Bearer \(try #require(full.json["token"]?.stringValue))"
      ]
      #expect(
        try await service.post("/api/v1/tokens", ["label": "x", "scope": "full"], all).status == 403
      )
      #expect(try await service.send(.delete, "/api/v1/tokens/\(id)", all).status == 403)
      #expect(try await service.send(.delete, path, all).status == 204)
      #expect(try await service.send(.delete, "/api/v1/tokens/\(id)", user).status == 204)
      #expect(try await service.send("/api/v1/session", phone).status == 401)
      // Somebody else's token is nothing.
      let other = try await service.user("bob")
      let left = try #require(full.json["id"]?.stringValue)
      #expect(try await service.send(.delete, "/api/v1/tokens/\(left)", other).status == 404)
    }
  }

  @Test("a token counts in Authorization only, never in an address")
  func inAddress() async throws {
    try await withPhotoService { service in
      let user = try await service.user("ann")
      let token = String(try #require(user["Authorization"]).dropFirst(7))
      for key in ["token", "access_token", "tote_session", "authorization"] {
        let answer = try await service.send("/api/v1/session?\(key)=\(token)")
        #expect(answer.json == ["user": .null])
      }
    }
  }

  @Test("what is no JSON object, or has members of other types, is refused")
  func bodies() async throws {
    try await withPhotoService { service in
      for body: JSON in [
        [], "x", .null, ["username": 1, "password": "correct horse"], ["username": "ann"],
        ["username": "ann", "password": ["x"]],
        ["username": "ann", "password": "correct horse", "invite": 7],
      ] {
        #expect(try await service.post("/api/v1/register", body).status == 400, "\(body)")
      }
      let form = try await service.send(
        .post, "/api/v1/login", ["Content-Type": "application/x-www-form-urlencoded"],
        body: HTTPBody("username=ann&password=x"))
      #expect(form.status == 415)
      let text = try await service.send(
        .post, "/api/v1/login", ["Content-Type": "text/plain"],
        body: HTTPBody(Self.ann.serialized()))
      #expect(text.status == 415)
    }
  }
}
