import HTTP

/// The page that people see, and its assets.
extension PhotoServer {
  private static let pageLength = 50

  func page(_ call: PhotoCall) async throws -> HTTPResponse {
    do {
      return finished(answer(try await view(call), user: call.login?.user), call)
    } catch {
      return problemPage(PhotoProblem(error), user: call.login?.user)
    }
  }

  /// A page that says what is wrong, with the status of any other answer that does.
  func problemPage(_ problem: PhotoProblem, user: String? = nil) -> HTTPResponse {
    var response = answer(problem.status == 404 ? .missing : .failure(problem.message), user: user)
    response.status = problem.status
    for field in problem.headers { response.headers[field.name] = field.value }
    return response
  }

  private func answer(_ view: LibraryPage.View, user: String?) -> HTTPResponse {
    let page = LibraryPage(
      site: LibraryPage.Site(
        name: options.name, registration: options.registration.word, isPrivate: options.isPrivate,
        maximumBytes: Int(options.fileLimit), maximumPixels: options.photo.limits.pixels),
      user: user)
    var status = 200
    if case .missing = view { status = 404 }
    return HTTPResponse(
      status: status,
      headers: [
        "Content-Type": "text/html; charset=utf-8",
        // It depends on who is logged in.
        "Vary": "Cookie, Authorization",
      ], body: page.html(view))
  }

  private func view(_ call: PhotoCall) async throws -> LibraryPage.View {
    if options.isPrivate, call.login == nil { return .logIn }
    let cursor = try Self.cursor(call)
    switch call.route {
    case .photoPage(let id):
      guard let photo = try await library.photo(id) else { return .missing }
      return .photo(photo)
    case .userPage(let text):
      guard let name = try? PhotoText.userName(text) else { return .missing }
      let page = try await library.newest(Self.pageLength, before: cursor, by: name)
      return .user(name, page, isOlder: cursor != nil)
    default:
      let page = try await library.newest(Self.pageLength, before: cursor)
      return .stream(page, isOlder: cursor != nil)
    }
  }

  func asset(_ name: String, _ call: PhotoCall) throws(PhotoProblem) -> HTTPResponse {
    guard let asset = PageAsset.named(name) else { throw .notFound }
    // Its address has its version: what has another version has another address.
    let isCurrent = call.http.query["v"] == asset.version
    return HTTPResponse.representation(
      for: call.http, length: Int64(asset.bytes.count), contentType: asset.contentType,
      etag: "\"\(asset.version)\"",
      headers: [
        "Cache-Control": isCurrent ? "public, max-age=31536000, immutable" : "no-cache"
      ]
    ) { range in
      .bytes(Array(asset.bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
    }.gzipped(for: call.http)
  }
}
