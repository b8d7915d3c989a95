import CPageCipher
import CSQLite

/// The keys of one connection to an encrypted database, in the format of SQLCipher 4.
///
/// A page has 4,096 bytes: 4,016 of content, encrypted with AES-256 in CBC mode; 16 bytes of
/// initialisation vector; 64 bytes of HMAC-SHA512 over both and the page's number. The first 16 bytes
/// of the file are the salt. Use from one thread at a time, as the connection itself.
package final class PageCipher {
  private let cipher: OpaquePointer

  /// Bytes of a page.
  package static let pageSize = 4_096
  /// Bytes of the salt at the file's beginning.
  package static let saltSize = 16
  /// Bytes of the key of the pages.
  package static let keySize = 32
  /// Bytes at a page's end that hold no content.
  static let reservedSize = 80
  /// Rounds of PBKDF2-HMAC-SHA512 that make a passphrase a key.
  package static let rounds: UInt32 = 256_000

  /// Prepares the keys.
  ///
  /// - Parameters:
  ///   - key: the key of the pages, 32 bytes.
  ///   - salt: the file's salt, 16 bytes.
  package init(key: SecretBytes, salt: [UInt8]) {
    precondition(key.count == Self.keySize && salt.count == Self.saltSize)
    guard let made = key.withBase({ tote_page_cipher_create($0, salt) }) else {
      preconditionFailure("out of memory")
    }
    cipher = made
  }

  deinit { tote_page_cipher_release(cipher) }

  /// Derives the key of the pages from a passphrase; takes about 0.2 seconds.
  package static func key(
    passphrase: SecretBytes, salt: [UInt8], rounds: UInt32 = rounds
  ) -> SecretBytes {
    SecretBytes(count: keySize) { key in
      passphrase.withBase {
        tote_page_key_derive(
          $0, passphrase.count, salt, salt.count, rounds,
          key.baseAddress?.assumingMemoryBound(to: UInt8.self))
      }
    }
  }

  // MARK: SQLite

  /// The name of the file system, for `sqlite3_open_v2`.
  ///
  /// - Throws: `StoreError.sqlite` when SQLite refuses it.
  static func fileSystem(path: String) throws(StoreError) -> String {
    guard let name = tote_page_vfs_register() else {
      throw .sqlite(code: SQLITE_ERROR, message: "no file system for encrypted files", path: path)
    }
    return String(cString: name)
  }

  /// The query of the URI that opens a file with these keys.
  var uriQuery: String { "tote_cipher=\(tote_page_cipher_id(cipher))" }

  // MARK: Pages

  /// Encrypts a page; nil when its reserved bytes are not zeros.
  package func encrypted(_ plain: [UInt8], number: UInt32) -> [UInt8]? {
    precondition(plain.count == Self.pageSize)
    var page = [UInt8](repeating: 0, count: Self.pageSize)
    return tote_page_encrypt(cipher, number, plain, &page) == 0 ? page : nil
  }

  /// Checks and decrypts a page; nil when it does not match its authentication code.
  package func decrypted(_ page: [UInt8], number: UInt32) -> [UInt8]? {
    precondition(page.count == Self.pageSize)
    var plain = [UInt8](repeating: 0, count: Self.pageSize)
    return tote_page_decrypt(cipher, number, page, &plain) == 0 ? plain : nil
  }

  // MARK: Damage

  /// What did not match its authentication code.
  enum Damage: Hashable {
    case page(UInt32)
    case journal(page: UInt32)
    case log(record: UInt32)
  }

  /// The first damage since the last call.
  func takeDamage() -> Damage? {
    var number: UInt32 = 0
    switch tote_page_cipher_take_damage(cipher, &number) {
    case TOTE_DAMAGE_DATABASE: return .page(number)
    case TOTE_DAMAGE_JOURNAL: return .journal(page: number)
    case TOTE_DAMAGE_LOG: return .log(record: number)
    default: return nil
    }
  }

  /// The record at which the log ended although the record belongs to it; nil when it ended as logs do.
  var cutLogRecord: Int? {
    let record = tote_page_cipher_cut_log(cipher)
    return record == 0 ? nil : Int(record)
  }
}

extension PageCipher.Damage {
  /// What is wrong, as the end of a sentence about the database.
  var detail: String {
    switch self {
    case .page(let number): "page \(number) does not match its authentication code"
    case .journal(0): "the head of its journal does not match its authentication code"
    case .journal(let page): "page \(page) in its journal does not match its authentication code"
    case .log(0): "the head of its log does not match its checksum"
    case .log(let record): "record \(record) of its log does not match its authentication code"
    }
  }
}
