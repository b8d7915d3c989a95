import Core
import Foundation
import HTTP
import Testing

@testable import Photos

struct LibraryPageTests {
  private static let site = LibraryPage.Site(
    name: "Summer <house>", registration: "invite", isPrivate: false, maximumBytes: 64_000_000,
    maximumPixels: 100_000_000)

  private static func photo(_ title: String, user: String = "anna", at time: Int64 = 1) -> Photo {
    Photo(
      id: PhotoID.make(at: time), number: 7, title: title, user: user, width: 4032, height: 3024,
      created: "2026-11-30T12:00:00.000Z", placeholder: [1, 2, 3],
      pictures: [.full: .init(length: 4_200_000, digest: "md5-x")])
  }

  private static func text(_ view: LibraryPage.View, user: String? = nil) -> String {
    String(decoding: LibraryPage(site: site, user: user).html(view), as: UTF8.self)
  }

  /// Titles that have hurt other galleries; those of the corpus are among them.
  private static let hostile = [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' autofocus onfocus='alert(1)",
    "'; DROP TABLE photos;--", "\0nul", "\u{202e}right-to-left", "</title><svg onload=alert(1)>",
    "</textarea>--><script>alert(1)</script>", "&lt;b&gt;", "{{7*7}} ${7*7}",
    "javascript:alert(1)", String(repeating: "a", count: 5000),
  ]

  @Test("titles and names are text wherever they stand", arguments: hostile)
  func escaping(title: String) {
    let photo = Self.photo(title, user: title)
    let harmless = Self.text(.photo(Self.photo("t")))
    for view in [
      LibraryPage.View.stream(PhotoPage(photos: [photo], next: nil), isOlder: false),
      .user(title, PhotoPage(photos: [photo], next: nil), isOlder: true), .photo(photo),
      .failure(title),
    ] {
      let text = Self.text(view, user: title)
      #expect(!text.contains("<script>"))
      #expect(!text.contains("<img src=x"))
      #expect(!text.contains("<svg onload"))
      #expect(!text.contains("\" onerror") && !text.contains("' autofocus"))
      #expect(!text.contains("href=\"javascript:"))
      #expect(!text.contains("\0"))
    }
    // No element more than on a page with harmless words.
    let tags = Self.text(.photo(photo)).count { $0 == "<" }
    #expect(tags == harmless.count { $0 == "<" })
  }

  @Test("the stream reads without JavaScript: pictures, words, users, the way on")
  func stream() {
    let photos = [Self.photo("Lake", at: 2), Self.photo("", user: "bo", at: 1)]
    let next = photos[1].id
    let text = Self.text(.stream(PhotoPage(photos: photos, next: next), isOlder: false))
    for photo in photos {
      #expect(text.contains("<a class=\"open\" href=\"/p/\(photo.id)\">"))
      #expect(text.contains("src=\"/photos/\(photo.id)/thumb.jpg\""))
    }
    #expect(text.contains("alt=\"Lake\"") && text.contains("alt=\"Photo by @bo\""))
    #expect(text.contains("<a class=\"by\" href=\"/u/bo\">@bo</a>"))
    #expect(text.contains("<a href=\"/?before=\(next)\" rel=\"next\">Older photos</a>"))
    #expect(text.contains("<title>Summer &lt;house&gt;</title>"))
    #expect(text.contains("href=\"/feed.xml\"") && text.contains("href=\"/feed.json\""))
    #expect(text.contains("<div class=\"empty\" hidden>"))
  }

  @Test("an older page leads back to the newest, and the last one no further")
  func ends() {
    let page = PhotoPage(photos: [Self.photo("a")], next: nil)
    let text = Self.text(.user("anna", page, isOlder: true))
    #expect(text.contains("<a href=\"/u/anna\">Newest photos</a>"))
    #expect(text.contains("data-before=\"\" hidden>"))
    #expect(text.contains("data-owner=\"anna\""))
    #expect(text.contains("<body data-name=") && text.contains(" data-before=\"true\""))
  }

  @Test("an empty stream says so")
  func empty() {
    let text = Self.text(.stream(PhotoPage(photos: [], next: nil), isOlder: false))
    #expect(text.contains("<div class=\"empty\"><svg"))
    #expect(text.contains("No photos yet"))
  }

  @Test("a photo has a page of its own")
  func single() {
    let photo = Self.photo("Lake")
    let text = Self.text(.photo(photo), user: "anna")
    #expect(text.contains("<h1 dir=\"auto\">Lake</h1>"))
    #expect(text.contains("src=\"/photos/\(photo.id)/view.jpg\" alt=\"Lake\" width=\"4032\""))
    #expect(text.contains("<a href=\"/photos/\(photo.id)/full.jpg\">4032 × 3024, 4.2 MB</a>"))
    #expect(text.contains(">30 November 2026</time>"))
    #expect(text.contains("data-placeholder=\"AQID\""))
    #expect(text.contains("data-user=\"anna\"") && text.contains("<span>@anna</span>"))
  }

  @Test("no page has a script, a style or a handler of its own, as its policy demands")
  func policy() {
    for view in [
      LibraryPage.View.stream(PhotoPage(photos: [Self.photo("a")], next: nil), isOlder: false),
      .photo(Self.photo("a")), .logIn, .missing,
    ] {
      let text = Self.text(view)
      #expect(text.count(of: "<script") == 1 && text.contains("<script type=\"module\" src=\"/"))
      #expect(!text.contains("<style") && !text.contains(" style="))
      #expect(text.firstMatch(of: #/ on[a-z]+=/#) == nil)
      #expect(!text.contains("http://") && !text.contains("https://") && !text.contains("=\"//"))
    }
    #expect(LibraryPage.contentSecurityPolicy.hasPrefix("default-src 'none'; script-src 'self'"))
    #expect(!LibraryPage.contentSecurityPolicy.contains("unsafe"))
  }

  @Test("a stranger to a private library sees no photo")
  func privacy() {
    var site = Self.site
    site.isPrivate = true
    let bytes = LibraryPage(site: site, user: nil).html(.logIn)
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.contains("These photos are private") && text.contains("data-private=\"true\""))
    #expect(!text.contains("class=\"grid\""))
  }

  @Test("files of the page are found by their names, and their addresses change with them")
  func assets() throws {
    for asset in PageAsset.all {
      #expect(asset.bytes.count > 100)
      let found = try #require(PageAsset.named(asset.name))
      #expect(found.bytes == asset.bytes && found.version.count == 16)
      #expect(asset.path == "/assets/\(asset.name)?v=\(asset.version)")
    }
    #expect(Set(PageAsset.all.map(\.version)).count == PageAsset.all.count)
    for name in ["", "dialogs.html", "../app.js", "app.js\0", "APP.JS"] {
      #expect(PageAsset.named(name) == nil)
    }
    let script = String(decoding: PageAsset.script.bytes, as: UTF8.self)
    for forbidden in ["innerHTML", "insertAdjacentHTML", "document.write", "eval(", "http://"] {
      // The name of the SVG namespace is an address that nobody asks.
      #expect(!script.replacing("http://www.w3.org/2000/svg", with: "").contains(forbidden))
    }
  }
}

extension String {
  fileprivate func count(of text: String) -> Int { components(separatedBy: text).count - 1 }
}
