import Testing

@testable import HTTP

struct HTMLTests {
  @Test(
    "what people wrote is text, between tags and in attributes",
    arguments: [
      ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
      ("\"><img src=x onerror=alert(1)>", "&quot;&gt;&lt;img src=x onerror=alert(1)&gt;"),
      ("' onload='x", "&#39; onload=&#39;x"),
      ("&lt;", "&amp;lt;"),
      ("a\0b\u{1b}c\u{7f}d\u{85}", "a\u{fffd}b\u{fffd}c\u{fffd}d\u{fffd}"),
      ("två\tord\n日の出 ½", "två\tord\n日の出 ½"),
    ])
  func escaping(text: String, expected: String) {
    let html: HTML = "<p title=\"\(text)\">\(text)</p>"
    #expect(html.text == "<p title=\"\(expected)\">\(expected)</p>")
  }

  @Test("pieces of HTML go in as they are")
  func pieces() {
    let items: [HTML] = ["a<b", "c"].map { "<li>\($0)</li>" }
    let html: HTML = "<ul data-count=\"\(items.count)\">\(items)</ul>"
    #expect(html.text == "<ul data-count=\"2\"><li>a&lt;b</li><li>c</li></ul>")
  }

  @Test(
    "sizes are said in decimal units",
    arguments: [
      (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1.0 kB"), (9_949, "9.9 kB"),
      (9_999, "10 kB"),
      (12_345, "12 kB"), (999_499, "999 kB"), (999_500, "1.0 MB"), (4_200_000, "4.2 MB"),
      (4_831_838_208, "4.8 GB"), (9_000_000_000_000, "9 TB"),
    ] as [(Int64, String)])
  func sizes(bytes: Int64, expected: String) {
    #expect(HTML.size(bytes) == expected)
  }
}
