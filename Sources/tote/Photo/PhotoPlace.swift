import Core
import HTTP
import Photos

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
