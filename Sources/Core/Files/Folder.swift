import Glibc

/// A folder on disk, named by its path.
package struct Folder: Sendable, Hashable {
  package let path: String

  package init(_ path: String) { self.path = path }

  package func appending(_ name: String) -> String { path + "/" + name }

  package func subfolder(_ name: String) -> Folder { Folder(appending(name)) }

  /// Whether there is a folder of this path.
  package var exists: Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Makes the folder and those above it, for its owner only.
  package func create() throws(StoreError) {
    guard mkdir(path, 0o700) != 0 else { return }
    switch errno {
    case EEXIST where exists: return
    case ENOENT:
      guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { break }
      try Folder(String(path[..<slash])).create()
      // Another process may have made it meanwhile.
      if mkdir(path, 0o700) == 0 || (errno == EEXIST && exists) { return }
    default: break
    }
    throw StoreError(errno: errno, operation: "create folder", path: path)
  }

  /// The names inside, without `.` and `..`, sorted by their bytes.
  package func names() throws(StoreError) -> [String] {
    guard let directory = opendir(path) else {
      throw StoreError(errno: errno, operation: "read folder", path: path)
    }
    defer { closedir(directory) }
    return Self.names(in: directory)
  }

  /// The names that an open folder holds, without `.` and `..`, sorted by their bytes.
  package static func names(in directory: OpaquePointer) -> [String] {
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted { utf8Less($0, $1) }
  }

  /// Removes the folder with all it holds; links are removed, not followed.
  package func removeTree() throws(StoreError) {
    for name in try names() {
      let path = appending(name)
      var status = stat()
      guard lstat(path, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        try Folder(path).removeTree()
      } else if unlink(path) != 0 && errno != ENOENT {
        throw StoreError(errno: errno, operation: "remove", path: path)
      }
    }
    guard rmdir(path) == 0 || errno == ENOENT else {
      throw StoreError(errno: errno, operation: "remove folder", path: path)
    }
  }

  /// Makes names that were created or renamed inside survive a power cut.
  package func synchronize() throws(StoreError) {
    try OpenFile(path, O_RDONLY | O_DIRECTORY).synchronize()
  }
}

/// Renames a file over whatever has the new name.
package func renameFile(_ old: String, to new: String) throws(StoreError) {
  guard rename(old, new) == 0 else {
    throw StoreError(errno: errno, operation: "rename", path: new)
  }
}
