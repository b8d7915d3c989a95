import Core
import HTTP

/// The text of a session or an API token: `tote_`, the user in base64url, a point, and 256 random
/// bits in base64url.
struct TokenText {
  let user: String
  let text: String

  private static let prefix = "tote_"
  private static let secretLength = 43

  /// Reads a token; nil when the text has another form.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count <= 256, bytes.starts(with: Self.prefix.utf8),
      let point = bytes.lastIndex(of: UInt8(ascii: ".")),
      bytes.count - point - 1 == Self.secretLength,
      bytes[(point + 1)...].allSatisfy(Self.isDigit),
      let name = Base64.decodeFromURL(bytes[Self.prefix.utf8.count..<point])
        .map({ String(decoding: $0, as: UTF8.self) }),
      PhotoText.isUserName(name)
    else { return nil }
    user = name
    self.text = text
  }

  private init(user: String, text: String) {
    self.user = user
    self.text = text
  }

  /// Makes the token of a user.
  static func make(_ user: String) -> TokenText {
    let secret = (0..<32).map { _ in UInt8.random(in: 0...255) }
    return TokenText(
      user: user, text: prefix + Base64.encodeForURL(user.utf8) + "." + Base64.encodeForURL(secret))
  }

  /// What is stored of it.
  ///
  /// A plain hash does: the secret has 256 random bits.
  var hash: String {
    var hasher = SHA256()
    hasher.update(Array(text.utf8))
    return hexadecimal(hasher.finish())
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x5f: true
    default: false
    }
  }
}

/// One session or API token, as it is stored.
struct LoginEntry: Sendable, Hashable {
  var hash: String
  /// When it was made or last used, in milliseconds since 1970.
  var seen: Int64
  /// The fingerprint of the password it was made under.
  var password: String
  /// What makes it an API token.
  var token: PhotoToken?
}

/// The local document that holds a user's sessions and API tokens.
struct LoginDocument: Equatable {
  let user: String
  var sessions: [LoginEntry] = []
  var tokens: [LoginEntry] = []
  private var revision: RevisionID?

  /// The document's id.
  static func id(of user: String) -> String { "_local/photo-login:" + user }

  /// Reads a document; none for nil.
  init(user: String, _ document: Document?) {
    self.user = user
    guard let document else { return }
    revision = document.revision
    let members = document.body.members
    sessions = (members["sessions"]?.arrayValue ?? []).compactMap { Self.entry($0) }
    tokens = (members["tokens"]?.arrayValue ?? []).compactMap { json in
      guard var entry = Self.entry(json), let id = json["id"]?.stringValue,
        let scope = json["scope"]?.stringValue.flatMap(PhotoScope.init(rawValue:))
      else { return nil }
      entry.token = PhotoToken(
        id: id, label: json["label"]?.stringValue ?? "", scope: scope,
        created: PhotoDocument.timestamp(entry.seen))
      return entry
    }
  }

  private static func entry(_ json: JSON) -> LoginEntry? {
    guard let hash = json["hash"]?.stringValue, let seen = json["seen"]?.integerValue,
      let password = json["password"]?.stringValue
    else { return nil }
    return LoginEntry(hash: hash, seen: seen, password: password)
  }

  /// What is stored.
  var document: Document {
    get throws {
      func json(_ entry: LoginEntry) -> JSON {
        var members: JSONObject = [
          "hash": .string(entry.hash), "seen": .integer(entry.seen),
          "password": .string(entry.password),
        ]
        if let token = entry.token {
          members["id"] = .string(token.id)
          members["label"] = .string(token.label)
          members["scope"] = .string(token.scope.rawValue)
        }
        return .object(members)
      }
      return Document(
        id: Self.id(of: user), revision: revision,
        body: try DocumentBody([
          "sessions": .array(sessions.map(json)), "tokens": .array(tokens.map(json)),
        ]))
    }
  }

  /// The entry of a hash.
  func entry(_ hash: String) -> LoginEntry? {
    let hash = Array(hash.utf8)
    return (sessions + tokens).first { equalInConstantTime(Array($0.hash.utf8), hash) }
  }

  /// Whether both say the same, whatever their revisions.
  func isSame(as other: LoginDocument) -> Bool {
    sessions == other.sessions && tokens == other.tokens
  }
}
