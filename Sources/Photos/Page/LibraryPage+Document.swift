import HTTP

extension LibraryPage {
  /// The document around what a page shows.
  func document(_ view: View, _ body: HTML) -> HTML {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
    <meta name="color-scheme" content="light dark">
    <meta name="robots" content="noindex">
    <title>\(title(view))</title>
    <link rel="icon" href="\(PageAsset.icon.path)">
    <link rel="stylesheet" href="\(PageAsset.style.path)">
    <link rel="alternate" type="application/rss+xml" title="\(site.name)" href="/feed.xml">
    <link rel="alternate" type="application/feed+json" title="\(site.name)" href="/feed.json">
    <script type="module" src="\(PageAsset.script.path)"></script>
    </head>
    <body\(facts(view))>
    \(Self.icons)
    <a class="skip" href="#photos">Skip to the photos</a>
    \(bar)
    <main id="photos" tabindex="-1">
    \(body)
    </main>
    <footer class="foot"><a href="/feed.xml">RSS</a> <a href="/feed.json">JSON feed</a></footer>
    <noscript><p class="note">To log in and add photos, allow JavaScript.</p></noscript>
    \(Self.dialogs)
    </body>
    </html>

    """
  }

  private func title(_ view: View) -> String {
    switch view {
    case .stream, .logIn: site.name
    case .user(let name, _, _): "@\(name) · \(site.name)"
    case .photo(let photo): "\(Self.words(photo)) · \(site.name)"
    case .missing: "Nothing here · \(site.name)"
    case .failure: "That did not work · \(site.name)"
    }
  }

  /// What the scripts want to know.
  private func facts(_ view: View) -> HTML {
    let isOlder: Bool
    let owner: String?
    switch view {
    case .stream(_, let flag): (owner, isOlder) = (nil, flag)
    case .user(let name, _, let flag): (owner, isOlder) = (name, flag)
    default: (owner, isOlder) = (nil, false)
    }
    return """
       data-name="\(site.name)" data-user="\(user ?? "")" data-owner="\(owner ?? "")"\
       data-registration="\(site.registration)" data-private="\(site.isPrivate ? "true" : "false")"\
       data-before="\(isOlder ? "true" : "false")"\
       data-bytes="\(site.maximumBytes)" data-pixels="\(site.maximumPixels)"
      """
  }

  /// The bar with the library's name; its buttons need the scripts.
  private var bar: HTML {
    """
    <header class="bar"><div>
    <a class="home" href="/">\(site.name)</a>
    <nav class="account" aria-label="Account">
    <button type="button" class="primary add" data-compose="choose">\
    <svg class="icon" aria-hidden="true"><use href="#icon-plus"/></svg>Add<span> photos</span></button>
    <button type="button" data-account="log-in"\(user == nil ? "" : " hidden")>Log in</button>
    <details id="menu"\(user == nil ? " hidden" : "")><summary><span>@\(user ?? "")</span></summary>
    <div><a class="button own" href="/u/\(PercentEncoding.encode(user ?? ""))">Your photos</a>
    <button type="button" data-account="log-out">Log out</button></div></details>
    </nav>
    </div></header>
    """
  }

  /// A page that only says something.
  static func message(_ title: String, _ sentence: String) -> HTML {
    """
    <div class="empty"><h1><strong>\(title)</strong></h1><p>\(sentence)</p>
    <p><a href="/">All photos</a></p></div>
    """
  }

  private static let icons = HTML(trusted: PageFiles.bytes(of: "icons.html"))
  private static let dialogs = HTML(trusted: PageFiles.bytes(of: "dialogs.html"))
}
