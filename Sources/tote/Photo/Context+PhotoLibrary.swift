import Core
import HTTP
import Photos
import Sync

extension Context {
  /// Opens a library.
  ///
  /// - Parameters:
  ///   - name: a store of this machine, or a URL (`-` reads one from standard input).
  ///   - makes: whether a store of this machine is made when it is not there.
  ///   - jobs: photos that are decoded at once.
  /// - Returns: the library.
  /// - Throws: `StoreError`, and what the server says.
  func photoLibrary(
    _ name: String, makes: Bool = false, jobs: Int = 1
  ) async throws -> PhotoLibrary {
    var settings = PhotoLibrary.Options()
    settings.decodersAtOnce = jobs
    if isURL(name) || name == "-" {
      let url = try databaseURL(name)
      var users = url
      // The users of a server are a database beside the library's.
      users.path = url.path.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/_users"
      return try await PhotoLibrary(
        try opener.open(url), users: PhotoUsers(try opener.open(users)), options: settings)
    }
    var directory = try stores()
    // What was answered as added is there after a power cut.
    directory.durability = .full
    let store: LocalStore
    do {
      store = try directory.open(name)
    } catch StoreError.storeNotFound where makes {
      store = try directory.create(name)
      try note("created library '\(name)'")
    }
    return try await PhotoLibrary(store, users: PhotoUsers(in: directory), options: settings)
  }
}
