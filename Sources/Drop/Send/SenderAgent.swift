import Core
import Glibc
import HTTP

/// How a sender tells in `User-Agent` that it is the same one: its address may become another on the
/// way, with the network or the kind of address.
enum SenderAgent {
  private static let product = "tote-drop/"

  /// The field of this user of this machine for a ticket; who has not the token learns nothing from it.
  static func field(_ token: DropToken) -> String {
    var hash = SHA256()
    hash.update(
      Array("sender \(token.text) \(HostNames.machineName ?? "") \(getuid()) ".utf8) + machineID)
    return product + hexadecimal(hash.finish().prefix(16))
  }

  /// What this machine's installation is called; empty when it has no name.
  private static var machineID: [UInt8] {
    guard let file = try? OpenFile("/etc/machine-id", O_RDONLY) else { return [] }
    return [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
      count = (try? file.read(into: UnsafeMutableRawBufferPointer(buffer))) ?? 0
    }
  }

  /// What tells a sender from others, wherever it sends from; nil for other programs.
  static func key(of field: String?) -> String? {
    guard let field, field.utf8.starts(with: product.utf8) else { return nil }
    return "agent \(field)"
  }
}
