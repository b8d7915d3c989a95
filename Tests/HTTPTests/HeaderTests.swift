import Testing

@testable import HTTP

@Suite("headers and their values")
struct HeaderTests {
  @Test("names compare without case, order and repeats are kept")
  func headers() {
    var headers: HTTPHeaders = ["Content-Type": "a", "X": "1", "x": "2"]
    #expect(headers["content-type"] == "a")
    #expect(headers.values(of: "X") == ["1", "2"])
    headers["X"] = "3"
    #expect(headers.values(of: "x") == ["3"])
    headers["X"] = nil
    #expect(!headers.contains("x"))
    #expect(HTTPHeaders([("Connection", "Close, TE")]).tokens(of: "connection") == ["close", "te"])
  }

  @Test(
    "a range is clamped, ignored or refused",
    arguments: [
      (nil, HTTPRange.whole), ("bytes=0-9", .part(0..<10)), ("bytes=90-", .part(90..<100)),
      ("bytes=90-200", .part(90..<100)), ("bytes=-10", .part(90..<100)),
      ("bytes=-1000", .part(0..<100)), ("bytes=100-", .unsatisfiable), ("bytes=-0", .unsatisfiable),
      ("bytes=5-4", .whole), ("bytes=0-1,4-5", .whole), ("items=0-1", .whole),
      ("bytes=a-b", .whole),
      ("bytes=-", .whole), ("bytes=0-9223372036854775807", .part(0..<100)),
      ("bytes=9223372036854775807-", .unsatisfiable),
      ("bytes=99999999999999999999-", .whole),
    ] as [(String?, HTTPRange)])
  func ranges(header: String?, expected: HTTPRange) {
    #expect(HTTPRange(header, length: 100) == expected)
  }

  @Test("Content-Range is written and read")
  func contentRange() throws {
    #expect(HTTPRange.contentRange(0..<10, of: 100) == "bytes 0-9/100")
    let parsed = try #require(HTTPRange.parse(contentRange: "bytes 5-9/100"))
    #expect(parsed.part == 5..<10)
    #expect(parsed.length == 100)
    #expect(HTTPRange.parse(contentRange: "bytes 5-9/*")?.length == nil)
    #expect(HTTPRange.parse(contentRange: "bytes */100") == nil)
  }

  @Test("dates are RFC 9110's, for every day of some centuries")
  func dates() {
    #expect(HTTPDate.format(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(HTTPDate.parse("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
    for day in stride(from: Int64(-40_000), to: 60_000, by: 1) {
      let seconds = day * 86_400 + 43_199
      #expect(HTTPDate.parse(HTTPDate.format(seconds)) == seconds)
    }
    #expect(HTTPDate.parse("yesterday") == nil)
  }

  @Test("conditions follow RFC 9110 §13.2.2")
  func conditions() throws {
    func outcome(_ headers: HTTPHeaders, _ method: HTTPMethod = .get) throws
      -> HTTPConditions.Outcome
    {
      HTTPConditions.evaluate(
        try HTTPRequest(method: method, target: "/", headers: headers), etag: "\"a,b\"",
        modified: 1000)
    }
    #expect(try outcome([:]) == .proceed)
    #expect(try outcome(["If-None-Match": "\"x\", W/\"a,b\""]) == .notModified)
    #expect(try outcome(["If-None-Match": "*"]) == .notModified)
    #expect(try outcome(["If-None-Match": "*"], .put) == .failed)
    #expect(try outcome(["If-Match": "\"a,b\""]) == .proceed)
    #expect(try outcome(["If-Match": "W/\"a,b\""]) == .failed)
    #expect(try outcome(["If-Modified-Since": HTTPDate.format(1000)]) == .notModified)
    #expect(try outcome(["If-Modified-Since": HTTPDate.format(999)]) == .proceed)
    #expect(try outcome(["If-Unmodified-Since": HTTPDate.format(999)]) == .failed)
  }

  @Test("Basic credentials are read and written; broken ones are none")
  func basic() {
    let credentials = BasicCredentials(user: "jürgen", password: "a:b c")
    #expect(BasicCredentials(authorization: credentials.authorization) == credentials)
    #expect(
      BasicCredentials(authorization: "basic \(Base64.encode(Array("u:".utf8)))")?.password == "")
    for broken in ["", "Basic", "Bearer x", "Basic !!!", "Basic \(Base64.encode(Array("u".utf8)))"]
    {
      #expect(BasicCredentials(authorization: broken) == nil)
    }
  }

  @Test("base64 round-trips bytes of every length")
  func base64() {
    var random = SeededGenerator(test: "base64")
    for length in 0..<100 {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(Base64.decode(Base64.encode(bytes)) == bytes)
    }
    #expect(Base64.encode(Array("foob".utf8)) == "Zm9vYg==")
    #expect(Base64.decode("Z") == nil)
    #expect(Base64.decode("Zm9v=Zm9v") == nil)
  }

  @Test("cookies are read and written")
  func cookies() throws {
    let headers: HTTPHeaders = ["Cookie": "a=1; AuthSession=xyz=; q=\"v\"", "cookie": "b=2"]
    #expect(Cookies.value(of: "AuthSession", in: headers) == "xyz=")
    #expect(Cookies.value(of: "q", in: headers) == "v")
    #expect(Cookies.value(of: "b", in: headers) == "2")
    #expect(Cookies.value(of: "authsession", in: headers) == nil)
    var cookie = SetCookie(name: "AuthSession", value: "tok")
    cookie.maximumAge = 600
    #expect(
      cookie.headerValue == "AuthSession=tok; Path=/; Max-Age=600; HttpOnly; SameSite=Strict")
    let parsed = try #require(SetCookie(parsing: cookie.headerValue))
    #expect(parsed.value == "tok")
    #expect(parsed.maximumAge == 600)
  }

  @Test("a media type's parameters may be quoted")
  func mediaTypes() {
    let type = MediaType("Multipart/Related; Boundary=\"a;\\\"b\" ; type=x")
    #expect(type.value == "multipart/related")
    #expect(type.parameters == ["boundary": "a;\"b", "type": "x"])
    #expect(type.matches("multipart/*"))
    let headers: HTTPHeaders = ["Accept": "multipart/mixed;q=0, application/*, text/plain"]
    #expect(HTTPAccept.accepts("application/json", in: headers))
    #expect(!HTTPAccept.accepts("multipart/mixed", in: headers))
    #expect(
      HTTPAccept.quality(
        of: "gzip", in: ["Accept-Encoding": "gzip;q=0.5"], header: "Accept-Encoding") == 0.5)
    #expect(
      HTTPAccept.quality(of: "br", in: ["Accept-Encoding": "gzip"], header: "Accept-Encoding")
        == nil)
  }

  @Test("file names beyond ASCII come and go as filename*")
  func dispositions() {
    let value = ContentDisposition(kind: "form-data", name: "f\"1", filename: "é \"x\".jpg")
    #expect(ContentDisposition(value.headerValue) == value)
    let latin = ContentDisposition("attachment; filename=\"no\"; filename*=iso-8859-1'en'%E9.txt")
    #expect(latin.filename == "é.txt")
    #expect(ContentDisposition("form-data; name=\"a\\\"b\"").name == "a\"b")
  }

  @Test("gzip expands what it compressed, within its limit")
  func gzip() throws {
    let bytes = [UInt8]((0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
    let small = try GzipEncoder.encode(bytes)
    #expect(small.count < bytes.count)
    #expect(try GzipDecoder.decode(small) == bytes)
    #expect(try GzipDecoder.decode(small + small) == bytes + bytes)
    #expect(throws: HTTPError.bodyTooLarge(limit: 1000)) {
      try GzipDecoder.decode(small, limit: 1000)
    }
    #expect(throws: HTTPError.self) { try GzipDecoder.decode(Array(small.dropLast(3))) }
    #expect(throws: HTTPError.self) { try GzipDecoder.decode(Array("not gzip".utf8)) }
  }
}
