import HTTP

/// What a path of the server means.
///
/// Only these exact spellings are known: fixed words are compared as they were sent, so that no
/// escape makes a second name for anything, and ids have an alphabet of their own.
enum PhotoRoute: Equatable {
  case page
  case photoPage(PhotoID)
  case userPage(String)
  case asset(String)
  case picture(PhotoID, PictureSize)
  case rssFeed
  case jsonFeed
  case info
  case session
  case register
  case logIn
  case logOut
  case tokens
  case token(String)
  case photos
  /// The caller's photo that was made of these bytes.
  case sent(digest: [UInt8])
  case photo(PhotoID)
  case userPhotos(String)
  case events
  case openAPI
  case health
  case metrics
  /// The tutorial's one address.
  case tutorial
  case tutorialPicture(number: Int32, PictureSize)

  /// Finds the route of a path.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - tutorialPath: the segments below which the tutorial's addresses lie.
  init?(_ request: HTTPRequest, tutorialPath: [String] = []) {
    let words = request.rawSegments
    let last = request.segments.last ?? ""
    if words.starts(with: ["api", "v1"]) {
      self.init(api: Array(words.dropFirst(2)), request.segments.dropFirst(2).map { $0 })
      return
    }
    if words.starts(with: tutorialPath),
      let route = Self.tutorial(Array(words.dropFirst(tutorialPath.count)))
    {
      self = route
      return
    }
    switch (words.first ?? "", words.count) {
    case ("", 1): self = .page
    case ("feed.xml", 1): self = .rssFeed
    case ("feed.json", 1): self = .jsonFeed
    case ("health", 1): self = .health
    case ("metrics", 1): self = .metrics
    case ("p", 2):
      guard let id = PhotoID(words[1]) else { return nil }
      self = .photoPage(id)
    case ("u", 2): self = .userPage(last)
    case ("assets", 2): self = .asset(words[1])
    case ("photos", 3):
      guard let id = PhotoID(words[1]), let size = Self.size(words[2]) else { return nil }
      self = .picture(id, size)
    default: return nil
    }
  }

  private static func tutorial(_ words: [String]) -> PhotoRoute? {
    if words == ["index.php"] { return .tutorial }
    guard words.count == 2, words[0] == "upload", let (number, size) = tutorialPicture(words[1])
    else { return nil }
    return .tutorialPicture(number: number, size)
  }

  private init?(api words: [String], _ decoded: [String]) {
    switch (words.first ?? "", words.count) {
    case ("info", 1): self = .info
    case ("session", 1): self = .session
    case ("register", 1): self = .register
    case ("login", 1): self = .logIn
    case ("logout", 1): self = .logOut
    case ("tokens", 1): self = .tokens
    case ("tokens", 2): self = .token(decoded[1])
    case ("photos", 1): self = .photos
    case ("photos", 2):
      guard let id = PhotoID(words[1]) else { return nil }
      self = .photo(id)
    case ("photos", 3) where words[1] == "sent":
      guard let digest = Self.digest(words[2]) else { return nil }
      self = .sent(digest: digest)
    case ("users", 3) where words[2] == "photos": self = .userPhotos(decoded[1])
    case ("events", 1): self = .events
    case ("openapi.json", 1): self = .openAPI
    default: return nil
    }
  }

  /// The methods that can be used, HEAD with GET; OPTIONS is answered for all.
  var methods: [HTTPMethod] {
    switch self {
    case .register, .logIn, .logOut, .tutorial: [.post, .options]
    case .token: [.delete, .options]
    case .tokens, .photos: [.get, .head, .post, .options]
    case .photo: [.get, .head, .delete, .options]
    default: [.get, .head, .options]
    }
  }

  /// Whether other sites' pages may read it, without credentials.
  var isShared: Bool {
    switch self {
    case .picture, .tutorialPicture, .rssFeed, .jsonFeed, .info, .photos, .photo, .userPhotos,
      .events, .openAPI:
      true
    default: false
    }
  }

  /// Whether it is for readers who have logged in, where reading needs that.
  var isContent: Bool {
    switch self {
    case .picture, .tutorialPicture, .rssFeed, .jsonFeed, .photos, .photo, .userPhotos, .events:
      true
    default: false
    }
  }

  private static func size(_ name: String) -> PictureSize? {
    PictureSize.allCases.first { $0.attachmentName.utf8.elementsEqual(name.utf8) }
  }

  /// `7.jpg` and `7-thumb.jpg`.
  private static func tutorialPicture(_ name: String) -> (Int32, PictureSize)? {
    guard name.hasSuffix(".jpg") else { return nil }
    let stem = name.utf8.dropLast(4)
    let isThumbnail = stem.reversed().starts(with: "-thumb".utf8.reversed())
    let digits = isThumbnail ? stem.dropLast(6) : stem
    guard let first = digits.first, first != UInt8(ascii: "0"), digits.count <= 10,
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let number = Int32(String(decoding: digits, as: UTF8.self))
    else { return nil }
    return (number, isThumbnail ? .thumb : .full)
  }

  /// 32 bytes from 64 hexadecimal digits of either case.
  private static func digest(_ text: String) -> [UInt8]? {
    let digits = text.utf8.map { byte -> UInt8? in
      switch byte {
      case 48...57: byte - 48
      case 65...70: byte - 55
      case 97...102: byte - 87
      default: nil
      }
    }
    guard digits.count == 64 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: 64, by: 2) {
      guard let high = digits[index], let low = digits[index + 1] else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }
}
