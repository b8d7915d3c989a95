import HTTP
import Synchronization

/// Ready answers with thumbnails: a page asks for fifty at once.
///
/// Whether a picture may still be shown is the library's affair; this only spares making the answer
/// again.
final class ThumbnailAnswers: Sendable {
  private struct State {
    var answers: [PhotoID: HTTPReusableResponse] = [:]
    var bytes: Int64 = 0
  }

  private let state = Mutex(State())

  /// Bytes of pictures at most.
  private static let capacity: Int64 = 16 << 20

  /// The answer for a photo.
  func answer(
    of id: PhotoID, length: Int64, make: () -> HTTPResponse
  ) -> HTTPReusableResponse {
    if let known = state.withLock({ $0.answers[id] }) { return known }
    let made = HTTPReusableResponse(make())
    state.withLock { state in
      if state.bytes + length > Self.capacity { state = State() }
      state.bytes += length
      state.answers[id] = made
    }
    return made
  }
}

extension PhotoServer {
  /// Answers what can be answered at once: plain requests of a browser for a thumbnail that is in
  /// memory.
  func immediateAnswer(_ request: HTTPRequest) -> HTTPReusableResponse? {
    guard request.method == .get, !options.isPrivate,
      case .picture(let id, .thumb)? = PhotoRoute(request),
      !Self.conditions.contains(where: { request.headers.contains($0) })
    else { return nil }
    let origin = origin(of: request)
    guard isOurs(origin.host), let bytes = library.cachedThumbnail(of: id) else { return nil }
    let call = PhotoCall(http: request, route: .picture(id, .thumb), origin: origin)
    let ready = thumbnails.answer(of: id, length: bytes.picture.length) {
      var response = self.answer(bytes, name: Self.name(.thumb, of: id), for: request)
      finish(&response, call)
      return response
    }
    note(request, call, origin, status: ready.response.status)
    return ready
  }

  /// What makes an answer another one.
  private static let conditions = [
    "Range", "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since",
    "Authorization",
  ]
}

extension PhotoLibrary {
  /// A thumbnail that is in memory and known to be there.
  fileprivate func cachedThumbnail(of id: PhotoID) -> PictureBytes? {
    guard let (bytes, checked) = cache.picture(PictureCache.Key(id: id, size: .thumb)),
      abs(clock.read() - checked) < 1000
    else { return nil }
    return bytes
  }
}
