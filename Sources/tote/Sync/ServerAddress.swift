import Core
import Glibc
import HTTP
import Sync

/// Where a command's server listens and with which key: what `sync serve` and `photo serve` share.
struct ServerAddress {
  /// As it was typed.
  private let bind: String
  /// The numeric address that is listened on.
  let address: String
  /// The key for TLS; nil for plain HTTP.
  let identity: TLSIdentity?

  /// - Parameters:
  ///   - bind: a numeric address or `localhost`.
  ///   - tls: whether https is served.
  ///   - certificate: the certificate's file; nil for a key that is made and kept in `folder`.
  ///   - key: the certificate's key file.
  ///   - folder: where the stores are.
  /// - Throws: `CommandError` when the address or the certificate cannot be used.
  init(bind: String, tls: Bool, certificate: String?, key: String?, folder: String) throws {
    self.bind = bind
    address = try Self.numericAddress(
      bind, hint: "give one such as 127.0.0.1, 0.0.0.0 or '::' with '--bind'")
    identity =
      tls
      ? try Self.identity(certificate: certificate, key: key, address: address, folder: folder)
      : nil
  }

  /// Whether only this machine can connect.
  var isLoopback: Bool { address.hasPrefix("127.") || address == "::1" }

  /// The URL of the server's root, as it was named.
  func url(port: UInt16) -> String {
    let host = bind.contains(":") ? "[\(bind)]" : bind
    return "\(identity != nil ? "https" : "http")://\(host):\(port)/"
  }

  /// Starts a server and words what keeps it from listening.
  ///
  /// - Throws: `CommandError`, and what else `start` throws.
  func listening(_ start: () throws -> UInt16) throws -> UInt16 {
    do {
      return try start()
    } catch let HTTPError.cannotListen(address, port, code, _) {
      let (status, word, hint): (ExitClass, String, String) =
        switch Int32(code) {
        case EADDRINUSE:
          (.cannotCreate, "cannot_create", "choose another one with '--port', 0 for a free one")
        case EACCES, EPERM:
          (.notPermitted, "forbidden", "ports below 1024 are for root: choose another '--port'")
        default:
          (.cannotCreate, "cannot_create", "give an address of this machine with '--bind'")
        }
      throw CommandError(
        status, word,
        "cannot listen on '\(address)' port \(port): \(systemMessage(Int32(code)))", hint: hint)
    }
  }

  /// A numeric address; `localhost` is one, too.
  ///
  /// - Throws: `CommandError` with status 64 and the hint when it is none.
  static func numericAddress(_ text: String, hint: String) throws(CommandError) -> String {
    if text == "localhost" { return "127.0.0.1" }
    var bytes = in6_addr()
    guard inet_pton(AF_INET, text, &bytes) == 1 || inet_pton(AF_INET6, text, &bytes) == 1 else {
      throw .usage("'\(text)' is not a numeric address", hint: hint)
    }
    return text
  }

  private static func identity(
    certificate: String?, key: String?, address: String, folder: String
  ) throws -> TLSIdentity {
    do {
      guard let certificate, let key else {
        return try ListenerIdentity(folder: folder).identity(address: address)
      }
      return try TLSIdentity(
        certificatePEM: String(decoding: try readFile(certificate), as: UTF8.self),
        keyPEM: String(decoding: try readFile(key), as: UTF8.self))
    } catch HTTPError.identity(_, let text) {
      throw CommandError.invalidInput(
        "certificate or key cannot be used: \(text)",
        hint: "give a certificate and its own key, both as PEM")
    }
  }
}
