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
    let bytes = AttachmentBytes(
      try store.attachment(named: name, of: id, revision: try parameters.revision()))
    let attachment = bytes.description
    let etag = "\"\(attachment.digest.dropFirst("md5-".count))\""
    var headers: HTTPHeaders = ["Cache-Control": "must-revalidate"]
    let digest = String(attachment.digest.dropFirst("md5-".count))
    // Pages that come from a database must not act for whoever looks at them.
    headers["Content-Security-Policy"] = "sandbox"
    if let encoding = attachment.encoding {
      if request.http.headers.values(of: "If-None-Match").contains(etag) {
        return HTTPResponse(status: 304, headers: ["ETag": etag])
      }
      // A range of compressed bytes would be of no use.
      headers["Accept-Ranges"] = "none"
      headers["ETag"] = etag
      headers["Content-Type"] = attachment.contentType
      let takes = HTTPAccept.quality(
        of: encoding, in: request.http.headers, header: "Accept-Encoding")
      guard takes ?? 0 > 0 else {
        let body = try bytes.body(0..<bytes.count).decoded(encoding)
        return HTTPResponse(headers: headers, streaming: body)
      }
      headers["Content-Encoding"] = encoding
      headers["Content-MD5"] = digest
      if let file = try bytes.file() { return HTTPResponse(headers: headers, body: .file(file)) }
      return HTTPResponse(headers: headers, streaming: bytes.body(0..<bytes.count))
    }
    headers["Content-MD5"] = digest
    let range = AttachmentRange(request.http.headers["Range"])
    guard range != .empty else {
      throw Refusal(416, "requested_range_not_satisfiable", "Requested range not satisfiable")
    }
    if range == .whole, request.http.headers["If-None-Match"] == nil {
      headers["ETag"] = etag
      headers["Accept-Ranges"] = "bytes"
      headers["Content-Type"] = attachment.contentType
      if let file = try bytes.file() { return HTTPResponse(headers: headers, body: .file(file)) }
      return HTTPResponse(headers: headers, streaming: bytes.body(0..<bytes.count))
    }
    let response = try representation(bytes, etag, headers)
    guard response.status == 416 else { return response }
    var refusal = Refusal(
      416, "requested_range_not_satisfiable", "Requested range not satisfiable")
    refusal.headers = response.headers
    return refusal.response
  }

  private func representation(
    _ bytes: AttachmentBytes, _ etag: String, _ headers: HTTPHeaders
  ) throws -> HTTPResponse {
    let type = bytes.description.contentType
    if let file = try bytes.file() {
      return .file(file, for: request.http, contentType: type, etag: etag, headers: headers)
    }
    return .representation(
      for: request.http, length: bytes.count, contentType: type, etag: etag, headers: headers
    ) { HTTPResponse(streaming: bytes.body($0)).body }
  }

  /// The revision that a change of an attachment builds on, which the document must have.
  private func baseRevision(of id: String) throws -> RevisionID? {
    guard let revision = try namedRevision() else { return nil }
    do {
      _ = try store.document(id, ReadOptions(revision: revision))
    } catch StoreError.documentNotFound {
      throw Refusal(409, "not_found", "missing_rev")
    }
    return revision
  }

  private func putAttachment(_ name: String, of id: String) async throws -> HTTPResponse {
    try requireWriting(id)
    let revision = try baseRevision(of: id)
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
      contentType: request.http.headers["Content-Type"] ?? "application/octet-stream",
      encoding: encoding == "gzip" ? "gzip" : nil, content: .staged(staged))
    let written = try store.putAttachment(attachment, of: id, revision: revision)
    var response = writtenAnswer(201, id, written)
    response.headers["Location"] = request.location(store.name, id, name)
    return response
  }

  private func deleteAttachment(_ name: String, of id: String) throws -> HTTPResponse {
    try requireWriting(id)
    let revision = try store.deleteAttachment(
      named: name, of: id, revision: try baseRevision(of: id))
    return writtenAnswer(200, id, revision)
  }
}

/// Ranges that CouchDB answers otherwise than the rest of the world.
private enum AttachmentRange {
  case whole, empty, other

  init(_ header: String?) {
    self = .other
    guard let header, header.hasPrefix("bytes="), !header.contains(",") else { return }
    let parts = header.dropFirst("bytes=".count)
      .split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let first = Int64(parts[0]) else { return }
    if parts[1].isEmpty, first == 0 { self = .whole }
    if let last = Int64(parts[1]), last < first { self = .empty }
  }
}
