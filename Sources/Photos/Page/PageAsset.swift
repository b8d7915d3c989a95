import CPages
import Core

/// A file that the library's page loads; all of them are part of the program.
public struct PageAsset: Sendable {
  /// Its name: `app.js`.
  public let name: String
  /// Its media type, with the character set.
  public let contentType: String
  /// Its content.
  public let bytes: [UInt8]
  /// Sixteen hex digits that change with the content.
  public let version: String

  /// Where the page loads it; since the address changes with the content, it may be kept for ever.
  public var path: String { "/assets/\(name)?v=\(version)" }

  private init(name: String, contentType: String) {
    let bytes = PageFiles.bytes(of: name)
    var hash = SHA256()
    hash.update(bytes)
    self.name = name
    self.contentType = contentType
    self.bytes = bytes
    version = hexadecimal(hash.finish().prefix(8))
  }

  /// Every file that may be asked for.
  public static let all = [script, style, icon]

  /// The file of a name, compared by bytes; nil when there is none.
  public static func named(_ name: String) -> PageAsset? {
    all.first { utf8Equal($0.name, name) }
  }

  static let script = PageAsset(name: "app.js", contentType: "text/javascript; charset=utf-8")
  static let style = PageAsset(name: "app.css", contentType: "text/css; charset=utf-8")
  static let icon = PageAsset(name: "icon.svg", contentType: "image/svg+xml")
}

/// The files embedded in the program.
enum PageFiles {
  static func bytes(of name: String) -> [UInt8] {
    var number = 0
    while let file = tote_photo_page_file(number)?.pointee {
      if utf8Equal(String(cString: file.name), name) {
        return Array(UnsafeBufferPointer(start: file.bytes, count: file.size))
      }
      number += 1
    }
    preconditionFailure("no embedded file \(name)")
  }
}
