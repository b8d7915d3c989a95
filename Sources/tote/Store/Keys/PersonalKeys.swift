import Core
import Synchronization

/// Where the keys of a person's encrypted stores come from: the options, the environment, the
/// kernel's keyring, and at last the person.
///
/// What was found is kept for the run, so that nobody is asked twice and no key is derived twice.
final class PersonalKeys: StoreKeyProvider {
  private let passphraseFile: String?
  private let keyFile: String?
  private let environment: Environment
  private let prompt: Prompt
  private let files: KeyFiles
  private let found = Mutex<[String: StoreKey]>([:])

  /// - Parameters:
  ///   - options: name files.
  ///   - environment: may hold a passphrase.
  ///   - streams: `-` is read from here.
  ///   - prompt: asks the person.
  init(options: GlobalOptions, environment: Environment, streams: Streams, prompt: Prompt) {
    passphraseFile = options.passphraseFile
    keyFile = options.keyFile
    self.environment = environment
    self.prompt = prompt
    files = KeyFiles(input: streams.input)
  }

  func key(for store: LockedStore) throws -> StoreKey? {
    if let known = try knownKey(for: store) { return known }
    guard prompt.canAsk else { return nil }
    return try remembered(Self.name(store)) {
      try prompt.passphrase("passphrase of store '\(store.name)': ").map {
        StoreKey(passphrase: $0, from: .prompt)
      }
    }
  }

  /// The key of a store that can be had without a question.
  fileprivate func knownKey(for store: LockedStore) throws -> StoreKey? {
    if let given = try given() { return given }
    // A kernel that has no keyring, or keeps it from this process, is one more without a key in it.
    if let key = try? StoreKeyring.key(of: store) { return key }
    return found.withLock { $0[Self.name(store)] }
  }

  private static func name(_ store: LockedStore) -> String { "prompt " + store.path }

  /// The key that an option or the environment names; nil when none does.
  func given() throws -> StoreKey? {
    try remembered("given") {
      if let keyFile { return try files.key(keyFile) }
      if let passphraseFile { return try files.passphrase(passphraseFile) }
      guard let text = environment.nonEmpty("TOTE_PASSPHRASE") else { return nil }
      var bytes = Array(text.utf8)
      return StoreKey(passphrase: SecretBytes(wiping: &bytes), from: .environment)
    }
  }

  private func remembered(_ name: String, _ make: () throws -> StoreKey?) throws -> StoreKey? {
    if let key = found.withLock({ $0[name] }) { return key }
    guard let key = try make() else { return nil }
    found.withLock { $0[name] = key }
    return key
  }
}

/// The keys that can be had without a question: for what looks at every store, and for servers.
struct SilentKeys: StoreKeyProvider {
  let keys: PersonalKeys

  func key(for store: LockedStore) throws -> StoreKey? { try keys.knownKey(for: store) }
}
