import Core
import HTTP
import TestSupport
import Testing

@testable import Photos

/// A photo server over a library of its own, asked without a network unless a test opens it.
struct PhotoService {
  let server: PhotoServer
  let library: PhotoLibrary
  /// The folder of everything, gone after the test.
  let folder: String

  var spoolFolder: String { folder + "/spool" }

  /// What was answered.
  struct Answer {
    var status: Int
    var headers: HTTPHeaders
    var bytes: [UInt8]

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The JSON, or null for other text.
    var json: JSON { (try? JSON(parsing: bytes)) ?? .null }

    var code: String? { json["error"]?["code"]?.stringValue }

    /// The session's cookie that came, as a browser sends it back.
    var cookie: String? {
      headers["Set-Cookie"].flatMap { $0.split(separator: ";").first.map(String.init) }
    }
  }

  /// Asks as a client that is no browser.
  func send(
    _ target: String, _ headers: HTTPHeaders = [:], peer: String = "192.0.2.7"
  ) async throws -> Answer {
    try await send(.get, target, headers, peer: peer)
  }

  /// Asks with another method.
  func send(
    _ method: HTTPMethod, _ target: String, _ headers: HTTPHeaders = [:],
    body: HTTPBody = .empty, peer: String = "192.0.2.7", isSecure: Bool = false
  ) async throws -> Answer {
    var all = headers
    if !all.contains("Host") { all["Host"] = "127.0.0.1:8080" }
    let request = try HTTPRequest(
      method: method, target: target, headers: all, body: body, peer: peer, isSecure: isSecure)
    let response = await server.answer(request)
    var bytes: [UInt8] = []
    switch response.body {
    case .bytes(let all): bytes = all
    case .file(let file): bytes = try await HTTPBody(file).collect(upTo: 100_000_000)
    case .stream(_, let write):
      let pieces = Pieces()
      try await write(HTTPBodyWriter { await pieces.add($0) })
      bytes = await pieces.bytes
    }
    return Answer(status: response.status, headers: response.headers, bytes: bytes)
  }

  private actor Pieces {
    var bytes: [UInt8] = []
    func add(_ piece: [UInt8]) { bytes += piece }
  }

  /// Sends a JSON object.
  func post(
    _ target: String, _ json: JSON, _ headers: HTTPHeaders = [:], peer: String = "192.0.2.7"
  ) async throws -> Answer {
    var headers = headers
    headers["Content-Type"] = "application/json"
    return try await send(.post, target, headers, body: HTTPBody(json.serialized()), peer: peer)
  }

  /// Makes a user and gives the header that says so.
  func user(_ name: String) async throws -> HTTPHeaders {
    _ = try await library.users.register(name, "correct horse")
    return ["Authorization": "Bearer \(try await library.sessions.start(name))"]
  }

  /// Makes a user and gives the session's cookie with the header that changes need.
  func browser(_ name: String) async throws -> HTTPHeaders {
    _ = try await library.users.register(name, "correct horse")
    return [
      "Cookie": "tote_session=\(try await library.sessions.start(name))", "X-Tote": "1",
    ]
  }

  /// Uploads a bare picture.
  func upload(
    _ file: [UInt8], title: String = "", _ headers: HTTPHeaders
  ) async throws -> Answer {
    var headers = headers
    headers["Content-Type"] = "image/jpeg"
    return try await send(
      .post, "/api/v1/photos?title=\(PercentEncoding.encode(title))", headers, body: HTTPBody(file))
  }

  /// Uploads by a form.
  func upload(
    form: FormFixture, _ headers: HTTPHeaders, to target: String = "/api/v1/photos"
  ) async throws -> Answer {
    var headers = headers
    headers["Content-Type"] = form.contentType
    return try await send(.post, target, headers, body: HTTPBody(form.bytes))
  }

  /// Adds a photo that differs from others of another number.
  func photo(_ number: Int = 0, title: String = "", by name: String) async throws -> Photo {
    let file = try Self.picture(number)
    var hasher = SHA256()
    hasher.update(file)
    return try await library.add(
      .bytes(file), sentDigest: hasher.finish(), title: title, by: name
    ).photo
  }

  /// A small picture, another one for each number.
  static func picture(_ number: Int = 0) throws -> [UInt8] {
    var fixture = PhotoFixture()
    fixture.width = 64 + number % 64
    fixture.height = 48 + number / 64
    return fixture.jpeg()
  }
}

/// A form as a browser or a phone sends it.
struct FormFixture {
  private var parts: [UInt8] = []
  private let boundary = "----WebKitFormBoundary7MA4YWxkTrZu0gW"

  var contentType: String { "multipart/form-data; boundary=\(boundary)" }
  var bytes: [UInt8] { parts + Array("--\(boundary)--\r\n".utf8) }

  init(_ fields: KeyValuePairs<String, String> = [:]) {
    for (name, value) in fields { add(name, value) }
  }

  mutating func add(_ name: String, _ value: String) {
    parts += Array(
      "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
  }

  /// Browsers write quotes of a name as `%22` and send the rest as it is.
  mutating func add(file: [UInt8], named name: String, type: String = "image/jpeg") {
    let escaped = name.split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "%22")
    parts += Array(
      ("--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(escaped)\"\r\n"
        + "Content-Type: \(type)\r\n\r\n").utf8)
    parts += file + [13, 10]
  }
}

/// Runs a server for the time of a test.
func withPhotoService<Result>(
  _ change: (inout PhotoServer.Options) -> Void = { _ in },
  _ body: (PhotoService) async throws -> Result
) async throws -> Result {
  try await withTemporaryDirectory { folder in
    let stores = StoreDirectory(path: folder + "/home")
    // The clock stands: how fast the tests run does not matter.
    let now = ContinuousClock.now
    let users = PhotoUsers(in: stores, rounds: 1, clock: { now })
    let library = try await PhotoLibrary(try stores.create("photos"), users: users)
    var options = PhotoServer.Options(spoolFolder: folder + "/spool")
    options.registration = .open
    options.clock = { now }
    change(&options)
    let service = PhotoService(
      server: try PhotoServer(library, options), library: library, folder: folder)
    let outcome: Swift.Result<Result, any Error>
    do {
      outcome = .success(try await body(service))
    } catch {
      outcome = .failure(error)
    }
    await service.server.stop(draining: .milliseconds(200))
    await library.close()
    return try outcome.get()
  }
}
