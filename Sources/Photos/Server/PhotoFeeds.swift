import Core
import HTTP

/// Writes the stream for feed readers.
struct PhotoFeeds {
  /// The service's name.
  let title: String
  /// The address of the server's root, `https://photos.example/`, or below a prefix.
  let root: String
  /// Newest first.
  let photos: [Photo]
  /// What of them is the newest and counts as the feed's state.
  var newest: Photo? { photos.first }

  /// How many photos a feed tells of.
  static let limit = 50

  /// RSS 2.0 with the pictures as enclosures.
  func rss() -> String {
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" \
      xmlns:dc="http://purl.org/dc/elements/1.1/">
      <channel>
      <title>\(VisibleText.xml(title))</title>
      <link>\(VisibleText.xml(root))</link>
      <description>\(VisibleText.xml("the newest photos of \(title)"))</description>
      <generator>tote</generator>
      <atom:link rel="self" type="application/rss+xml" \
      href="\(VisibleText.xml(root + "feed.xml"))"/>

      """
    if let newest, let date = Self.httpDate(newest.created) {
      text += "<lastBuildDate>\(date)</lastBuildDate>\n"
    }
    for photo in photos { text += item(photo) }
    return text + "</channel>\n</rss>\n"
  }

  private func item(_ photo: Photo) -> String {
    let link = VisibleText.xml("\(root)p/\(photo.id)")
    let picture = photo.pictures[.view] ?? photo.pictures[.full]
    var text = """
      <item>
      <title>\(VisibleText.xml(Self.caption(photo)))</title>
      <link>\(link)</link>
      <guid isPermaLink="true">\(link)</guid>
      <dc:creator>\(VisibleText.xml(photo.user))</dc:creator>

      """
    if let date = Self.httpDate(photo.created) { text += "<pubDate>\(date)</pubDate>\n" }
    let url = VisibleText.xml("\(root)photos/\(photo.id)/view.jpg")
    text += "<enclosure url=\"\(url)\" length=\"\(picture?.length ?? 0)\" type=\"image/jpeg\"/>\n"
    return text + "</item>\n"
  }

  /// JSON Feed 1.1 (<https://www.jsonfeed.org/version/1.1/>).
  func json() -> JSON {
    [
      "version": "https://jsonfeed.org/version/1.1", "title": .string(title),
      "home_page_url": .string(root), "feed_url": .string(root + "feed.json"),
      "items": .array(
        photos.map { photo in
          let base = "\(root)photos/\(photo.id)/"
          let picture = photo.pictures[.view] ?? photo.pictures[.full]
          return [
            "id": .string(photo.id.description), "url": .string("\(root)p/\(photo.id)"),
            "title": .string(Self.caption(photo)), "content_text": .string(photo.title),
            "image": .string(base + "view.jpg"), "date_published": .string(photo.created),
            "authors": [
              [
                "name": .string(photo.user),
                "url": .string("\(root)u/\(PercentEncoding.encode(photo.user))"),
              ]
            ],
            "attachments": [
              [
                "url": .string(base + "full.jpg"), "mime_type": "image/jpeg",
                "size_in_bytes": .integer(photo.pictures[.full]?.length ?? picture?.length ?? 0),
              ]
            ],
          ]
        }),
    ]
  }

  /// A feed's entry needs words even where a photo has none.
  private static func caption(_ photo: Photo) -> String {
    photo.title.isEmpty ? "a photo by \(photo.user)" : photo.title
  }

  /// RFC 822's form of a time in RFC 3339; nil for a document that has none.
  private static func httpDate(_ text: String) -> String? {
    Instant(rfc3339: text).map { HTTPDate.format($0.seconds) }
  }
}
