import CGnuTLS
import Glibc

/// A private key with its certificate: who a TLS server is.
public struct TLSIdentity: Sendable {
  /// The certificate, with its chain if there is one, as PEM.
  public let certificatePEM: String
  /// The private key as PEM, PKCS #8 when made here: a secret.
  public let keyPEM: String
  /// SHA-256 of the public key (DER SubjectPublicKeyInfo), 32 bytes: what peers pin.
  public let publicKeyDigest: [UInt8]

  /// Takes PEM texts, checking that the key is the certificate's.
  ///
  /// - Throws: `HTTPError.identity`, `.libraryMissing`.
  public init(certificatePEM: String, keyPEM: String) throws(HTTPError) {
    try Self.load()
    let pair = tote_tls_check_pair(
      certificatePEM, certificatePEM.utf8.count, keyPEM, keyPEM.utf8.count)
    guard pair == 0 else { throw Self.error(pair) }
    self.certificatePEM = certificatePEM
    self.keyPEM = keyPEM
    publicKeyDigest = try Self.publicKeyDigest(certificatePEM: certificatePEM)
  }

  /// Makes a fresh P-256 key and a certificate signed by itself, which takes about 10 ms.
  ///
  /// - Parameters:
  ///   - commonName: the subject's name, for people.
  ///   - addresses: numeric addresses that the certificate is for.
  ///   - names: DNS names that it is for.
  ///   - validity: how long it is valid; it begins an hour before now, since clocks differ.
  /// - Returns: the identity; its pin is that of the fresh key.
  /// - Throws: `HTTPError.identity`, `.libraryMissing`.
  public static func selfSigned(
    commonName: String, addresses: [String] = [], names: [String] = [],
    validity: Duration = .seconds(365 * 86_400)
  ) throws(HTTPError) -> TLSIdentity {
    try load()
    var storage: [(bytes: [UInt8], isAddress: Bool)] = names.map { (Array($0.utf8), false) }
    for address in addresses {
      guard let bytes = addressBytes(address) else {
        throw .identity(code: 0, text: "'\(address)' is not a numeric address")
      }
      storage.append((bytes, true))
    }
    let now = Int64(time(nil))
    var key: UnsafeMutablePointer<CChar>?
    var certificate: UnsafeMutablePointer<CChar>?
    // One block for all names, so that their addresses stay put during the call.
    let block = storage.flatMap(\.bytes)
    let code = block.withUnsafeBufferPointer { block in
      var offset = 0
      let list = storage.map { name in
        defer { offset += name.bytes.count }
        return tote_tls_name(
          bytes: block.baseAddress?.advanced(by: offset), size: UInt32(name.bytes.count),
          is_address: name.isAddress ? 1 : 0)
      }
      return tote_tls_make_identity(
        commonName, list, list.count, now - 3600, now + validity.components.seconds, &key,
        &certificate)
    }
    defer {
      tote_tls_free(key)
      tote_tls_free(certificate)
    }
    guard code == 0, let key, let certificate else { throw error(code) }
    return try TLSIdentity(
      certificatePEM: String(cString: certificate), keyPEM: String(cString: key))
  }

  /// The pin as curl writes it, `sha256//` and 44 characters of base64.
  public var pin: TLSPin { TLSPin(publicKeyDigest) }

  /// When the certificate ends, in seconds since 1970.
  public var expiry: Int64 { tote_tls_expiry(certificatePEM, certificatePEM.utf8.count) }

  /// SHA-256 of the public key of a certificate.
  ///
  /// - Throws: `HTTPError.identity`, `.libraryMissing`.
  public static func publicKeyDigest(certificatePEM: String) throws(HTTPError) -> [UInt8] {
    try load()
    var digest = [UInt8](repeating: 0, count: 32)
    let code = tote_tls_public_key_digest(certificatePEM, certificatePEM.utf8.count, &digest)
    guard code == 0 else { throw error(code) }
    return digest
  }

  private static func load() throws(HTTPError) {
    guard tote_tls_load() == 0 else {
      throw .libraryMissing(name: "GnuTLS", package: "libgnutls30")
    }
  }

  private static func error(_ code: Int32) -> HTTPError {
    .identity(code: Int(code), text: String(cString: tote_tls_error_text(code)))
  }

  private static func addressBytes(_ text: String) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET6, text, &bytes) == 1 { return bytes }
    if inet_pton(AF_INET, text, &bytes) == 1 { return Array(bytes[..<4]) }
    return nil
  }
}

/// The SHA-256 of a peer's public key, by which the peer is known whatever its certificate says.
public struct TLSPin: Sendable, Hashable, CustomStringConvertible {
  /// 32 bytes.
  public let digest: [UInt8]

  /// Wraps a digest of 32 bytes.
  public init(_ digest: [UInt8]) {
    precondition(digest.count == 32, "a pin is a SHA-256")
    self.digest = digest
  }

  /// Parses `sha256//BASE64`; nil when it is none.
  public init?(_ text: String) {
    guard text.utf8.starts(with: "sha256//".utf8),
      let bytes = Base64.decode(text.utf8.dropFirst(8).text), bytes.count == 32
    else { return nil }
    digest = bytes
  }

  /// `sha256//BASE64`.
  public var description: String { "sha256//\(Base64.encode(digest))" }
}
