import CKeyring
import CPageCipher
import Glibc

/// Keys of encrypted stores in the kernel's keyring: never on a disk, gone after a time or a restart.
///
/// A key lies in the user's keyring under the name `tote:` and the file's salt in hexadecimal digits;
/// a changed key has another salt, so an old one is never found for it.
public enum StoreKeyring {
  /// Finds the key of a store; nil when it is locked.
  ///
  /// - Throws: `KeyringError` when the kernel refuses.
  public static func key(of store: LockedStore) throws(KeyringError) -> StoreKey? {
    let serial = tote_keyring_find(name(store.salt))
    guard serial >= 0 else {
      if isAbsence(errno) { return nil }
      throw KeyringError(operation: "search", errorNumber: errno)
    }
    var length = 0
    let secret = SecretBytes(count: StoreKey.size) { memory in
      length = tote_keyring_read(serial, memory.baseAddress, memory.count)
    }
    guard length >= 0 else {
      if isAbsence(errno) { return nil }
      throw KeyringError(operation: "read", errorNumber: errno)
    }
    return length == StoreKey.size ? StoreKey(raw: secret, from: .keyring) : nil
  }

  /// Keeps a key for some seconds.
  static func add(_ key: SecretBytes, salt: [UInt8], seconds: Int) throws(KeyringError) {
    let serial = key.withBase {
      tote_keyring_add(name(salt), $0, key.count, UInt32(clamping: seconds))
    }
    guard serial >= 0 else { throw KeyringError(operation: "add to", errorNumber: errno) }
  }

  /// Forgets a key; false when there was none.
  static func remove(salt: [UInt8]) throws(KeyringError) -> Bool {
    let serial = tote_keyring_find(name(salt))
    guard serial >= 0 else {
      if isAbsence(errno) { return false }
      throw KeyringError(operation: "search", errorNumber: errno)
    }
    guard tote_keyring_remove(serial) >= 0 else {
      throw KeyringError(operation: "remove from", errorNumber: errno)
    }
    return true
  }

  private static func name(_ salt: [UInt8]) -> String { "tote:" + hexadecimal(salt) }

  private static func isAbsence(_ code: Int32) -> Bool {
    [ENOKEY, EKEYEXPIRED, EKEYREVOKED].contains(code)
  }
}

/// The kernel's keyring refused.
public struct KeyringError: Error, Sendable, Hashable {
  /// What was tried, as a verb before "the keyring".
  public let operation: String
  /// The `errno`.
  public let errorNumber: Int32
}

extension StoreDirectory {
  /// Puts the key of an encrypted store into the kernel's keyring, once it is known to fit.
  ///
  /// - Parameters:
  ///   - name: the store; `keys` gives its key.
  ///   - seconds: how long the keyring keeps it.
  /// - Throws: `StoreError.locked`, `.wrongKey`, `.badRequest` for a plain store; `KeyringError`.
  public func unlock(_ name: String, seconds: Int) throws {
    guard let secrets = try LocalStore.unlock(name, try existing(name), keys) else {
      throw StoreError.badRequest("store '\(name)' is not encrypted")
    }
    try StoreKeyring.add(secrets.pageKey, salt: secrets.salt, seconds: seconds)
  }

  /// Takes the key of an encrypted store out of the kernel's keyring.
  ///
  /// - Returns: false when it was not there.
  /// - Throws: `StoreError.badRequest` for a plain store; `KeyringError`.
  public func lock(_ name: String) throws -> Bool {
    guard let salt = try salt(of: name) else {
      throw StoreError.badRequest("store '\(name)' is not encrypted")
    }
    return try StoreKeyring.remove(salt: salt)
  }

  /// Whether a store is encrypted, which can be told without its key.
  public func isEncrypted(_ name: String) throws -> Bool { try salt(of: name) != nil }

  private func salt(of name: String) throws -> [UInt8]? {
    let path = try existing(name).appending(LocalStore.fileName)
    switch try DatabaseFile.kind(of: path) {
    case .plain: return nil
    case .encrypted(let salt): return salt
    case .foreign: throw StoreError.notAStore(path: path)
    }
  }

  private func existing(_ name: String) throws -> Folder {
    try Self.check(name)
    let folder = folder(of: name)
    guard folder.exists else { throw StoreError.storeNotFound(name: name) }
    return folder
  }
}
