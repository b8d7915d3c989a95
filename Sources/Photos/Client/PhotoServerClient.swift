import Core
public import HTTP
import Synchronization

/// Talks to a photo server, `tote photo serve`, over its API.
///
/// ```swift
/// let server = PhotoServerClient(try WebURL("https://photos.example/"), client: try HTTPClient())
/// try await server.logIn("ann", password: secret)
/// let added = try await server.add(file: "cat.jpg", title: "Cat")
/// ```
public final class PhotoServerClient: Sendable {
  /// The service's address, without credentials.
  public let url: WebURL
  private let client: HTTPClient
  private let bearer: Mutex<String?>

  /// Answers in JSON are no longer than this.
  private static let answerLimit = 8 << 20

  /// What a server says of itself.
  public struct Info: Sendable, Hashable {
    /// What the service is called.
    public var name: String
    /// The version of the program.
    public var version: String
    /// Who may register: `open`, `invite` or `closed`.
    public var registration: String
    /// Whether only users see the photos.
    public var isPrivate: Bool
    /// Bytes of a photo at most.
    public var maximumUpload: Int64
    /// Pixels of a photo at most.
    public var maximumPixels: Int64
  }

  /// Names a server; nothing is sent.
  ///
  /// - Parameters:
  ///   - url: the service's address; user-info in it is not used.
  ///   - client: sends the requests.
  ///   - token: the token of a session, or an API token.
  public init(_ url: WebURL, client: HTTPClient, token: String? = nil) {
    self.url = url.withoutUserInfo
    self.client = client
    bearer = Mutex(token)
  }

  /// The token that is sent with the requests.
  public var token: String? { bearer.withLock { $0 } }

  // MARK: Asking

  /// What the server says of itself.
  ///
  /// - Throws: ``PhotoServerError``, `HTTPError`.
  public func info() async throws -> Info {
    let json = try await json(.get, ["info"])
    guard let name = json["name"]?.stringValue, let version = json["version"]?.stringValue else {
      throw PhotoServerError.unexpected(detail: "no name and version at /api/v1/info")
    }
    return Info(
      name: name, version: version,
      registration: json["registration"]?.stringValue ?? "closed",
      isPrivate: json["private"] == .bool(true),
      maximumUpload: json["max_upload"]?.integerValue ?? .max,
      maximumPixels: json["max_pixels"]?.integerValue ?? .max)
  }

  /// Who the server takes the caller for; nil for nobody.
  public func user() async throws -> String? {
    try await json(.get, ["session"])["user"]?["name"]?.stringValue
  }

  /// Reads a part of the stream, newest first.
  ///
  /// - Parameters:
  ///   - limit: photos at most; 1 to 200.
  ///   - cursor: only photos older than this one; nil for the newest.
  ///   - user: only photos of this user; nil for those of all.
  /// - Returns: the photos.
  /// - Throws: ``PhotoServerError``, `HTTPError`.
  public func newest(
    _ limit: Int, before cursor: PhotoID? = nil, by user: String? = nil
  ) async throws -> PhotoPage {
    var query = [(name: "limit", value: String(limit))]
    if let cursor { query.append(("before", cursor.description)) }
    if let user { query.append(("user", user)) }
    let json = try await json(.get, ["photos"], query: query)
    guard let photos = json["photos"]?.arrayValue else {
      throw PhotoServerError.unexpected(detail: "no photos in its answer")
    }
    let next = json["next"]?.stringValue.flatMap(PhotoID.init)
    guard next == nil || next != cursor else {
      throw PhotoServerError.unexpected(detail: "its pages have no end")
    }
    return PhotoPage(photos: photos.compactMap(Photo.init(json:)), next: next)
  }

  /// Reads one photo; nil when there is none.
  ///
  /// - Throws: ``PhotoServerError``, `HTTPError`.
  public func photo(_ id: PhotoID) async throws -> Photo? {
    try await absent { try Self.photo(try await json(.get, ["photos", id.description])) }
  }

  /// Finds the caller's own photo of a file.
  ///
  /// - Parameter digest: the file's SHA-256, 32 bytes.
  /// - Returns: the photo; nil when there is none.
  /// - Throws: ``PhotoServerError``, `HTTPError`.
  public func upload(sentDigest digest: [UInt8]) async throws -> Photo? {
    try await absent {
      try Self.photo(try await json(.get, ["photos", "sent", hexadecimal(digest)]))
    }
  }

  /// The bytes of a picture, as they come; nil when there is no such photo.
  ///
  /// - Throws: ``PhotoServerError``, `HTTPError`.
  public func pictureBody(_ size: PictureSize, of id: PhotoID) async throws -> HTTPBody? {
    var size = size
    if size == .view, let photo = try await photo(id), photo.pictures[.view] == nil { size = .full }
    var request = request(.get, url.appending("photos", id.description, size.attachmentName))
    // A JPEG does not get smaller.
    request.decompresses = false
    let wanted = request
    return try await absent { try await send(wanted).body }
  }

  // MARK: Logging in

  /// Logs in; the token of the session is sent with what follows.
  ///
  /// - Returns: the token.
  /// - Throws: ``PhotoServerError``, `HTTPError`.
  @discardableResult
  public func logIn(_ user: String, password: String) async throws -> String {
    let json = try await json(
      .post, ["login"],
      body: ["username": .string(user), "password": .string(password), "token": true])
    guard let token = json["token"]?.stringValue, !token.isEmpty else {
      throw PhotoServerError.unexpected(detail: "no token in its answer to a login")
    }
    bearer.withLock { $0 = token }
    return token
  }

  /// Ends the session.
  ///
  /// - Throws: ``PhotoServerError``, `HTTPError`.
  public func logOut() async throws {
    _ = try await json(.post, ["logout"], body: [:])
    bearer.withLock { $0 = nil }
  }

  // MARK: Photos

  /// Adds a photo from a file.
  ///
  /// The server is first asked by the file's hash: a file that it has is not sent again. The body waits
  /// for the server's consent, so that one that is refused is not sent either.
  ///
  /// - Parameters:
  ///   - path: the file, a regular one; it is read twice and not held in memory.
  ///   - title: the title.
  /// - Returns: the photo, and whether the server had it.
  /// - Throws: ``PhotoServerError``, with the code of ``PhotoRefusal`` where the picture is at fault;
  ///   `HTTPError`.
  public func add(file path: String, title: String) async throws -> AddedPhoto {
    let (file, digest) = try HashedFile.read(path)
    if let photo = try await upload(sentDigest: digest) {
      return AddedPhoto(photo: photo, isDuplicate: true)
    }
    let address = url.appending("api", "v1", "photos").with(query: [("title", title)])
    var request = request(.post, address)
    request.headers["Content-Type"] = PhotoDocument.contentType
    request.body = .file(file)
    request.expectsContinue = true
    request.maximumRedirects = 0
    var timeouts = HTTPClient.Timeouts()
    // The answer comes after the picture was decoded, perhaps after others'.
    timeouts.idle = .seconds(180)
    request.timeouts = timeouts
    let json = try await read(try await send(request))
    return AddedPhoto(photo: try Self.photo(json), isDuplicate: json["duplicate"] == .bool(true))
  }

  /// Removes a photo of the caller's; false when there is none of that id.
  ///
  /// - Throws: ``PhotoServerError``, `HTTPError`.
  public func remove(_ id: PhotoID) async throws -> Bool {
    try await absent {
      _ = try await json(.delete, ["photos", id.description])
      return true
    } ?? false
  }

  /// Tells what happens on the server from now on, or after a photo, for as long as it is read; a
  /// connection that breaks is made anew, and what happened meanwhile is told then.
  ///
  /// - Parameter last: the newest photo that is known; nil for none.
  /// - Returns: the events. Reading throws ``PhotoServerError`` when the server refuses, and
  ///   `HTTPError` when it was never reached.
  public func events(after last: PhotoID? = nil) -> PhotoServerEvents {
    PhotoServerEvents(last: last) { [self] last in
      var request = request(.get, url.appending("api", "v1", "events"))
      request.headers["Accept"] = "text/event-stream"
      request.headers["Cache-Control"] = "no-store"
      if let last { request.headers["Last-Event-ID"] = last }
      request.decompresses = false
      let response = try await send(request)
      guard MediaType(response.headers["Content-Type"] ?? "").matches("text/event-stream") else {
        throw PhotoServerError.unexpected(detail: "no event stream at /api/v1/events")
      }
      return response.body
    }
  }

  // MARK: Requests

  private func request(_ method: HTTPMethod, _ url: WebURL) -> HTTPClientRequest {
    var request = HTTPClientRequest(method, url)
    if let token { request.headers["Authorization"] = "Bearer \(token)" }
    return request
  }

  private func json(
    _ method: HTTPMethod, _ segments: [String], query: [(name: String, value: String)] = [],
    body: JSON? = nil
  ) async throws -> JSON {
    var address = url.appending(["api", "v1"] + segments)
    if !query.isEmpty { address = address.with(query: query) }
    var request = request(method, address)
    request.headers["Accept"] = "application/json"
    if let body {
      request.headers["Content-Type"] = "application/json"
      request.body = .bytes(body.serializedBytes())
    }
    return try await read(try await send(request))
  }

  private func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
    let response = try await client.send(request)
    guard !(200..<300).contains(response.status) else { return response }
    throw await Self.refusal(response)
  }

  /// The answer as JSON; `null` when it is empty.
  private func read(_ response: HTTPClientResponse) async throws -> JSON {
    let bytes = try await response.bytes(upTo: Self.answerLimit)
    if bytes.isEmpty { return .null }
    do {
      return try JSON(parsing: bytes)
    } catch {
      throw PhotoServerError.unexpected(detail: "its answer is not JSON")
    }
  }

  private static func refusal(_ response: HTTPClientResponse) async -> PhotoServerError {
    let bytes = try? await response.bytes(upTo: 64 << 10)
    let error = bytes.flatMap { try? JSON(parsing: $0) }?["error"]
    guard let code = error?["code"]?.stringValue else {
      // A proxy's page, or something else that is no photo server.
      return .refused(
        status: response.status, code: "http_\(response.status)",
        message: "the server answered with status \(response.status)",
        retryAfter: response.headers["Retry-After"].flatMap { Int($0) })
    }
    return .refused(
      status: response.status, code: code, message: error?["message"]?.stringValue ?? code,
      retryAfter: response.headers["Retry-After"].flatMap { Int($0) })
  }

  /// Nil where the server says 404 in its own words.
  private func absent<Result>(_ body: () async throws -> Result) async throws -> Result? {
    do {
      return try await body()
    } catch PhotoServerError.refused(404, let code, _, _) where code != "http_404" {
      return nil
    }
  }

  private static func photo(_ json: JSON) throws -> Photo {
    guard let photo = Photo(json: json) else {
      throw PhotoServerError.unexpected(detail: "no photo in its answer")
    }
    return photo
  }
}

extension PhotoServerClient: PhotoReading {}
