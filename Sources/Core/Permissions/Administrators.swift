import Glibc

/// The administrators of a server and their passwords: a file beside the stores, as CouchDB keeps
/// them in its configuration and not in `_users`.
///
/// So they are not replicated, cannot be changed through the HTTP API, and outlive the users.
struct Administrators: Sendable {
  private let folder: Folder
  private static let fileName = "admins.json"

  /// More than any list of administrators needs, in bytes.
  private static let sizeLimit = 1 << 20

  init(in stores: StoreDirectory) { folder = Folder(stores.path) }

  private var path: String { folder.appending(Self.fileName) }

  /// Tells one state of the file from the next; nil when there is no file.
  var mark: FileMark? { FileMark(of: path) }

  /// Reads the administrators' password hashes by name.
  ///
  /// - Throws: `StoreError.damaged` when the file is not what `save` writes: nobody must become an
  ///   administrator, or stop being one, by a broken file.
  func load() throws -> JSONObject {
    guard access(path, F_OK) == 0 else { return [:] }
    let file = try OpenFile(path, O_RDONLY)
    guard try file.size() <= Self.sizeLimit else {
      throw StoreError.damaged(path: path, detail: "it is too large")
    }
    var bytes = [UInt8](repeating: 0, count: Self.sizeLimit)
    var length = 0
    while true {
      let count = try bytes.withUnsafeMutableBytes { buffer in
        try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[length...]))
      }
      if count == 0 { break }
      length += count
    }
    guard let json = try? JSON(parsing: Array(bytes[..<length])),
      case .object(let admins)? = json["admins"],
      admins.allSatisfy({ PasswordHash($0.value.objectValue ?? [:]) != nil })
    else { throw StoreError.damaged(path: path, detail: "it is not a list of administrators") }
    return admins
  }

  /// Changes the file while no other process does.
  func edit(_ change: (inout JSONObject) throws -> Void) throws {
    try folder.create()
    let guardian = try OpenFile(path + ".lock", O_RDWR | O_CREAT)
    guard flock(guardian.descriptor, LOCK_EX) == 0 else { throw guardian.failure("lock") }
    var admins = try load()
    try change(&admins)
    try save(admins)
  }

  private func save(_ admins: JSONObject) throws {
    let json: JSON = ["admins": .object(admins)]
    // Born with its final mode and renamed when whole.
    let draft = path + ".\(RandomIdentifier.uuid()).new"
    do {
      let file = try OpenFile(draft, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
      try (json.serializedBytes() + [UInt8(ascii: "\n")]).withUnsafeBytes { try file.write($0) }
      try file.synchronize()
      try renameFile(draft, to: path)
    } catch {
      unlink(draft)
      throw error
    }
    try folder.synchronize()
  }
}

/// Tells one state of a file from the next: a file that is replaced or rewritten has another.
struct FileMark: Sendable, Hashable {
  private let device: dev_t
  private let inode: ino_t
  private let size: off_t
  private let seconds: Int
  private let nanoseconds: Int

  /// The state of the file at a path; nil when there is none.
  init?(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = status.st_dev
    inode = status.st_ino
    size = status.st_size
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
  }
}
