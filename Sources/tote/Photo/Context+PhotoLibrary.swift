import ArgumentParser
import Core
import Photos
import Sync

extension Context {
  /// Opens a library.
  ///
  /// - Parameters:
  ///   - name: a store of this machine, a saved remote or a URL ('-' reads one); nil for the usual.
  ///   - makes: whether a store of this machine is made when it is not there.
  ///   - jobs: photos that are decoded at once.
  /// - Returns: the library.
  /// - Throws: `CommandError` with status 66 when there is none; what opening throws.
  func photoLibrary(
    _ name: String?, makes: Bool = false, jobs: Int = 1
  ) async throws -> PhotoLibrary {
    let name = name ?? LibraryOptions.defaultName
    var settings = PhotoLibrary.Options()
    settings.decodersAtOnce = jobs
    settings.waitingPhotos = max(settings.waitingPhotos, jobs)
    if let remote = try name == "-" ? opener.open(databaseURL(name)) : anyRemote(name) {
      let users = PhotoUsers(remote.sibling(Users.storeName))
      return try await PhotoLibrary(remote, users: users, options: settings)
    }
    var directory = try stores()
    // What was answered as added is there after a power cut.
    directory.durability = .full
    let users = PhotoUsers(in: try storesWithoutAsking())
    return try await PhotoLibrary(
      try libraryStore(name, in: directory, makes: makes), users: users, options: settings)
  }

  /// The people of a library.
  func photoUsers(_ name: String?) throws -> PhotoUsers {
    guard let name, let remote = try anyRemote(name) else {
      return PhotoUsers(in: try storesWithoutAsking())
    }
    return PhotoUsers(remote.sibling(Users.storeName))
  }

  private func libraryStore(
    _ name: String, in directory: StoreDirectory, makes: Bool
  ) throws -> LocalStore {
    do {
      let store = try directory.open(name)
      try warn(about: store)
      return store
    } catch StoreError.storeNotFound {
      guard makes else { throw libraryNotFound(name) }
      let store = try directory.create(name)
      try note("created library '\(name)'")
      return store
    }
  }

  private func libraryNotFound(_ name: String) -> CommandError {
    let names = (try? stores().names()) ?? []
    let similar = Suggestions.nearest(to: name, in: names).map { "'\($0)'" }
    return CommandError(
      .notFound, "not_found", "there is no library '\(name)' yet",
      hint: similar.isEmpty
        ? "the first 'tote photo add FILE\(name == LibraryOptions.defaultName ? "" : " --library \(name)")' makes it"
        : "did you mean \(similar.joined(separator: " or "))?",
      details: [("library", .string(name))])
  }

  /// Reads the id of a photo.
  func photoID(_ text: String) throws -> PhotoID {
    guard let id = PhotoID(text) else {
      throw CommandError.invalidInput(
        "'\(text)' is not the id of a photo",
        hint: "'tote photo stream' shows the ids, of \(PhotoID.length) characters",
        details: [("id", .string(text))])
    }
    return id
  }

  /// The error about a photo that is not there.
  func photoNotFound(_ id: PhotoID) -> CommandError {
    CommandError(
      .notFound, "not_found", "photo '\(id)' not found",
      hint: "run 'tote photo stream' to see the newest", details: [("id", .string(id.description))])
  }
}
