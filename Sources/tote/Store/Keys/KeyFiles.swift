import Core
import Glibc

/// Reads passphrases and keys from files; `-` is standard input.
struct KeyFiles: Sendable {
  let input: InputReader

  /// Far more than a passphrase has; a picture named by mistake is refused.
  private static let limit = 4_096

  /// The passphrase in a file: all of it but one line's end.
  func passphrase(_ path: String) throws -> StoreKey {
    var bytes = try read(path)
    if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    guard !bytes.isEmpty else { throw CommandError.invalidInput("'\(path)' holds no passphrase") }
    return StoreKey(passphrase: SecretBytes(wiping: &bytes), from: .passphraseFile)
  }

  /// The key in a file: 32 bytes, or 64 hexadecimal digits.
  func key(_ path: String) throws -> StoreKey {
    var bytes = try read(path)
    defer { wipe(&bytes) }
    var key = bytes.count == StoreKey.size ? bytes : Self.decoded(bytes)
    guard let key = StoreKey(raw: SecretBytes(wiping: &key), from: .keyFile) else {
      throw CommandError.invalidInput(
        "'\(path)' holds no key: 32 bytes or 64 hexadecimal digits are expected",
        hint: "make one with 'head -c 32 /dev/urandom > FILE'")
    }
    return key
  }

  private func read(_ path: String) throws -> [UInt8] {
    let bytes = try path == "-" ? input.readAll(limit: Self.limit + 1) : readFile(path)
    guard bytes.count <= Self.limit else {
      throw CommandError.invalidInput("'\(path)' is too long for a passphrase or key")
    }
    return bytes
  }

  private static func decoded(_ digits: [UInt8]) -> [UInt8] {
    var values: [UInt8] = []
    for digit in digits where !" \t\r\n".utf8.contains(digit) {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): values.append(digit - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): values.append(digit - UInt8(ascii: "a") + 10)
      case UInt8(ascii: "A")...UInt8(ascii: "F"): values.append(digit - UInt8(ascii: "A") + 10)
      default: return []
      }
    }
    guard values.count == 2 * StoreKey.size else { return [] }
    defer { wipe(&values) }
    return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }
}
