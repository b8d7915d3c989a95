/// What opens an encrypted store: a passphrase, or the key itself.
public struct StoreKey: Sendable {
  /// Where a key came from.
  public enum Source: String, Sendable, CaseIterable {
    /// A person typed the passphrase.
    case prompt
    /// A file that holds the passphrase.
    case passphraseFile = "passphrase-file"
    /// A file that holds the key.
    case keyFile = "key-file"
    /// A variable of the environment.
    case environment
    /// The kernel's keyring, after the store was unlocked.
    case keyring
    /// The caller of this module.
    case caller
  }

  /// Where it came from.
  public let source: Source
  private let secret: SecretBytes
  private let isPassphrase: Bool

  /// Bytes of a key that is no passphrase.
  public static let size = PageCipher.keySize

  /// A passphrase, from which the key is derived with the salt of each store.
  ///
  /// - Parameters:
  ///   - passphrase: its bytes, as SQLCipher would be given them: UTF-8 without a line's end.
  ///   - source: where it came from.
  public init(passphrase: SecretBytes, from source: Source = .caller) {
    secret = passphrase
    isPassphrase = true
    self.source = source
  }

  /// A key of 32 bytes, used as it is: SQLCipher's `x'…'`.
  ///
  /// - Returns: nil for another number of bytes.
  public init?(raw key: SecretBytes, from source: Source = .caller) {
    guard key.count == Self.size else { return nil }
    secret = key
    isPassphrase = false
    self.source = source
  }

  /// The key of the pages of a file with this salt; slow for a passphrase.
  func pageKey(salt: [UInt8]) -> SecretBytes {
    isPassphrase ? PageCipher.key(passphrase: secret, salt: salt) : secret
  }
}

/// An encrypted store that is about to be opened.
public struct LockedStore: Sendable {
  /// Its name.
  public let name: String
  /// The path of its folder.
  public let path: String
  /// The salt of its file, 16 bytes; new with every change of the key.
  public let salt: [UInt8]
}

/// Gives the keys of encrypted stores when they are opened.
public protocol StoreKeyProvider: Sendable {
  /// The key of a store; nil when there is none.
  ///
  /// - Throws: what stops the opening, such as a file that cannot be read.
  func key(for store: LockedStore) throws -> StoreKey?
}

/// The keys of a store that is open.
struct StoreSecrets: Sendable {
  let pageKey: SecretBytes
  let salt: [UInt8]
  let source: StoreKey.Source

  /// Derives the keys of a file with a salt.
  init(_ key: StoreKey, salt: [UInt8]) {
    pageKey = key.pageKey(salt: salt)
    self.salt = salt
    source = key.source
  }

  /// Keys for one more connection.
  func cipher() -> PageCipher { PageCipher(key: pageKey, salt: salt) }
}
