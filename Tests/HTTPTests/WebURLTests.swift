import Testing

@testable import HTTP

@Suite("URLs")
struct WebURLTests {
  @Test("a URL is taken apart, user-info decoded once")
  func parts() throws {
    let url = try WebURL("HTTPS://us%2540er:p%3Aw@Example.COM:6984/a%2Fb/c?x=1&y=%20#frag")
    #expect(url.scheme == .https)
    #expect(url.user == "us%40er")
    #expect(url.password == "p:w")
    #expect(url.host == "example.com")
    #expect(url.port == 6984)
    #expect(url.path == "/a%2Fb/c")
    #expect(url.segments == ["a/b", "c"])
    #expect(url.query == "x=1&y=%20")
    #expect(url.fragment == "frag")
    #expect(url.description == "https://example.com:6984/a%2Fb/c?x=1&y=%20#frag")
    #expect(try WebURL(url.textWithUserInfo) == url)
  }

  @Test("an IPv6 host stands in brackets, without its port when that is the scheme's")
  func addresses() throws {
    let url = try WebURL("http://[::1]:5984")
    #expect(url.host == "::1")
    #expect(url.path == "/")
    #expect(url.authority == "[::1]:5984")
    #expect(try WebURL("http://[fe80::1]:80/").authority == "[fe80::1]")
  }

  @Test(
    "what is no http or https URL is refused",
    arguments: [
      "", "example.com", "ftp://a/", "http:/a", "http://", "http:///x", "http://a:99999/",
      "http://a:x/", "http://a/%zz", "http://a/%2", "http://a b/", "http://[::1/", "file:///etc",
      "http://a/\r\nX: y", "http://a\\b/", "http://[1.2.3.4]/",
    ])
  func refused(text: String) {
    #expect(throws: HTTPError.self) { try WebURL(text) }
  }

  @Test("an error never shows the user-info")
  func secrets() {
    do {
      _ = try WebURL("http://user:secret@host:bad/")
      Issue.record("accepted")
    } catch {
      #expect(!"\(error)".contains("secret"))
    }
  }

  @Test(
    "references resolve as RFC 3986 §5.4 lists",
    arguments: [
      ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
      ("/g", "http://a/g"), ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"),
      ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"), ("..", "http://a/b/"),
      ("../g", "http://a/b/g"), ("../../../g", "http://a/g"), ("g;x=1/../y", "http://a/b/c/y"),
      ("http://x:1/y", "http://x:1/y"), (".", "http://a/b/c/"),
    ])
  func resolution(reference: String, expected: String) throws {
    let base = try WebURL("http://user:pw@a/b/c/d;p?q")
    let resolved = try base.resolving(reference)
    #expect(resolved.description == expected)
    #expect(resolved.user == nil)
  }

  @Test("segments of any text survive being put into a path and taken out of it")
  func segmentsRoundTrip() throws {
    var random = SeededGenerator(test: "segmentsRoundTrip")
    let alphabet = Array("ab/%?#&=+ .é\u{1F600}\"\\<>[]:@;,").map(String.init)
    for _ in 0..<500 {
      let segments = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        (0..<Int.random(in: 1...8, using: &random)).map { _ in
          alphabet.randomElement(using: &random) ?? ""
        }.joined()
      }
      let url = WebURL(scheme: .http, host: "h").appending(segments)
      #expect(try WebURL(url.description).segments == segments)
      #expect(try HTTPRequest(method: .get, target: url.target).segments == segments)
    }
  }

  @Test("queries keep order and repeats, plus is a blank")
  func queries() throws {
    let query = try #require(HTTPQuery(parsing: "a=1&b=x+y%2B&a=2&flag&=v"))
    #expect(query.values(of: "a") == ["1", "2"])
    #expect(query["a"] == "2")
    #expect(query["b"] == "x y+")
    #expect(query["flag"] == "")
    #expect(HTTPQuery(parsing: query.encoded) == query)
    #expect(HTTPQuery(parsing: "a=%") == nil)
    #expect(HTTPQuery(parsing: "a=%00") == nil)
    #expect(HTTPQuery(parsing: "a=%ff") == nil)
  }
}
