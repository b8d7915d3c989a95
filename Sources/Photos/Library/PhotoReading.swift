public import HTTP

/// Photos that can be read: a library, or a server's.
public protocol PhotoReading: Sendable {
  /// Reads a part of the stream, newest first; see ``PhotoLibrary/newest(_:before:by:)``.
  func newest(_ limit: Int, before cursor: PhotoID?, by user: String?) async throws -> PhotoPage

  /// Reads one photo; nil when there is none.
  func photo(_ id: PhotoID) async throws -> Photo?

  /// The bytes of a picture; nil when there is no such photo.
  func pictureBody(_ size: PictureSize, of id: PhotoID) async throws -> HTTPBody?
}

extension PhotoLibrary: PhotoReading {
  /// The bytes of a picture; nil when there is no such photo.
  public func pictureBody(_ size: PictureSize, of id: PhotoID) async throws -> HTTPBody? {
    try await picture(size, of: id)?.body
  }
}
