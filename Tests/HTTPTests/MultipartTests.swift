import Testing

@testable import HTTP

@Suite("multipart")
struct MultipartTests {
  struct Part: Equatable {
    var headers: HTTPHeaders
    var bytes: [UInt8] = []
  }

  static func parse(_ chunks: [[UInt8]], boundary: String) throws -> [Part] {
    var parser = MultipartParser(boundary: boundary)
    var parts: [Part] = []
    for chunk in chunks {
      try parser.parse(chunk) { event in
        switch event {
        case .begin(let headers): parts.append(Part(headers: headers))
        case .bytes(let bytes): parts[parts.count - 1].bytes += bytes
        case .end: break
        }
      }
    }
    try parser.finish()
    return parts
  }

  @Test("any bytes in any chunking come out as they went in")
  func anyChunking() async throws {
    var random = SeededGenerator(test: "anyChunking")
    for _ in 0..<400 {
      let boundary = ["b", "--", "abc", "0123456789abcdef"].randomElement(using: &random) ?? ""
      // Bodies made of pieces of delimiters are what a parser stumbles over.
      let pieces: [[UInt8]] = [
        [0x0d], [0x0a], [0x0d, 0x0a], Array("--".utf8), Array("\r\n-".utf8),
        Array("\r\n--\(boundary.dropLast())".utf8), Array("\r\n--\(boundary)x".utf8), [0], [0xff],
        Array("text".utf8),
      ]
      let parts = (0..<Int.random(in: 0...4, using: &random)).map { index in
        Part(
          headers: index.isMultiple(of: 2) ? ["Content-Type": "x/\(index)"] : [:],
          bytes: (0..<Int.random(in: 0...12, using: &random)).flatMap { _ in
            pieces.randomElement(using: &random) ?? []
          })
      }.filter { part in
        // A body that holds the delimiter is the writer's fault.
        let text = String(decoding: part.bytes.map { $0 < 0x80 ? $0 : 0x80 }, as: UTF8.self)
        return !("\r\n" + text + "\r\n--").contains("\r\n--\(boundary)\r\n")
          && !("\r\n" + text + "\r\n").contains("\r\n--\(boundary)--")
          && !("\r\n" + text + "\r\n--").contains("\r\n--\(boundary)--")
      }
      let body = MultipartBody(
        parts.map { .init(headers: $0.headers, body: HTTPBody($0.bytes)) },
        frame: MultipartFrame(boundary: boundary))
      let whole = try await body.body.collect(upTo: 1 << 20)
      #expect(Int64(whole.count) == body.length)
      var chunks: [[UInt8]] = []
      var rest = whole[...]
      while !rest.isEmpty {
        let size = Int.random(in: 1...Swift.max(1, Swift.min(9, rest.count)), using: &random)
        chunks.append(Array(rest.prefix(size)))
        rest = rest.dropFirst(size)
      }
      #expect(try Self.parse(chunks, boundary: boundary) == parts, "\(whole)")
    }
  }

  @Test("preamble, epilogue, blanks after the boundary, folded headers and no body are understood")
  func oddForms() throws {
    let text =
      "preamble\r\n--b \t\r\nA: 1\r\n  2\r\n\r\nx\r\n--b\r\n\r\n--b\r\nB:\r\n\r\n\r\n--b--\r\nepilogue --b"
    let parts = try Self.parse([Array(text.utf8)], boundary: "b")
    #expect(
      parts == [
        Part(headers: ["A": "1 2"], bytes: Array("x".utf8)), Part(headers: [:]),
        Part(headers: ["B": ""]),
      ])
  }

  @Test(
    "truncated and malformed bodies are errors",
    arguments: [
      "", "--b\r\n", "--b\r\n\r\nx", "--b\r\n\r\nx\r\n--b", "--b\r\nno colon\r\n\r\nx\r\n--b--",
      "--b\r\nbad name: x\r\n\r\nx\r\n--b--",
    ])
  func malformed(text: String) {
    #expect(throws: HTTPError.self) { try Self.parse([Array(text.utf8)], boundary: "b") }
  }

  @Test("a head that does not end is refused before it fills the memory")
  func endlessHead() {
    var parser = MultipartParser(boundary: "b", headLimit: 100)
    #expect(throws: HTTPError.self) {
      try parser.parse(Array("--b\r\n".utf8)) { _ in }
      for _ in 0..<100 { try parser.parse(Array("x: yyyy\r\n".utf8)) { _ in } }
    }
  }

  @Test("nested parts and unread bodies are read in order")
  func nested() async throws {
    let inner = MultipartBody(
      [
        .init(headers: ["N": "1"], body: HTTPBody("one")),
        .init(headers: ["N": "2"], body: HTTPBody("two")),
      ],
      frame: MultipartFrame(boundary: "inner"))
    let outer = MultipartBody(
      [
        .init(headers: ["Content-Type": "text/plain"], body: HTTPBody("skipped")),
        .init(headers: ["Content-Type": inner.frame.contentType("mixed")], body: inner.body),
        .init(
          headers: ["Content-Disposition": "form-data; name=\"f\"; filename*=utf-8''%C3%A9"],
          body: HTTPBody("three")),
      ], frame: MultipartFrame(boundary: "inner2"))
    let reader = try MultipartReader(
      outer.body, contentType: MediaType(outer.frame.contentType("related")))
    _ = try #require(try await reader.nextPart())
    let middle = try #require(try await reader.nextPart())
    let innerReader = try MultipartReader(middle.body, contentType: middle.contentType)
    var texts: [String] = []
    while let part = try await innerReader.nextPart() {
      texts.append(try await part.body.collect(upTo: 100).text)
    }
    #expect(texts == ["one", "two"])
    let last = try #require(try await reader.nextPart())
    #expect(last.disposition?.filename == "é")
    #expect(try await last.body.collect(upTo: 100).text == "three")
    #expect(try await reader.nextPart() == nil)
  }
}
