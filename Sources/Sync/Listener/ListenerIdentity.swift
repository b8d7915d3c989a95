import Core
import Glibc
public import HTTP

/// The key by which a listener's clients know it again, made once and kept in a file.
public struct ListenerIdentity: Sendable {
  private let folder: Folder

  private static let fileName = "listener.pem"
  /// A certificate that ends sooner is made anew, in seconds.
  private static let leastRest: Int64 = 7 * 86_400
  private static let validity = Duration.seconds(10 * 365 * 86_400)

  /// - Parameter folder: where the file is kept; made if it is not there.
  public init(folder: String) { self.folder = Folder(folder) }

  /// The kept identity, or a new one that is kept from now on.
  ///
  /// - Parameter address: the numeric address that a new certificate is for, beside loopback.
  /// - Returns: the identity; its pin stays the same until the certificate ends.
  /// - Throws: `HTTPError.identity`, `.libraryMissing`, or what the disk says.
  public func identity(address: String) throws -> TLSIdentity {
    if let kept = try kept(), kept.expiry - Int64(time(nil)) > Self.leastRest { return kept }
    let made = try TLSIdentity.selfSigned(
      commonName: "tote", addresses: Array(Set(["127.0.0.1", "::1", address])).sorted(),
      names: ["localhost"], validity: Self.validity)
    try keep(made)
    return made
  }

  private func kept() throws -> TLSIdentity? {
    let path = folder.appending(Self.fileName)
    guard access(path, F_OK) == 0 else { return nil }
    let file = try OpenFile(path, O_RDONLY)
    var bytes = [UInt8](repeating: 0, count: min(try file.size(), 1 << 20))
    let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
    let text = String(decoding: bytes.prefix(count), as: UTF8.self)
    // Key and certificate stand in one file; each reader takes its own part.
    return try TLSIdentity(certificatePEM: text, keyPEM: text)
  }

  private func keep(_ identity: TLSIdentity) throws {
    try folder.create()
    let draft = folder.appending(Self.fileName + ".new-\(getpid())")
    let text = identity.keyPEM + identity.certificatePEM
    do {
      let file = try OpenFile(draft, O_WRONLY | O_CREAT | O_TRUNC)
      try Array(text.utf8).withUnsafeBytes { try file.write($0) }
      try file.synchronize()
    }
    try renameFile(draft, to: folder.appending(Self.fileName))
  }
}
