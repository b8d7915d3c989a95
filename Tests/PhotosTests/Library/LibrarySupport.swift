import Core
import Foundation
import HTTP
import Sync
import TestSupport

@testable import Photos

/// A library over a store in a folder that is removed afterwards.
struct LibraryWorld {
  let stores: StoreDirectory
  let store: LocalStore
  let library: PhotoLibrary

  /// Names of the files below the store's blobs, without the lock.
  func blobFiles() -> [String] { LibraryWorld.files(stores.path + "/photos.store/blobs") }

  /// Names of all files in a folder.
  static func files(_ path: String) -> [String] {
    let walk = FileManager.default.enumerator(atPath: path)
    var names: [String] = []
    while let name = walk?.nextObject() as? String {
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: path + "/" + name, isDirectory: &isFolder)
      if !isFolder.boolValue, name != "lock" { names.append(name) }
    }
    return names
  }

  /// Another library over the same files, as another process has it.
  func other(_ options: PhotoLibrary.Options = PhotoLibrary.Options()) async throws -> PhotoLibrary
  {
    try await PhotoLibrary(
      try stores.open("photos"), users: PhotoUsers(in: stores, rounds: 10), options: options)
  }
}

func withLibrary(
  _ options: PhotoLibrary.Options = PhotoLibrary.Options(),
  key: StoreKey? = nil, _ body: (LibraryWorld) async throws -> Void
) async throws {
  try await withTemporaryDirectory { path in
    let stores = StoreDirectory(path: "\(path)")
    let store = try stores.create("photos", key: key)
    let library = try await PhotoLibrary(
      store, users: PhotoUsers(in: stores, rounds: 10), options: options)
    try await body(LibraryWorld(stores: stores, store: store, library: library))
    await library.close()
  }
}

/// Runs a body with a database behind a listener, and its users.
func withRemote(
  _ body: (_ open: @Sendable () async throws -> PhotoLibrary, LocalStore) async throws -> Void
) async throws {
  try await withTemporaryDirectory { path in
    let stores = StoreDirectory(path: "\(path)")
    let behind = try stores.create("photos")
    let listener = Listener(Listener.Options(stores: stores))
    let port = try listener.start()
    let url = try WebURL("http://127.0.0.1:\(port)/photos")
    let client = try HTTPClient()
    do {
      try await body(
        {
          let remote = RemoteStore(url, client: client, temporaryFolder: "\(path)")
          return try await PhotoLibrary(
            remote, users: PhotoUsers(in: StoreDirectory(path: "\(path)/users"), rounds: 10))
        }, behind)
    } catch {
      await listener.stop()
      throw error
    }
    await listener.stop()
  }
}

/// The SHA-256 of bytes.
func digest(_ bytes: [UInt8]) -> [UInt8] {
  var hasher = SHA256()
  hasher.update(bytes)
  return hasher.finish()
}

extension PhotoLibrary {
  /// Adds a small picture; another for another `shade`.
  @discardableResult
  func addPicture(
    _ quality: Int32 = 90, title: String = "A title", by user: String = "ann"
  ) async throws -> AddedPhoto {
    var fixture = PhotoFixture()
    fixture.quality = quality
    return try await add(fixture.jpeg(), title: title, by: user)
  }

  @discardableResult
  func add(
    _ bytes: [UInt8], title: String = "", by user: String = "ann"
  ) async throws -> AddedPhoto {
    try await add(.bytes(bytes), sentDigest: digest(bytes), title: title, by: user)
  }
}

extension PictureBytes {
  /// All bytes.
  func all() async throws -> [UInt8] { try await body.collect(upTo: 100_000_000) }
}
