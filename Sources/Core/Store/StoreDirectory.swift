import Glibc

/// The folder that holds a person's stores, one folder each.
public struct StoreDirectory: Sendable {
  /// The folder's path.
  public let path: String
  /// When writes to the stores opened from here count as done.
  public var durability: LocalStore.Durability
  /// Where the keys of encrypted stores come from; without one they stay locked.
  public var keys: (any StoreKeyProvider)?

  private static let suffix = ".store"

  /// Names that `tote sync NAME …` would read as verbs.
  public static let reservedNames: Set<String> = [
    "run", "pull", "push", "remote", "status", "serve",
  ]

  /// Stores of the program itself, whose names the rule for names would refuse.
  private static let systemNames: Set<String> = ["_users", "_replicator"]

  /// Names a folder; it is made when the first store is created.
  public init(
    path: String, durability: LocalStore.Durability = .normal,
    keys: (any StoreKeyProvider)? = nil
  ) {
    self.path = path
    self.durability = durability
    self.keys = keys
  }

  /// Names of all stores, sorted by their bytes; empty when the folder does not exist.
  public func names() throws -> [String] {
    let folder = Folder(path)
    guard folder.exists else { return [] }
    return try folder.names().compactMap { file in
      guard file.utf8.count > Self.suffix.utf8.count, file.hasSuffix(Self.suffix) else {
        return nil
      }
      let name = Self.unescaped(String(file.dropLast(Self.suffix.count)))
      return (try? Self.check(name)) == nil ? nil : name
    }.sorted { utf8Less($0, $1) }
  }

  /// Whether a store of that name exists.
  public func contains(_ name: String) -> Bool {
    (try? Self.check(name)) != nil && folder(of: name).exists
  }

  /// Makes a new, empty store.
  ///
  /// - Parameters:
  ///   - name: the store's name.
  ///   - collation: how its strings are ordered.
  ///   - isPartitioned: whether every document's id has to name a partition.
  ///   - key: encrypts the store in the format of SQLCipher 4; nil makes a plain one.
  /// - Returns: the open store.
  /// - Throws: `StoreError.storeExists`, `.invalidStoreName`, or what the disk says.
  public func create(
    _ name: String, collation: Collation = .codePoint, isPartitioned: Bool = false,
    key: StoreKey? = nil
  ) throws -> LocalStore {
    try checkNew(name)
    guard !isPartitioned || !Self.systemNames.contains(name) else {
      throw StoreError.badRequest("Cannot partition a system database")
    }
    try Folder(path).create()
    return try LocalStore.create(
      name: name, folder: folder(of: name), collation: collation, isPartitioned: isPartitioned,
      durability: durability, key: key)
  }

  /// Checks that a store of that name may be made.
  func checkNew(_ name: String) throws {
    try Self.check(name)
    guard !Self.reservedNames.contains(name) else {
      throw StoreError.invalidStoreName(name: name, reason: "it is a verb of 'tote sync'")
    }
    guard !contains(name) else { throw StoreError.storeExists(name: name) }
  }

  /// Opens a store.
  ///
  /// - Throws: `StoreError.storeNotFound` when there is none, `.newerFormat`, `.notAStore`,
  ///   `.damaged`, `.locked` and `.wrongKey` when it is encrypted, what `keys` throws, or what the
  ///   disk says.
  public func open(_ name: String) throws -> LocalStore {
    try Self.check(name)
    return try LocalStore.open(
      name: name, folder: folder(of: name), durability: durability, keys: keys)
  }

  /// Removes a store with all its documents and attachments.
  public func delete(_ name: String) throws {
    try Self.check(name)
    let folder = folder(of: name)
    guard folder.exists else { throw StoreError.storeNotFound(name: name) }
    // Renamed first: a deletion cut short never leaves half a store under the name.
    let doomed = Folder(folder.path + ".deleted-\(getpid())")
    try renameFile(folder.path, to: doomed.path)
    try doomed.removeTree()
  }

  /// Removes the folder with all its stores, as far as that can be done.
  package func removeAll() {
    // What is left lies in a temporary folder, which the system empties.
    try? Folder(path).removeTree()
  }

  /// The folder of a store, whether it exists or not.
  package func folder(of name: String) -> Folder {
    Folder(path).subfolder(Self.escaped(name) + Self.suffix)
  }

  // MARK: Names

  /// Checks CouchDB's rule for names: `^[a-z][a-z0-9_$()+/-]*$`, at most 238 bytes.
  public static func check(_ name: String) throws {
    func refuse(_ reason: String) -> StoreError {
      .invalidStoreName(name: name, reason: reason)
    }
    if systemNames.contains(name) { return }
    guard let first = name.utf8.first else { throw refuse("it is empty") }
    guard (0x61...0x7a).contains(first) else { throw refuse("it must begin with a letter a-z") }
    let allowed = "abcdefghijklmnopqrstuvwxyz0123456789_$()+/-".utf8
    guard name.utf8.allSatisfy({ allowed.contains($0) }) else {
      throw refuse("only a-z, 0-9 and _ $ ( ) + / - may stand in it")
    }
    guard name.utf8.count <= longestName, escaped(name).utf8.count + suffix.utf8.count <= 240 else {
      throw refuse("it is too long")
    }
  }

  /// Bytes that a name may have.
  static let longestName = 238

  /// `/` cannot stand in a file's name; `%` cannot stand in a store's, so the escape is unique.
  private static func escaped(_ name: String) -> String {
    name.split(separator: "/", omittingEmptySubsequences: false).joined(separator: "%2f")
  }

  private static func unescaped(_ file: String) -> String {
    var result: [UInt8] = []
    var rest = Array(file.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.starts(with: "2f".utf8) {
        rest.removeFirst(2)
        result.append(UInt8(ascii: "/"))
      } else {
        result.append(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
