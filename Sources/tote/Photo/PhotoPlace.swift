import ArgumentParser
import Core
import HTTP
import Photos
import Sync

/// Where photos are: in a library, or at a photo service.
enum PhotoPlace: Sendable {
  /// A library; who adds photos there is told.
  case library(PhotoLibrary, user: String)
  /// A service; it knows who adds photos.
  case server(PhotoServerClient, PhotoSession)

  /// What photos are read from.
  var reading: any PhotoReading {
    switch self {
    case .library(let library, _): library
    case .server(let client, _): client
    }
  }

  /// What stands before the addresses of pictures.
  var base: String {
    switch self {
    case .library: ""
    case .server(let client, _):
      client.url.description.hasSuffix("/")
        ? String(client.url.description.dropLast()) : client.url.description
    }
  }

  /// The photo that the user made of a file, by its hash.
  func upload(sentDigest digest: [UInt8]) async throws -> Photo? {
    switch self {
    case .library(let library, let user):
      try await library.upload(sentDigest: digest, by: user)
    case .server(let client, _): try await client.upload(sentDigest: digest)
    }
  }

  /// Removes a photo; false when there is none, or it is somebody else's.
  func remove(_ id: PhotoID) async throws -> Bool {
    switch self {
    case .library(let library, _): try await library.remove(id, by: nil)
    case .server(let client, _): try await client.remove(id)
    }
  }

  /// Ends what runs in the background, and a session that was begun.
  func close() async {
    switch self {
    case .library(let library, _): await library.close()
    case .server(let client, let session):
      // One that does not end now does so by itself after a while.
      if session == .begun { try? await client.logOut() }
    }
  }
}

/// How a service knows who asks.
enum PhotoSession: Sendable {
  /// It does not.
  case none
  /// By a token, which stays as it is.
  case token
  /// By a session that was begun for this run.
  case begun
}

extension Context {
  /// Opens a library.
  ///
  /// - Parameters:
  ///   - name: a store of this machine, a saved remote or a URL; nil for the usual one.
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
    settings.waitingPhotos = jobs
    if let remote = try anyRemote(name) {
      let users = PhotoUsers(remote.sibling(Users.storeName))
      return try await PhotoLibrary(remote, users: users, options: settings)
    }
    let users = PhotoUsers(in: try storesWithoutAsking())
    return try await PhotoLibrary(
      try libraryStore(name, makes: makes), users: users, options: settings)
  }

  /// The people of a library.
  func photoUsers(_ name: String?) throws -> PhotoUsers {
    guard let name, let remote = try anyRemote(name) else {
      return PhotoUsers(in: try storesWithoutAsking())
    }
    return PhotoUsers(remote.sibling(Users.storeName))
  }

  private func libraryStore(_ name: String, makes: Bool) throws -> LocalStore {
    do {
      return try openStore(name)
    } catch StoreError.storeNotFound {
      guard makes else { throw libraryNotFound(name) }
      let store = try stores().create(name)
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
        ? "the first 'tote photo add FILE' makes it"
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
