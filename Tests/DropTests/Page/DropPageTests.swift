import Core
import HTTP
import Testing

@testable import Drop

struct DropPageTests {
  private static let hostile = "\"><script>alert(1)</script>"

  private static func text(_ page: DropPage) -> String {
    String(decoding: page.html, as: UTF8.self)
  }

  private static let pages = [
    DropPage.receiving(base: "/TOKEN/", receiver: hostile, isEncrypted: true),
    DropPage.sent(
      [.init(name: hostile), .init(name: "b", reason: hostile)], base: "/TOKEN/",
      receiver: hostile),
    DropPage.offer(
      [.init(name: hostile, size: 5, path: "/TOKEN/files/0")], sender: hostile, isEncrypted: true),
  ]

  @Test("names never become markup", arguments: pages.indices)
  func escaping(index: Int) {
    let text = Self.text(Self.pages[index])
    #expect(!text.contains("<script>alert"))
    #expect(!text.contains("\"\">"))
    #expect(text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
  }

  @Test("the page is smaller than 20 KB and asks for nothing else")
  func size() {
    let page = DropPage.receiving(base: "/TOKEN/", receiver: "laptop", isEncrypted: true)
    #expect(page.html.count < 20_000)
    let text = Self.text(page)
    for outside in ["src=", "@import", "url(", "http://", "https://", "WebSocket"] {
      #expect(!text.contains(outside), "\(outside)")
    }
  }

  @Test("only the page's own script and style may run", arguments: pages.indices)
  func policy(index: Int) throws {
    let page = Self.pages[index]
    let policy = try #require(page.headers["Content-Security-Policy"])
    let text = Self.text(page)
    for name in ["script", "style"] {
      guard let start = text.range(of: name == "style" ? "<style>" : "<script type=\"module\">")
      else { continue }
      let end = try #require(text.range(of: "</\(name)>", in: start.upperBound))
      var digest = SHA256()
      digest.update(Array(text[start.upperBound..<end.lowerBound].utf8))
      #expect(policy.contains("\(name)-src 'sha256-\(Base64.encode(digest.finish()))'"))
    }
    #expect(policy.hasPrefix("default-src 'none'; "))
    #expect(page.headers["Cache-Control"] == "no-store")
    #expect(page.headers["Referrer-Policy"] == "no-referrer")
  }

  @Test("without JavaScript a form sends the files")
  func form() {
    let text = Self.text(Self.pages[0])
    #expect(
      text.contains("<form method=\"post\" action=\"/TOKEN/form\" enctype=\"multipart/form-data\">")
    )
    #expect(text.contains("accept=\"image/*,image/heic,image/heif,video/*\""))
    #expect(text.contains("<button>Send</button>"))
  }

  @Test("a page over plain HTTP says that it is not encrypted")
  func warning() {
    let receiving = DropPage.receiving(base: "/T/", receiver: "laptop", isEncrypted: false)
    #expect(Self.text(receiving).contains("not encrypted"))
    let offer = DropPage.offer([], sender: "laptop", isEncrypted: false)
    #expect(Self.text(offer).contains("Not encrypted"))
    #expect(!Self.text(Self.pages[0]).contains("not encrypted"))
  }

  @Test("an offer tells names, sizes and the sum")
  func offer() {
    let page = DropPage.offer(
      [
        .init(name: "a/b.jpg", size: 1_500_000, path: "/T/files/0"),
        .init(name: "c.jpg", size: 2_500_000, path: "/T/files/1"),
      ], sender: "laptop", isEncrypted: true)
    let text = Self.text(page)
    #expect(text.contains("2 files, 4.0 MB."))
    #expect(text.contains("<a class=\"go\" href=\"/T/files/1\" download"))
    #expect(text.contains("<span class=\"size\">1.5 MB</span>"))
  }
}

extension String {
  /// The first place of a text.
  fileprivate func range(of other: String, in start: Index? = nil) -> Range<Index>? {
    self[(start ?? startIndex)...].firstRange(of: other)
  }
}
