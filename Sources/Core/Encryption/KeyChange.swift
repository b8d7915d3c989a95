import Glibc

/// What a change of a store's key did.
public struct KeyChangeReport: Sendable, Hashable {
  /// Attachments that were written anew or, by `changeKey`, got their keys wrapped anew.
  public var blobs = 0
  /// Attachments that an earlier, interrupted run had done already.
  public var resumed = 0
  /// Whether an earlier run had changed the key, and only its traces were left to remove.
  public var onlyCleaned = false
}

/// How far a change of a store's key is.
public struct KeyChangeProgress: Sendable, Hashable {
  /// What is done at the moment.
  public enum Step: String, Sendable {
    /// The database is copied.
    case database
    /// The copy is compared and checked.
    case verification
    /// Attachments are written.
    case attachments
    /// What the old key, or none, protected is overwritten and removed.
    case cleaning
  }
  /// What is done at the moment.
  public var step: Step
  /// How many things are done.
  public var done: Int
  /// Of how many.
  public var total: Int
}

extension StoreDirectory {
  /// Takes reports of progress.
  public typealias KeyChangeObserver = (KeyChangeProgress) -> Void

  /// Encrypts a plain store in place.
  ///
  /// A copy is made beside it, verified, and takes its place in one step; then the plain files are
  /// overwritten and removed. Until that step the store is as it was, whatever happens; repeating an
  /// interrupted call goes on where it was. A disk that writes elsewhere than it is told, as flash
  /// does, may keep what was overwritten.
  ///
  /// - Parameters:
  ///   - name: the store; nobody else may have it open.
  ///   - key: encrypts it.
  ///   - progress: told how far it is.
  /// - Returns: what was done.
  /// - Throws: `StoreError.busy` when another process uses the store, `.badRequest` when it is
  ///   encrypted already, `.diskFull`, or what the disk says.
  public func encrypt(
    _ name: String, with key: StoreKey, progress: @escaping KeyChangeObserver = { _ in }
  ) throws -> KeyChangeReport {
    try change(name, .encrypt, to: key, progress)
  }

  /// Makes an encrypted store a plain one, in place and as safely as `encrypt`.
  ///
  /// - Parameters:
  ///   - name: the store; nobody else may have it open.
  ///   - progress: told how far it is.
  /// - Returns: what was done.
  /// - Throws: as `encrypt`; `.locked` and `.wrongKey`.
  public func decrypt(
    _ name: String, progress: @escaping KeyChangeObserver = { _ in }
  ) throws -> KeyChangeReport {
    try change(name, .decrypt, to: nil, progress)
  }

  /// Encrypts an encrypted store with another key, in place and as safely as `encrypt`.
  ///
  /// Of the attachments only the keys are written anew.
  ///
  /// - Parameters:
  ///   - name: the store; nobody else may have it open.
  ///   - key: the new key; `keys` gives the present one.
  ///   - progress: told how far it is.
  /// - Returns: what was done.
  /// - Throws: as `encrypt`; `.locked` and `.wrongKey`.
  public func changeKey(
    of name: String, to key: StoreKey, progress: @escaping KeyChangeObserver = { _ in }
  ) throws -> KeyChangeReport {
    try change(name, .changeKey, to: key, progress)
  }

  private enum Verb {
    case encrypt, decrypt, changeKey
  }

  private func change(
    _ name: String, _ verb: Verb, to key: StoreKey?, _ progress: @escaping KeyChangeObserver
  ) throws -> KeyChangeReport {
    try Self.check(name)
    let folder = folder(of: name)
    guard folder.exists else { throw StoreError.storeNotFound(name: name) }
    let mark = try KeyChangeMark(folder)
    let change = KeyChange(name: name, folder: folder, progress: progress)
    if change.isCommitted {
      // An earlier run was interrupted when all but the cleaning was done.
      let (secrets, isNew) = try presentSecrets(name, folder, key)
      try change.clean(secrets)
      if isNew || (verb == .decrypt && secrets == nil) {
        try mark.remove()
        return KeyChangeReport(onlyCleaned: true)
      }
    }
    do {
      try check(folder, name, verb)
      let secrets = try verb == .encrypt ? nil : LocalStore.unlock(name, folder, keys)
      let report = try change.run(from: secrets, to: key)
      try mark.remove()
      return report
    } catch {
      // What was begun stays marked, for the run that goes on with it.
      if !change.hasTraces { try? mark.remove() }
      throw error
    }
  }

  private func check(_ folder: Folder, _ name: String, _ verb: Verb) throws {
    let path = folder.appending(LocalStore.fileName)
    switch (try DatabaseFile.kind(of: path), verb) {
    case (.foreign, _): throw StoreError.notAStore(path: path)
    case (.encrypted, .encrypt):
      throw StoreError.badRequest("store '\(name)' is encrypted already")
    case (.plain, .decrypt), (.plain, .changeKey):
      throw StoreError.badRequest("store '\(name)' is not encrypted")
    case (.plain, .encrypt), (.encrypted, .decrypt), (.encrypted, .changeKey): break
    }
  }

  /// The keys of the store as it is, and whether they are of the new key.
  private func presentSecrets(
    _ name: String, _ folder: Folder, _ key: StoreKey?
  ) throws -> (StoreSecrets?, isNew: Bool) {
    let path = folder.appending(LocalStore.fileName)
    if let key, case .encrypted(let salt) = try DatabaseFile.kind(of: path) {
      let secrets = StoreSecrets(key, salt: salt)
      if try DatabaseFile.opens(path, with: secrets.cipher()) { return (secrets, true) }
    }
    return (try LocalStore.unlock(name, folder, keys), false)
  }
}
