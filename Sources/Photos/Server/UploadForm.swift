import Core
import HTTP

/// What a form or a bare body of an upload holds.
struct UploadForm: Sendable {
  /// The text fields, in order.
  var fields: [(name: String, value: String)] = []
  /// The picture's file.
  var file: SpooledFile?
  /// The sender's name of the file: for messages, never for anything else.
  var fileName: String?

  /// The first value of a field; names compare as bytes.
  subscript(name: String) -> String? {
    fields.first { utf8Equal($0.name, name) }?.value
  }
}

/// Reads a request's body as a form, its file to the disk and its fields into memory.
struct UploadFormReader {
  /// Takes the file; nil lets files pass by unread.
  let spool: UploadSpool?
  /// Bytes that a file may have.
  let fileLimit: Int64

  /// Bytes of one text field; a title of the greatest length fits, escaped.
  static let fieldLimit = 4 << 10
  /// Fields and files in all.
  private static let partLimit = 20

  /// Reads form data, with the file in the part `file`, or an urlencoded form.
  ///
  /// - Throws: `PhotoProblem` 400, 413 or 415, and what reading and writing throw.
  func form(_ request: HTTPRequest) async throws -> UploadForm {
    try Self.checkEncoding(request)
    if request.contentType?.value == "application/x-www-form-urlencoded" {
      return try await urlencoded(request)
    }
    guard request.contentType?.value == "multipart/form-data" else {
      throw PhotoProblem(
        415, "unsupported_media_type", "send a form: multipart/form-data with a part 'file'")
    }
    return try await formData(request.body, contentType: request.contentType)
  }

  /// Reads the parts of form data.
  func formData(_ body: HTTPBody, contentType: MediaType?) async throws -> UploadForm {
    let reader = try MultipartReader(body, contentType: contentType)
    var form = UploadForm()
    var count = 0
    while let part = try await reader.nextPart() {
      count += 1
      guard count <= Self.partLimit else {
        throw PhotoProblem.badRequest("the form has more than \(Self.partLimit) parts")
      }
      guard let disposition = part.disposition, let name = disposition.name else {
        throw PhotoProblem.badRequest("a part of the form has no name")
      }
      guard utf8Equal(name, "file") else {
        form.fields.append((name, try await text(part, name: name)))
        continue
      }
      guard let spool else { continue }
      guard form.file == nil else {
        throw PhotoProblem.badRequest("the form has more than one file: send each on its own")
      }
      form.fileName = disposition.filename
      form.file = try await file(part.body, spool)
    }
    return form
  }

  /// Reads a body that is the file itself.
  func bareFile(_ request: HTTPRequest) async throws -> UploadForm {
    try Self.checkEncoding(request)
    guard let spool else { return UploadForm() }
    var form = UploadForm()
    form.file = try await file(request.body, spool)
    return form
  }

  private func file(_ body: HTTPBody, _ spool: UploadSpool) async throws -> SpooledFile {
    let writer = try spool.writer()
    for try await chunk in body {
      guard writer.length + Int64(chunk.count) <= fileLimit else {
        throw PhotoProblem.tooLarge(limit: fileLimit)
      }
      try writer.write(chunk)
    }
    return try writer.finish()
  }

  private func text(_ part: MultipartPart, name: String) async throws -> String {
    let bytes: [UInt8]
    do {
      bytes = try await part.body.collect(upTo: Self.fieldLimit)
    } catch HTTPError.bodyTooLarge {
      throw PhotoProblem.badRequest("a field of the form has more than \(Self.fieldLimit) bytes")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw PhotoProblem.badRequest("a field of the form is not UTF-8")
    }
    return text
  }

  private func urlencoded(_ request: HTTPRequest) async throws -> UploadForm {
    let bytes = try await request.body.collect(upTo: 2 * Self.fieldLimit)
    guard let text = String(validating: bytes, as: UTF8.self),
      let items = HTTPQuery(parsing: text)?.items
    else { throw PhotoProblem.badRequest("the form has a broken escape") }
    var form = UploadForm()
    form.fields = items
    return form
  }

  private static func checkEncoding(_ request: HTTPRequest) throws(PhotoProblem) {
    guard let encoding = request.headers["Content-Encoding"], encoding != "identity" else { return }
    throw PhotoProblem(
      415, "unsupported_media_type", "send the body as it is, without a content encoding")
  }
}
