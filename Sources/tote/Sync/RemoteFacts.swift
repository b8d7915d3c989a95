import ArgumentParser
import Core
import HTTP
import Sync

/// What may be shown of a saved remote.
struct RemoteFacts: ListRow, CommandResult {
  let remote: SavedRemote

  init(_ remote: SavedRemote) { self.remote = remote }

  static let outputKeys = [
    OutputKey("name", "string", "the remote's name"),
    OutputKey("url", "string", "the database's URL, without user and password"),
    OutputKey("user", "string", "who asks; null for nobody in particular"),
    OutputKey("secret", "string", "what is saved: 'password', 'token', 'iam key' or null"),
    OutputKey("pin", "string", "the public key the server must have, or null"),
    OutputKey("ca", "string", "the file of trusted authorities, or null"),
  ]

  static let columns = [
    Column("NAME", .identifier), Column("URL"), Column("USER", dropOrder: 1),
  ]

  private var secretWord: String? {
    switch remote.secret {
    case .none: nil
    case .password: "password"
    case .token: "token"
    case .iamKey: "iam key"
    }
  }

  var json: JSON {
    func text(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }
    return [
      "name": .string(remote.name), "url": .string("\(remote.url)"), "user": text(remote.user),
      "secret": text(secretWord), "pin": text(remote.pin.map { "\($0)" }),
      "ca": text(remote.authorities),
    ]
  }

  func cells(on screen: Screen) -> [Cell] {
    [Cell(remote.name), Cell("\(remote.url)"), Cell(remote.user ?? "", look: .dim)]
  }

  func show(on screen: Screen) throws(OutputError) {
    var pairs = [("name", remote.name), ("url", "\(remote.url)")]
    if let user = remote.user { pairs.append(("user", user)) }
    if let secretWord { pairs.append((secretWord, "saved")) }
    if let pin = remote.pin { pairs.append(("pin", "\(pin)")) }
    if let authorities = remote.authorities { pairs.append(("ca", authorities)) }
    try screen.pairs(pairs.map { (name: $0.0, value: $0.1) })
  }
}
