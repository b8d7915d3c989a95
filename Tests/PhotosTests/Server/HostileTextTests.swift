import Core
import Foundation
import HTTP
import Testing

@testable import Photos

/// The hostile names and titles of the corpus, and some more, through every way out.
struct HostileTextTests {
  private struct Manifest: Decodable {
    var names: [String]
    var titles: [String]

    enum CodingKeys: String, CodingKey {
      case titles
      case names = "upload_names"
    }
  }

  private static func manifest() throws -> Manifest {
    let url = try #require(CorpusTests.folder).appendingPathComponent("manifest.json")
    return try JSONDecoder().decode(Manifest.self, from: Data(contentsOf: url))
  }

  @Test("a file's name is a word for messages: it names nothing here, and is never handed on")
  func names() async throws {
    let names =
      try Self.manifest().names + [
        "..", "a\0b.jpg", "a\r\nSet-Cookie: x=1.jpg", "\u{202e}gpj.exe", "C:\\x\\y.jpg",
        String(repeating: "n", count: 3000) + ".jpg", "\u{1b}[31mred.jpg", "名前.jpg",
      ]
    try await withPhotoService { service in
      let user = try await service.user("ann")
      for (number, name) in names.enumerated() {
        var form = FormFixture()
        form.add(file: try PhotoService.picture(number), named: name)
        let answer = try await service.upload(form: form, user)
        // A line end in a header of a part may break the form; then it is refused as a whole.
        guard answer.status == 201 else {
          #expect(answer.status == 400, "\(name)")
          continue
        }
        #expect(answer.json["title"] == "", "\(name)")
        let url = try #require(answer.json["full"]?["url"]?.stringValue)
        let disposition = try await service.send(url).headers["Content-Disposition"]
        let id = try #require(answer.json["id"]?.stringValue)
        #expect(disposition == "inline; filename=\"\(id)-full.jpg\"")
      }
      for name in names {
        var form = FormFixture()
        form.add(file: Array("GIF89a".utf8), named: name)
        let answer = try await service.upload(form: form, user)
        for scalar in (answer.json["error"]?["file"]?.stringValue ?? "").unicodeScalars {
          #expect(scalar.value >= 0x20 && !(0x7f..<0xa0).contains(scalar.value))
          #expect(!(0x202a...0x202e).contains(scalar.value))
        }
        #expect(answer.bytes.count < 2000)
        for field in answer.headers { #expect(!field.value.contains("alert")) }
      }
      #expect(!FileManager.default.fileExists(atPath: "/tmp/passwd"))
    }
  }

  @Test("titles are text everywhere: in the page, JSON, both feeds and the tutorial's stream")
  func titles() async throws {
    let titles =
      try Self.manifest().titles + [
        "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)",
        "]]><script>alert(1)</script>",
        "</title><script>alert(1)</script>", "{{7*7}}", "%3Cscript%3E", "\u{1b}]0;x\u{7}",
        "&lt;b&gt;", "a\r\nX-Injected: 1", "\u{2028}", "javascript:alert(1)",
      ]
    try await withPhotoService { service in
      let user = try await service.user("ann")
      for (number, title) in titles.enumerated() {
        let file = try PhotoService.picture(number)
        var answer: PhotoService.Answer
        if title.contains("\0") {
          // A NUL cannot stand in an address.
          var form = FormFixture(["title": title])
          form.add(file: file, named: "x.jpg")
          answer = try await service.upload(form: form, user)
        } else {
          answer = try await service.upload(file, title: title, user)
        }
        guard title.unicodeScalars.count <= PhotoText.titleLimit else {
          #expect(answer.status == 400 && answer.code == "title_too_long")
          continue
        }
        #expect(answer.status == 201, "\(title)")
      }
      try await expectText(service)
    }
  }

  @Test("a document that came by replication, past every check, does no harm either")
  func replicated() async throws {
    try await withPhotoService { service in
      _ = try await service.user("ann")
      let photo = try await service.photo(by: "ann")
      let title = "</title>]]>\"'><script>alert(1)</script>\u{1b}[31m\u{202e}\0\u{fffe}"
      try await service.library.store.update("photo:\(photo.id)") { document in
        guard var document else { throw StoreError.documentNotFound(id: "", .missing) }
        var members = document.body.members
        members["title"] = .string(title)
        document.body = try DocumentBody(members)
        return document
      }
      try await expectText(service)
    }
  }

  private func expectText(_ service: PhotoService) async throws {
    let page = try await service.send("/").text
    #expect(!page.contains("<script>") && !page.contains("<img src=x"))
    #expect(!page.contains("' onmouseover='") && !page.contains("\u{1b}"))
    let rss = try await service.send("/feed.xml")
    let parser = XMLChecker(rss.bytes)
    #expect(parser.isWellFormed && !parser.elements.contains("script"))
    for path in ["/api/v1/photos", "/feed.json"] {
      let answer = try await service.send(path)
      #expect(answer.json != .null)
      #expect(answer.headers["Content-Type"]?.hasPrefix("application/") == true)
      #expect(answer.headers["X-Content-Type-Options"] == "nosniff")
      #expect(!answer.text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
      #expect(!answer.text.unicodeScalars.contains { $0.value == 0x2028 })
    }
    let stream = try await service.send(
      .post, "/index.php", ["Content-Type": "application/x-www-form-urlencoded"],
      body: HTTPBody("command=stream"))
    #expect(stream.json["result"]?.arrayValue?.isEmpty == false)
    for photo in try await service.library.newest(100).photos {
      let page = try await service.send("/p/\(photo.id)")
      #expect(page.status == 200 && !page.text.contains("<script>"))
      for field in page.headers { #expect(!field.value.contains("alert")) }
    }
  }
}

/// Whether a text is XML, and which elements it has.
private final class XMLChecker {
  private(set) var elements: Set<String> = []
  private(set) var isWellFormed = false

  /// A small reader of what our feeds may hold: tags with quoted attributes, text and references.
  init(_ bytes: [UInt8]) { isWellFormed = read(bytes) }

  private func read(_ bytes: [UInt8]) -> Bool {
    var rest = Substring(decoding: bytes, as: UTF8.self)
    var open: [Substring] = []
    guard rest.hasPrefix("<?xml") else { return false }
    rest = rest.drop { $0 != ">" }.dropFirst()
    while let index = rest.firstIndex(of: "<") {
      guard isText(rest[..<index]) else { return false }
      guard let end = rest[index...].firstIndex(of: ">") else { return false }
      var tag = rest[rest.index(after: index)..<end]
      rest = rest[rest.index(after: end)...]
      if tag.hasPrefix("/") {
        guard open.popLast() == tag.dropFirst() else { return false }
        continue
      }
      let isEmpty = tag.hasSuffix("/")
      if isEmpty { tag.removeLast() }
      let name = tag.prefix { !$0.isWhitespace }
      guard !name.isEmpty, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0 == ":") }),
        tag.count(where: { $0 == "\"" }) % 2 == 0, !tag.contains("<")
      else { return false }
      elements.insert(String(name))
      if !isEmpty { open.append(name) }
    }
    return open.isEmpty && isText(rest)
  }

  private func isText(_ text: Substring) -> Bool {
    guard !text.contains(">"),
      !text.unicodeScalars.contains(where: { scalar in
        scalar.value < 0x20 && scalar != "\n" || scalar.value == 0xfffe || scalar.value == 0xffff
      })
    else { return false }
    return text.split(separator: "&", omittingEmptySubsequences: false).dropFirst().allSatisfy {
      part in
      ["amp;", "lt;", "gt;", "quot;", "#39;"].contains { part.hasPrefix($0) }
    }
  }
}
