import Core
import HTTP

/// Taking photos in.
extension PhotoServer {
  /// Answers an upload: what can be refused is refused before the body is read.
  func upload(_ call: PhotoCall) async throws -> HTTPResponse {
    let user = try call.user()
    let admission = try admit(call, user: user)
    let form: UploadForm
    do {
      form = try await body(call)
    } catch {
      metrics.countUpload(error is PhotoProblem ? .refused : .failed)
      throw error
    }
    if call.http.body.length == nil, let file = form.file {
      // Nobody knew before how much it would be; it counts for what comes next.
      limiters.note(file.length, user: user, address: call.origin.address)
    }
    guard let file = form.file else {
      throw PhotoProblem.badRequest("the form has no part 'file' with the picture")
    }
    let title = try form["title"] ?? call.parameter("title") ?? ""
    let added = try await store(
      file, name: form.fileName, title: title, user: user, admission)
    var answer = added.photo.answer
    answer["duplicate"] = .bool(added.isDuplicate)
    var response = HTTPResponse.photoJSON(.object(answer), status: added.isDuplicate ? 200 : 201)
    response.headers["Location"] = "/api/v1/photos/\(added.photo.id)"
    return response
  }

  /// Lets an upload in.
  ///
  /// - Throws: 413 when its headers say that it is too large, 429.
  func admit(_ call: PhotoCall, user: String) throws(PhotoProblem) -> UploadQueue.Admission {
    let length = call.http.body.length
    if let length, length > options.bodyLimit { throw .tooLarge(limit: options.fileLimit) }
    do throws(PhotoProblem) {
      let admission = try queue.admit(RateLimiter.sender(user: user))
      try limiters.takeUpload(length ?? 0, user: user, address: call.origin.address)
      return admission
    } catch {
      metrics.countUpload(.busy)
      throw error
    }
  }

  private func body(_ call: PhotoCall) async throws -> UploadForm {
    let reader = UploadFormReader(spool: spool, fileLimit: options.fileLimit)
    switch call.http.contentType {
    case let type? where type.value == "multipart/form-data":
      return try await reader.form(call.http)
    // What it really is, its first bytes say.
    case let type? where type.matches("image/*") || type.value == "application/octet-stream":
      return try await reader.bareFile(call.http)
    default:
      throw PhotoProblem(
        415, "unsupported_media_type",
        "send the picture as image/jpeg, or in a form (multipart/form-data) as the part 'file'")
    }
  }

  /// Makes a photo of a file that has come whole.
  ///
  /// - Throws: `PhotoProblem`, which names the file as its sender did.
  func store(
    _ file: SpooledFile, name: String?, title: String, user: String,
    _ admission: UploadQueue.Admission
  ) async throws -> AddedPhoto {
    let start = ContinuousClock.now
    do {
      let title = try PhotoText.title(title)
      let added = try await admission.work { [library, options] in
        // The descriptor is the file's, which lives until this returns.
        try await library.add(
          .file(descriptor: file.descriptor), sentDigest: file.digest, title: title, by: user,
          options.photo)
      }
      metrics.countUpload(
        added.isDuplicate ? .duplicate : .added, bytes: file.length, work: .now - start)
      return added
    } catch let refusal as PhotoRefusal {
      metrics.countUpload(refusal.isFinal ? .refused : .failed, bytes: file.length)
      throw PhotoProblem(refusal, file: name)
    } catch {
      metrics.countUpload(.failed, bytes: file.length)
      throw error
    }
  }
}

extension ContinuousClock.Instant {
  fileprivate static func - (left: Self, right: Self) -> Duration { right.duration(to: left) }
}
