import Glibc

/// Runs a test body with a private folder that is removed afterwards, whatever the body does.
///
/// The folder is new, empty, has mode 0700 and an absolute path without symbolic links.
///
/// - Parameter body: the test, given the folder's path.
/// - Returns: what the body returns.
/// - Throws: what the body throws, or ``SupportError`` if the folder cannot be made.
public func withTemporaryDirectory<Result>(
  _ body: (_ path: String) throws -> Result
) throws -> Result {
  let path = try makeTemporaryDirectory()
  defer { removeTree(path) }
  return try body(path)
}

/// Runs an asynchronous test body with a private folder that is removed afterwards.
///
/// - Parameters:
///   - isolation: the caller's isolation, inherited.
///   - body: the test, given the folder's path.
/// - Returns: what the body returns.
/// - Throws: what the body throws, or ``SupportError`` if the folder cannot be made.
public func withTemporaryDirectory<Result>(
  isolation: isolated (any Actor)? = #isolation,
  _ body: (_ path: String) async throws -> Result
) async throws -> Result {
  let path = try makeTemporaryDirectory()
  defer { removeTree(path) }
  return try await body(path)
}

/// Makes a new, empty, private folder below `TMPDIR` (else `/tmp`).
///
/// Prefer ``withTemporaryDirectory(_:)``; the caller of this one removes the folder itself.
///
/// - Returns: the folder's path, free of symbolic links.
/// - Throws: ``SupportError`` if the folder cannot be made.
public func makeTemporaryDirectory() throws -> String {
  let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
  var template = Array("\(base)/tote-test-XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else { throw SupportError.system("mkdtemp", errno) }
  guard let resolved = realpath(template, nil) else { throw SupportError.system("realpath", errno) }
  defer { free(resolved) }
  return String(cString: resolved)
}

/// Removes a file, or a folder with everything in it; a missing path is not an error.
///
/// Folders without write permission are made writable first, so that tests of read-only homes
/// leave nothing behind. Symbolic links are removed, never followed.
///
/// - Parameter path: what to remove.
public func removeTree(_ path: String) {
  var information = Glibc.stat()
  guard lstat(path, &information) == 0 else { return }
  guard information.st_mode & S_IFMT == S_IFDIR else {
    unlink(path)
    return
  }
  chmod(path, 0o700)
  for name in entries(of: path) { removeTree("\(path)/\(name)") }
  rmdir(path)
}

/// Names of the entries of a folder, in no order, without `.` and `..`; empty if it is unreadable.
func entries(of path: String) -> [String] {
  guard let folder = opendir(path) else { return [] }
  defer { closedir(folder) }
  var names: [String] = []
  while let entry = readdir(folder) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
      pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if name != "." && name != ".." { names.append(name) }
  }
  return names
}

/// The bytes that the files below a folder hold together; files that vanish meanwhile count nothing.
///
/// - Parameter path: the folder.
/// - Returns: the sum of the files' lengths.
public func diskUsage(_ path: String) -> Int {
  var information = Glibc.stat()
  guard lstat(path, &information) == 0 else { return 0 }
  guard information.st_mode & S_IFMT == S_IFDIR else { return Int(information.st_size) }
  return entries(of: path).reduce(0) { $0 + diskUsage("\(path)/\($1)") }
}
