import HTTP

extension LibraryPage {
  /// The grid with its ways to older and newer photos.
  func stream(_ page: PhotoPage, of owner: String?, isOlder: Bool) -> HTML {
    let path = owner.map { "/u/" + PercentEncoding.encode($0) } ?? "/"
    let heading: HTML =
      owner.map { "<div class=\"heading\"><h1><bdi>@\($0)</bdi></h1></div>" }
      ?? "<h1 class=\"unseen\">Photos</h1>"
    let newest: HTML =
      isOlder ? "<p class=\"newest\"><a href=\"\(path)\">Newest photos</a></p>" : ""
    let tiles = page.photos.enumerated().map { place, photo in
      tile(photo, isFirst: place < 12)
    }
    let next = page.next?.description ?? ""
    return """
      \(heading)
      \(newest)<ul class="grid" role="list" aria-label="Photos">
      \(tiles)</ul>
      <p class="older" data-before="\(next)"\(next.isEmpty ? " hidden" : "")>\
      <a href="\(path)?before=\(next)" rel="next">Older photos</a></p>
      \(empty(owner, isHidden: !page.photos.isEmpty))
      """
  }

  private func empty(_ owner: String?, isHidden: Bool) -> HTML {
    let sentence =
      owner == nil ? "Add the first one." : "Nothing has been added so far."
    return """
      <div class="empty"\(isHidden ? " hidden" : "")>\
      <svg class="icon" aria-hidden="true"><use href="#icon-photo"/></svg>\
      <p><strong>No photos yet</strong>\(sentence)</p></div>
      """
  }

  private func tile(_ photo: Photo, isFirst: Bool) -> HTML {
    let loading: HTML = isFirst ? "" : " loading=\"lazy\""
    return """
      <li class="tile"\(Self.facts(photo))>\
      <a class="open" href="/p/\(photo.id.description)">\
      <img src="/photos/\(photo.id.description)/thumb.jpg" alt="\(Self.words(photo))" width="320"\
       height="320" decoding="async"\(loading)></a>\
      <a class="by" href="/u/\(PercentEncoding.encode(photo.user))">@\(photo.user)</a></li>

      """
  }

  /// A photo's own page.
  func single(_ photo: Photo) -> HTML {
    let id = photo.id.description
    let heading: HTML =
      photo.title.isEmpty
      ? "<h1 class=\"untitled\">Untitled</h1>" : "<h1 dir=\"auto\">\(photo.title)</h1>"
    let bytes = photo.picture(.full).map { ", " + HTML.size($0.length) } ?? ""
    return """
      <article class="single"\(Self.facts(photo))>
      <img src="/photos/\(id)/view.jpg" alt="\(Self.words(photo))" width="\(photo.width)"\
       height="\(photo.height)">
      <div class="caption">\(heading)
      <p><a class="by" href="/u/\(PercentEncoding.encode(photo.user))">@\(photo.user)</a> ·
      <time datetime="\(photo.created)">\(Self.day(photo.created))</time> ·
      <a href="/photos/\(id)/full.jpg">\(photo.width) × \(photo.height)\(bytes)</a></p>
      <p><a href="/">All photos</a></p></div>
      </article>
      <div class="behind" hidden>
      \(stream(PhotoPage(photos: [], next: nil), of: nil, isOlder: false))
      </div>
      """
  }

  /// A photo in attributes, for the scripts.
  private static func facts(_ photo: Photo) -> HTML {
    """
     data-id="\(photo.id.description)" data-title="\(photo.title)" data-user="\(photo.user)"\
     data-width="\(photo.width)" data-height="\(photo.height)" data-created="\(photo.created)"\
     data-placeholder="\(Base64.encode(photo.placeholder))"\
     data-bytes="\(photo.picture(.full)?.length ?? 0)"
    """
  }

  /// What stands for the picture in words.
  static func words(_ photo: Photo) -> String {
    photo.title.isEmpty ? "Photo by @\(photo.user)" : photo.title
  }

  /// The day of an RFC 3339 time in UTC: `30 November 2026`; other text as it is.
  static func day(_ time: String) -> String {
    let months = [
      "January", "February", "March", "April", "May", "June", "July", "August", "September",
      "October", "November", "December",
    ]
    let parts = time.prefix(10).split(separator: "-").map { Int($0) ?? 0 }
    guard parts.count == 3, months.indices.contains(parts[1] - 1) else { return time }
    return "\(parts[2]) \(months[parts[1] - 1]) \(parts[0])"
  }
}
