import Core
import Glibc

/// The files behind the paths a person gave, and what was left out.
public struct FileGathering: Sendable {
  /// The files, in the order given; those of a folder by the bytes of their names.
  public private(set) var files: [OutgoingFile] = []
  /// What is not sent and need not be: links inside folders, devices, a file named twice.
  public private(set) var skipped: [Skipped] = []
  /// What was meant to be sent and cannot be.
  public private(set) var failures: [Failed] = []

  /// Something that is left out.
  public struct Skipped: Sendable, Hashable {
    /// What its person calls it.
    public var label: String
    /// Why.
    public var reason: String
  }

  /// Something that cannot be sent.
  public struct Failed: Sendable {
    /// What its person calls it.
    public var label: String
    /// Why.
    public var failure: FileFailure
  }

  /// Folders inside folders; each holds a descriptor while it is read.
  private static let maximumDepth = 128

  private var seen: Set<String> = []

  /// Finds files.
  ///
  /// A path that is a link is followed, as it was named by a person; links inside of folders are not.
  /// Names are taken as bytes, so that a file whose name is no UTF-8 is found again.
  ///
  /// - Parameter paths: of files and folders.
  /// - Throws: `CancellationError`.
  public init(_ paths: [String]) throws {
    for path in paths {
      var bytes = Array(path.utf8)
      while bytes.count > 1, bytes.last == slash { bytes.removeLast() }
      try add(bytes, label: path)
    }
  }

  private mutating func add(_ location: [UInt8], label: String) throws {
    let descriptor = openFile(location)
    guard descriptor >= 0 else {
      // A socket cannot be opened, nor can a device without a driver.
      return fail(label, errno == ENXIO ? Self.special : FileFailure(errno: errno))
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return fail(label, FileFailure(errno: errno)) }
    switch status.st_mode & S_IFMT {
    case S_IFREG:
      let name = String(decoding: location.split(separator: slash).last ?? [], as: UTF8.self)
      take(
        descriptor, status, label: label, name: name, path: nil, location: location)
    case S_IFDIR:
      let name = Self.folderName(location)
      let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
      try walk(copy, Level(location: location, label: label, path: name, depth: 0))
    default: fail(label, Self.special)
    }
  }

  private static let special = FileFailure(.unsupported, "it is neither a file nor a folder")

  /// What a folder is called: `.` and `..` have other names, `/` has none.
  private static func folderName(_ location: [UInt8]) -> String? {
    var last = location.split(separator: slash).last.map { Array($0) } ?? []
    if last == Array(".".utf8) || last == Array("..".utf8) {
      let path = (location.map { CChar(bitPattern: $0) } + [0])
      guard let whole = realpath(path, nil) else { return nil }
      defer { free(whole) }
      let bytes = UnsafeBufferPointer(start: whole, count: strlen(whole)).map {
        UInt8(bitPattern: $0)
      }
      last = bytes.split(separator: slash).last.map { Array($0) } ?? []
    }
    return last.isEmpty ? nil : String(decoding: last, as: UTF8.self)
  }

  // MARK: Folders

  /// A folder that is being read.
  private struct Level {
    var location: [UInt8]
    var label: String
    var path: String?
    var depth: Int

    func below(_ name: [UInt8]) -> Level {
      let text = String(decoding: name, as: UTF8.self)
      let separator: [UInt8] = location.last == slash ? [] : [slash]
      return Level(
        location: location + separator + name,
        label: label.utf8.last == slash ? label + text : "\(label)/\(text)",
        path: path.map { "\($0)/\(text)" } ?? text, depth: depth + 1)
    }
  }

  /// Reads a folder, and closes its descriptor.
  private mutating func walk(_ descriptor: Int32, _ level: Level) throws {
    try Task.checkCancellation()
    guard level.depth <= Self.maximumDepth else {
      close(descriptor)
      return fail(level.label, FileFailure(.unsupported, "it lies too deep"))
    }
    guard descriptor >= 0, let folder = fdopendir(descriptor) else {
      let code = errno
      close(descriptor)
      return fail(level.label, FileFailure(errno: code))
    }
    defer { closedir(folder) }
    for name in Self.names(in: folder) { try visit(name, in: descriptor, level.below(name)) }
  }

  private mutating func visit(_ name: [UInt8], in folder: Int32, _ level: Level) throws {
    let text = String(decoding: name, as: UTF8.self)
    let name = name.map { CChar(bitPattern: $0) } + [0]
    var status = stat()
    guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      return fail(level.label, FileFailure(errno: errno))
    }
    switch status.st_mode & S_IFMT {
    case S_IFLNK: skip(level.label, "links inside of folders are not followed")
    case S_IFDIR:
      try walk(openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), level)
    case S_IFREG:
      let file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
      guard file >= 0, fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        let code = errno
        if file >= 0 { close(file) }
        return fail(level.label, FileFailure(errno: code))
      }
      defer { close(file) }
      take(
        file, status, label: level.label, name: text, path: level.path, location: level.location)
    default: skip(level.label, "it is neither a file nor a folder")
    }
  }

  private static func names(in folder: OpaquePointer) -> [[UInt8]] {
    var names: [[UInt8]] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name != [dot] && name != [dot, dot] { names.append(name) }
    }
    return names.sorted { $0.lexicographicallyPrecedes($1) }
  }

  // MARK: Results

  private mutating func take(
    _ descriptor: Int32, _ status: stat, label: String, name: String, path: String?,
    location: [UInt8]
  ) {
    let key = "\(status.st_dev):\(status.st_ino) \(path ?? name)"
    guard seen.insert(key).inserted else { return skip(label, "it was named twice") }
    var head = [UInt8](repeating: 0, count: FileType.headSize)
    let count = pread(descriptor, &head, head.count, 0)
    guard count >= 0 else { return fail(label, FileFailure(errno: errno)) }
    let type = FileType.guess(name: name, head: head.prefix(count))
    files.append(
      OutgoingFile(
        label: label, name: name, path: path, location: location, type: type, status: status))
  }

  private mutating func skip(_ label: String, _ reason: String) {
    skipped.append(Skipped(label: label, reason: reason))
  }

  private mutating func fail(_ label: String, _ failure: FileFailure) {
    failures.append(Failed(label: label, failure: failure))
  }

  /// Changes every file, or leaves it out.
  ///
  /// - Parameter change: changes a file; what it throws becomes the file's failure.
  /// - Throws: `CancellationError`.
  public mutating func prepare(
    _ change: (inout OutgoingFile) throws(FileFailure) -> Void
  ) throws {
    var kept: [OutgoingFile] = []
    for var file in files {
      try Task.checkCancellation()
      do throws(FileFailure) {
        try change(&file)
        kept.append(file)
      } catch {
        fail(file.label, error)
      }
    }
    files = kept
  }
}

private let slash = UInt8(ascii: "/")
private let dot = UInt8(ascii: ".")
