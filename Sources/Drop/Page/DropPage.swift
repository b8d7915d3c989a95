import CPages
import Core
public import HTTP

/// The pages that a phone's browser sees when it follows a ticket: one document each, all in one.
///
/// A page loads nothing more, so that it needs one request and works where a browser is wary of the
/// receiver's certificate. Its only script and style are named in its policy by their hashes.
public struct DropPage: Sendable {
  /// The document, UTF-8.
  public let html: [UInt8]
  /// What may run in it.
  let policy: String

  init(title: String, body: HTML, script: EmbeddedFile? = nil) {
    let style = EmbeddedFile.style
    let code: HTML = script.map { "<script type=\"module\">\($0.html)</script>\n" } ?? ""
    let document: HTML = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
      <meta name="color-scheme" content="light dark">
      <title>\(title)</title>
      <link rel="icon" href="data:,">
      <style>\(style.html)</style>
      </head>
      <body>
      <main>
      \(body)</main>
      \(code)</body>
      </html>

      """
    html = Array(document.text.utf8)
    policy = [
      "default-src 'none'", "style-src '\(style.hash)'",
      script.map { "script-src '\($0.hash)'" } ?? "script-src 'none'",
      "img-src data:", "connect-src 'self'", "form-action 'self'", "base-uri 'none'",
      "frame-ancestors 'none'",
    ].joined(separator: "; ")
  }

  /// The fields of an answer with this page: its type, and what keeps it from harm.
  ///
  /// Its address is a secret, so that it is neither stored nor told to other sites.
  public var headers: HTTPHeaders {
    [
      "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy,
      "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
      "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
    ]
  }

  /// The page as an answer.
  public func response(status: Int = 200) -> HTTPResponse {
    HTTPResponse(status: status, headers: headers, body: html)
  }
}

/// A file of the pages, embedded in the program.
struct EmbeddedFile {
  let html: HTML
  /// Its SHA-256 as a content security policy writes it (CSP level 3, §2.3.1).
  let hash: String

  private init(_ name: String) {
    var number = 0
    while let file = tote_drop_page_file(number)?.pointee {
      if utf8Equal(String(cString: file.name), name) {
        let bytes = Array(UnsafeBufferPointer(start: file.bytes, count: file.size))
        var digest = SHA256()
        digest.update(bytes)
        html = HTML(trusted: bytes)
        hash = "sha256-" + Base64.encode(digest.finish())
        return
      }
      number += 1
    }
    preconditionFailure("no embedded file \(name)")
  }

  static let style = EmbeddedFile("drop.css")
  static let script = EmbeddedFile("drop.js")
}
