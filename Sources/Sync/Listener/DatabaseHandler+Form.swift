import Core
import HTTP

/// A document and its attachments sent by a form of a web page: `POST /{db}/{docid}`.
extension DatabaseHandler {
  func receiveForm(_ id: String) async throws -> HTTPResponse {
    try requireReferer()
    try store.check(id)
    guard request.http.contentType?.value == "multipart/form-data" else {
      throw Refusal(415, "bad_content_type", "Content-Type must be multipart/form-data")
    }
    try requireWriting(id)
    let form = try await FormFields(request, into: store)
    var document: Document
    if let json = form.document {
      document = try Document(json: json, id: id)
      document.revision = try document.revision ?? namedRevision()
    } else {
      guard let text = form.revision, let revision = RevisionID(text) else {
        throw Refusal.badRequest("Invalid rev format")
      }
      document = try store.document(id, ReadOptions(revision: revision))
    }
    for attachment in form.attachments {
      document.attachments.removeAll { utf8Equal($0.name, attachment.name) }
      document.attachments.append(attachment)
    }
    document.attachments.sortByName()
    var response = try await written(document, mode: .edits)
    response.headers["Location"] = nil
    return response
  }

  /// Other sites' pages must not fill forms of this one in their visitors' names.
  private func requireReferer() throws {
    guard let referer = request.http.headers["Referer"] else {
      throw Refusal.badRequest("Referer header required.")
    }
    guard let url = try? WebURL(referer), let host = request.http.headers["Host"],
      utf8Equal(url.authority, host) || utf8Equal(url.host, host)
    else { throw Refusal.badRequest("Referer header must match host.") }
  }
}

/// What a form holds.
private struct FormFields {
  var document: JSON?
  var revision: String?
  var attachments: [Attachment] = []

  /// Fields that are no files; a document can be as large as CouchDB's default allows.
  private static let fieldLimit = 8 << 20

  init(_ request: ListenerRequest, into store: LocalStore) async throws {
    let reader = try MultipartReader(request.http.body, contentType: request.http.contentType)
    while let part = try await reader.nextPart() {
      switch part.disposition?.name {
      case "_doc":
        let bytes = try await part.body.collect(upTo: Self.fieldLimit)
        guard let json = try? JSON(parsing: bytes) else { throw Refusal.invalidJSON }
        document = json
      case "_rev":
        let bytes = try await part.body.collect(upTo: Self.fieldLimit)
        revision = String(decoding: bytes, as: UTF8.self)
      case "_attachments":
        guard let name = part.disposition?.filename, !name.isEmpty else { continue }
        try Attachment.check(name: name)
        let writer = try store.makeAttachment()
        for try await chunk in part.body { try writer.append(chunk) }
        attachments.append(
          Attachment(
            name: name,
            contentType: part.headers["Content-Type"] ?? "application/octet-stream",
            content: .staged(try writer.finish())))
      default: continue
      }
    }
  }
}
