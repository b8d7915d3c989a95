import Core
import HTTP
import Sync
import TestSupport
import Testing

/// Where an answer says that something is, and how requests are told apart.
@Suite struct LocationTests {
  @Test("new things have URLs, as the client reaches them")
  func location() async throws {
    try await withListener { listener in
      let base = "\(listener.url)".hasSuffix("/") ? "\(listener.url)" : "\(listener.url)/"
      #expect(try await listener.ask(.put, "/a%2Fb").headers["Location"] == base + "a%2Fb")
      let document = try await listener.ask(.put, "/a%2Fb/x%20y%2Fz", [:])
      #expect(document.headers["Location"] == base + "a%2Fb/x%20y%2Fz")
      let design = try await listener.ask(.put, "/a%2Fb/_design/d", [:])
      #expect(design.headers["Location"] == base + "a%2Fb/_design%2Fd")
      let file = try await listener.ask(.put, "/a%2Fb/file/f.txt", text: "x")
      #expect(file.headers["Location"] == base + "a%2Fb/file/f.txt")
    }
  }

  @Test("a proxy tells under which name the server is known")
  func forwarded() async throws {
    try await withListener { listener in
      let first = try await listener.ask(
        .put, "/one", headers: ["X-Forwarded-Host": "example.org", "X-Forwarded-Ssl": "on"])
      #expect(first.headers["Location"] == "https://example.org/one")
      try await listener.ask(.put, "/_node/_local/_config/httpd/x_forwarded_host", "X-Name")
      let second = try await listener.ask(
        .put, "/two", headers: ["X-Name": "example.net:81", "X-Forwarded-Proto": "https"])
      #expect(second.headers["Location"] == "https://example.net:81/two")
    }
  }

  @Test("a request keeps the name that its client gave it")
  func requestID() async throws {
    try await withListener { listener in
      let named = try await listener.ask(.get, "/", headers: ["X-Couch-Request-ID": "mine"])
      #expect(named.headers["X-Couch-Request-ID"] == "mine")
      let other = try await listener.ask(.get, "/")
      #expect(other.headers["X-Couch-Request-ID"]?.utf8.count == 10)
      #expect(other.headers["X-CouchDB-Body-Time"].flatMap { Int($0) } != nil)
    }
  }
}
