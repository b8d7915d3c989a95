import Core
import HTTP

/// Reading the stream, single photos and feeds; removing one's own.
extension PhotoServer {
  private static let pageLimit = 50
  private static let greatestLimit: Int64 = 200

  /// A part of the stream, of all users or of one.
  func stream(_ call: PhotoCall, by name: String? = nil) async throws -> HTTPResponse {
    var limit = Self.pageLimit
    if let text = try call.parameter("limit") {
      guard let number = Int64(text), (1...Self.greatestLimit).contains(number),
        text.utf8.allSatisfy({ (48...57).contains($0) })
      else { throw PhotoProblem.badRequest("'limit' is a number from 1 to \(Self.greatestLimit)") }
      limit = Int(number)
    }
    let page = try await library.newest(
      limit, before: try Self.cursor(call), by: try Self.user(name ?? call.parameter("user")))
    let photos = page.photos.map { JSON.object($0.answer) }
    return finished(
      .photoJSON([
        "photos": .array(photos), "next": page.next.map { .string($0.description) } ?? .null,
      ]), call)
  }

  /// The cursor that a request names; nil for the stream's beginning.
  ///
  /// - Throws: 400.
  static func cursor(_ call: PhotoCall) throws(PhotoProblem) -> PhotoID? {
    guard let text = try call.parameter("before") else { return nil }
    guard let id = PhotoID(text) else {
      throw .badRequest("'before' is no cursor: give the 'next' of an earlier answer")
    }
    return id
  }

  /// A user's name that was sent as a filter; what cannot name anybody is nobody's.
  private static func user(_ text: String?) throws(PhotoProblem) -> String? {
    guard let text else { return nil }
    do {
      return try PhotoText.userName(text)
    } catch {
      throw .badRequest(error.message)
    }
  }

  func photo(_ id: PhotoID, _ call: PhotoCall) async throws -> HTTPResponse {
    guard let photo = try await library.photo(id) else { throw PhotoProblem.noSuchPhoto }
    return finished(.photoJSON(.object(photo.answer)), call)
  }

  /// Removes a photo of the caller's; for other people's the answer is as if there were none.
  func remove(_ id: PhotoID, _ call: PhotoCall) async throws -> HTTPResponse {
    let user = try fullUser(call)
    guard try await library.remove(id, by: user) else { throw PhotoProblem.noSuchPhoto }
    return HTTPResponse(status: 204)
  }

  /// The caller's own photo that was made of some bytes: asked before these are sent.
  func sent(_ digest: [UInt8], _ call: PhotoCall) async throws -> HTTPResponse {
    let user = try call.user()
    guard let photo = try await library.upload(sentDigest: digest, by: user) else {
      throw PhotoProblem.noSuchPhoto
    }
    return .photoJSON(.object(photo.answer))
  }

  /// Compresses an answer; lets those who are not logged in keep it and ask whether it changed.
  func finished(_ response: HTTPResponse, _ call: PhotoCall) -> HTTPResponse {
    guard call.login == nil else { return response.gzipped(for: call.http) }
    return response.revalidated(for: call.http, isPrivate: options.isPrivate)
      .gzipped(for: call.http)
  }

  // MARK: Feeds

  func feed(_ call: PhotoCall) async throws -> HTTPResponse {
    let user = try Self.user(call.parameter("user"))
    let page = try await library.newest(PhotoFeeds.limit, before: nil, by: user)
    let feeds = PhotoFeeds(
      title: options.name, root: call.root + "/", photos: page.photos)
    let response =
      call.route == .rssFeed
      ? HTTPResponse(text: feeds.rss(), contentType: "application/rss+xml; charset=utf-8")
      : HTTPResponse(
        headers: ["Content-Type": "application/feed+json; charset=utf-8"],
        body: feeds.json().serializedBytes(.compact.escapingSeparators))
    return finished(response, call)
  }
}
