import Core
import HTTP

/// The protocol of the well-known tutorial of a photo app with a web service: one address for all,
/// always status 200, answers and errors in its own JSON, numbers as strings.
extension PhotoServer {
  /// Forms up to this are read before anybody has logged in: no picture is as small.
  private static let smallForm: Int64 = 64 << 10
  private static let streamLength = 50

  func tutorial(_ call: PhotoCall) async throws -> HTTPResponse {
    var admission: UploadQueue.Admission?
    let length = call.http.body.length
    let isForm = call.http.contentType?.value == "multipart/form-data"
    if isForm, length.map({ $0 > Self.smallForm }) ?? true {
      guard let login = call.login else { throw Self.error("Authorization required") }
      admission = try admit(call, user: login.user)
    }
    // A small form's file counts only when there is somebody to have it.
    let reader = UploadFormReader(
      spool: call.login == nil ? nil : spool, fileLimit: options.fileLimit)
    let form = try await reader.form(call.http)
    switch form["command"] ?? "" {
    case "register": return try await tutorialRegister(form, call)
    case "login": return try await tutorialLogIn(form, call)
    case "logout":
      return try await logOut(call, answer: HTTPResponse(text: "", contentType: "application/json"))
    case "upload": return try await tutorialUpload(form, call, admission)
    case "stream": return try await tutorialStream(form, call)
    default: throw Self.error("Unknown command")
    }
  }

  /// An error in the tutorial's words; `reason` is for people who look closer.
  private static func error(_ text: String) -> PhotoProblem { PhotoProblem(200, text, text) }

  /// A problem as the tutorial's app understands it.
  ///
  /// What no app of the tutorial causes (another site's page, a wrong name of the server) keeps its
  /// status.
  func tutorialAnswer(_ problem: PhotoProblem, for request: HTTPRequest) -> HTTPResponse {
    let status = [400, 403, 405, 413, 415, 421].contains(problem.status) ? problem.status : 200
    let text: String
    switch problem.status {
    case 200: text = problem.message
    case 401: text = "Authorization required"
    case 429, 500..., 409: text = "Upload database problem"
    default: text = problem.message
    }
    var response = Self.answer(["error": .string(text)])
    response.status = status
    for field in problem.headers { response.headers[field.name] = field.value }
    return response
  }

  private static func answer(_ json: JSON) -> HTTPResponse { .photoJSON(json) }

  // MARK: Commands

  private func tutorialRegister(_ form: UploadForm, _ call: PhotoCall) async throws -> HTTPResponse
  {
    let name: String
    do {
      name = try await makeAccount(
        form["username"] ?? "", form["password"] ?? "", invite: form["invite"], call)
    } catch {
      throw PhotoProblem(error).code == "user_exists"
        ? Self.error("Username already exists") : Self.error("Registration failed")
    }
    return try await tutorialSession(of: name, call)
  }

  private func tutorialLogIn(_ form: UploadForm, _ call: PhotoCall) async throws -> HTTPResponse {
    let name: String
    do {
      name = try await verified(form["username"] ?? "", form["password"] ?? "", call)
    } catch {
      throw Self.error("Authorization failed")
    }
    return try await tutorialSession(of: name, call)
  }

  private func tutorialSession(of name: String, _ call: PhotoCall) async throws -> HTTPResponse {
    let number = try await library.number(ofUser: name)
    let answer = Self.answer([
      "result": [["IdUser": .string("\(number)"), "username": .string(name)]]
    ])
    return try await withSession(of: name, call, answer)
  }

  private func tutorialUpload(
    _ form: UploadForm, _ call: PhotoCall, _ admission: UploadQueue.Admission?
  ) async throws -> HTTPResponse {
    guard let login = call.login else { throw Self.error("Authorization required") }
    guard let file = form.file else { throw Self.error("Upload malfunction") }
    do {
      _ = try await store(
        file, name: form.fileName, title: form["title"] ?? "", user: login.user,
        try admission ?? admit(call, user: login.user))
    } catch {
      let problem = PhotoProblem(error)
      throw problem.status < 429 ? Self.error("Upload malfunction") : problem
    }
    return Self.answer(["successful": 1])
  }

  private func tutorialStream(_ form: UploadForm, _ call: PhotoCall) async throws -> HTTPResponse {
    if options.isPrivate, call.login == nil { throw Self.error("Authorization required") }
    var photos: [Photo] = []
    // The tutorial's server takes what is no number for 0, and 0 for all.
    let number = form["IdPhoto"].flatMap { Int32($0) } ?? 0
    if number > 0 {
      photos = try await library.photo(number: number).map { [$0] } ?? []
    } else {
      photos = try await library.newest(Self.streamLength).photos
    }
    var rows: [JSON] = []
    for photo in photos {
      let user = try await library.number(ofUser: photo.user)
      rows.append([
        "IdPhoto": .string("\(photo.number)"), "title": .string(photo.title),
        "IdUser": .string("\(user)"), "username": .string(photo.user),
      ])
    }
    return Self.answer(["result": .array(rows)]).gzipped(for: call.http)
  }

  /// `/upload/7.jpg` and `/upload/7-thumb.jpg`.
  func tutorialPicture(
    _ number: Int32, _ size: PictureSize, _ call: PhotoCall
  ) async throws -> HTTPResponse {
    guard let photo = try await library.photo(number: number) else {
      throw PhotoProblem.noSuchPhoto
    }
    return try await picture(size, of: photo.id, call)
  }
}
