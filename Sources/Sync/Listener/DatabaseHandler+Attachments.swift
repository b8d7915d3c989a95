import Core
import HTTP

/// Single attachments.
extension DatabaseHandler {
  func attachment(_ name: String, of id: String) async throws -> HTTPResponse {
    switch request.method {
    case .get, .head: return try readAttachment(name, of: id)
    case .put: return try await putAttachment(name, of: id)
    case .delete: return try deleteAttachment(name, of: id)
    default: throw Refusal.method(allowed: "DELETE,GET,HEAD,PUT")
    }
  }

  private func readAttachment(_ name: String, of id: String) throws -> HTTPResponse {
    try require(.read)
    let reader = try store.attachment(named: name, of: id, revision: try parameters.revision())
    let attachment = reader.attachment
    let etag = "\"\(attachment.digest.dropFirst("md5-".count))\""
    var headers: HTTPHeaders = ["Cache-Control": "must-revalidate"]
    if let encoding = attachment.encoding {
      // The bytes go out as they were sent in; a range of compressed bytes would be of no use.
      headers["Content-Encoding"] = encoding
      headers["Accept-Ranges"] = "none"
      if request.http.headers.values(of: "If-None-Match").contains(etag) {
        return HTTPResponse(status: 304, headers: ["ETag": etag])
      }
      headers["ETag"] = etag
      headers["Content-Type"] = attachment.contentType
      return HTTPResponse(headers: headers, body: .file(try HTTPFile(path: reader.path)))
    }
    return .file(
      try HTTPFile(path: reader.path), for: request.http, contentType: attachment.contentType,
      etag: etag, headers: headers)
  }

  private func putAttachment(_ name: String, of id: String) async throws -> HTTPResponse {
    try requireWriting(id)
    let revision = try namedRevision()
    let encoding = request.http.headers["Content-Encoding"]
    guard encoding == nil || encoding == "gzip" || encoding == "identity" else {
      throw Refusal(
        415, "bad_content_type", "Only gzip and identity content-encodings are supported")
    }
    let writer = try store.makeAttachment()
    for try await chunk in request.http.body { try writer.append(chunk) }
    let staged = try writer.finish()
    let attachment = Attachment(
      name: name,
      contentType: request.http.contentType?.value ?? "application/octet-stream",
      encoding: encoding == "gzip" ? "gzip" : nil, content: .staged(staged))
    let written = try store.putAttachment(attachment, of: id, revision: revision)
    return writtenAnswer(201, id, written)
  }

  private func deleteAttachment(_ name: String, of id: String) throws -> HTTPResponse {
    try requireWriting(id)
    let revision = try store.deleteAttachment(
      named: name, of: id, revision: try namedRevision())
    return writtenAnswer(200, id, revision)
  }
}
