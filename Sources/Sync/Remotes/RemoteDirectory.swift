import Core
import Glibc

/// Why a saved remote cannot be had.
public enum RemoteDirectoryError: Error, Sendable, Hashable {
  /// There is none of that name.
  case notFound(name: String)
  /// There is one already.
  case exists(name: String)
  /// The text cannot name a remote; `reason` says why.
  case invalidName(name: String, reason: String)
  /// The file of a remote holds something else.
  case damaged(path: String)
  /// Its API key cannot be used yet.
  case unsupportedKey(name: String)
}

/// The remotes a person has saved: one file each, which only its owner may read.
public struct RemoteDirectory: Sendable {
  private let folder: Folder
  private static let suffix = ".json"

  /// Names the folder that holds the stores; the remotes lie in `remotes` below it.
  public init(home: String) { folder = Folder(home).subfolder("remotes") }

  /// Names of all remotes, sorted by their bytes.
  public func names() throws -> [String] {
    guard folder.exists else { return [] }
    return try folder.names().compactMap { file in
      guard file.hasSuffix(Self.suffix) else { return nil }
      let name = String(file.dropLast(Self.suffix.count))
      return (try? Self.check(name)) == nil ? nil : name
    }
  }

  /// Whether there is a remote of that name.
  public func contains(_ name: String) -> Bool {
    (try? Self.check(name)) != nil && access(path(of: name), F_OK) == 0
  }

  /// Reads a remote.
  ///
  /// - Throws: `RemoteDirectoryError.notFound`, `.damaged`, or what the disk says.
  public func remote(_ name: String) throws -> SavedRemote {
    guard contains(name) else { throw RemoteDirectoryError.notFound(name: name) }
    let path = path(of: name)
    let file = try OpenFile(path, O_RDONLY)
    var bytes = [UInt8](repeating: 0, count: Self.sizeLimit)
    let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
    guard let json = try? JSON(parsing: Array(bytes.prefix(count))),
      let remote = SavedRemote(name: name, json: json)
    else { throw RemoteDirectoryError.damaged(path: path) }
    return remote
  }

  /// Saves a new remote.
  ///
  /// - Parameters:
  ///   - remote: what to save.
  ///   - replaces: whether one of the same name may be replaced.
  /// - Throws: `RemoteDirectoryError.exists`, `.invalidName`, or what the disk says.
  public func save(_ remote: SavedRemote, replaces: Bool = false) throws {
    try Self.check(remote.name)
    guard replaces || !contains(remote.name) else {
      throw RemoteDirectoryError.exists(name: remote.name)
    }
    try folder.create()
    // Born with its final mode and renamed when whole: a secret is never readable by others.
    let draft = path(of: remote.name) + ".\(RandomIdentifier.uuid()).new"
    do {
      let file = try OpenFile(draft, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
      try (remote.json.serializedBytes() + [UInt8(ascii: "\n")]).withUnsafeBytes {
        try file.write($0)
      }
      try file.synchronize()
      try renameFile(draft, to: path(of: remote.name))
    } catch {
      unlink(draft)
      throw error
    }
    try folder.synchronize()
  }

  /// Forgets a remote.
  ///
  /// - Throws: `RemoteDirectoryError.notFound`, or what the disk says.
  public func remove(_ name: String) throws {
    guard contains(name) else { throw RemoteDirectoryError.notFound(name: name) }
    let path = path(of: name)
    guard unlink(path) == 0 else { throw StoreError(errno: errno, operation: "remove", path: path) }
  }

  /// Checks the rule for names: `^[a-z][a-z0-9_.-]*$`, at most 64 bytes, not ending in `.totebundle`.
  public static func check(_ name: String) throws(RemoteDirectoryError) {
    func refuse(_ reason: String) -> RemoteDirectoryError {
      .invalidName(name: name, reason: reason)
    }
    guard let first = name.utf8.first, (0x61...0x7a).contains(first) else {
      throw refuse("it must begin with a letter a-z")
    }
    let allowed = "abcdefghijklmnopqrstuvwxyz0123456789_.-".utf8
    guard name.utf8.allSatisfy({ allowed.contains($0) }) else {
      throw refuse("only a-z, 0-9 and _ . - may stand in it")
    }
    guard name.utf8.count <= 64 else { throw refuse("it is too long") }
    guard !name.hasSuffix(".totebundle") else { throw refuse("it looks like a bundle") }
  }

  /// More than any remote needs.
  private static let sizeLimit = 256 << 10

  private func path(of name: String) -> String { folder.appending(name + Self.suffix) }
}
