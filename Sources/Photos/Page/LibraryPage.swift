import HTTP

/// The web page of a photo library: HTML that reads well without JavaScript.
///
/// The scripts of ``PageAsset`` make it a photo stream that is alive; what they need to know is in
/// `data-` attributes, so that the page needs no script of its own.
public struct LibraryPage: Sendable {
  /// What the page tells of the library.
  public struct Site: Sendable {
    /// The name at the head of the page.
    public var name: String
    /// `open`, `invite` or `closed`: who may register.
    public var registration: String
    /// Whether only users may look.
    public var isPrivate: Bool
    /// Bytes of the largest upload.
    public var maximumBytes: Int
    /// Pixels of the largest photo.
    public var maximumPixels: Int

    /// Describes a library.
    public init(
      name: String, registration: String, isPrivate: Bool, maximumBytes: Int, maximumPixels: Int
    ) {
      self.name = name
      self.registration = registration
      self.isPrivate = isPrivate
      self.maximumBytes = maximumBytes
      self.maximumPixels = maximumPixels
    }
  }

  /// What a page shows.
  public enum View: Sendable {
    /// A part of everybody's photos; `isOlder` when it is not the newest.
    case stream(PhotoPage, isOlder: Bool)
    /// A part of one user's photos.
    case user(String, PhotoPage, isOlder: Bool)
    /// One photo.
    case photo(Photo)
    /// Nothing but the way to log in: a private library to a stranger.
    case logIn
    /// There is nothing at this address.
    case missing
    /// Something went wrong; one sentence for people.
    case failure(String)
  }

  /// The library.
  public var site: Site
  /// The name of the user who is logged in.
  public var user: String?

  /// The page of a library as a user, or a stranger, sees it.
  public init(site: Site, user: String?) {
    self.site = site
    self.user = user
  }

  /// The whole page, UTF-8.
  public func html(_ view: View) -> [UInt8] {
    let body: HTML =
      switch view {
      case .stream(let page, let isOlder): stream(page, of: nil, isOlder: isOlder)
      case .user(let name, let page, let isOlder): stream(page, of: name, isOlder: isOlder)
      case .photo(let photo): single(photo)
      case .logIn:
        Self.message("These photos are private", "Log in to see them.")
      case .missing:
        Self.message("Nothing here", "The photo may have been deleted, or the address is wrong.")
      case .failure(let sentence): Self.message("That did not work", sentence)
      }
    return Array(document(view, body).text.utf8)
  }

  /// What the page may load and run: its own files, pictures, and no text that is made a script.
  public static let contentSecurityPolicy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob: data:",
    "connect-src 'self'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'",
    "require-trusted-types-for 'script'", "trusted-types 'none'",
  ].joined(separator: "; ")
}
