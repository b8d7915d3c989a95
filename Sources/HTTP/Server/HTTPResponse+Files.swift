extension HTTPResponse {
  /// Answers a GET or HEAD with a file: conditions, one range, and headers.
  ///
  /// Honours `If-Match`, `If-Unmodified-Since`, `If-None-Match`, `If-Modified-Since`, `Range` (one
  /// range of bytes) and `If-Range`; answers 200, 206, 304, 412 or 416. Sends `ETag`,
  /// `Last-Modified`, `Accept-Ranges` and `Content-Range`.
  ///
  /// `etag` is given with its quotes, by default one of size and time of change; `headers` are sent
  /// besides, as `Cache-Control`.
  public static func file(
    _ file: HTTPFile, for request: HTTPRequest, contentType: String, etag: String? = nil,
    headers: HTTPHeaders = HTTPHeaders()
  ) -> HTTPResponse {
    representation(
      for: request, length: file.length, contentType: contentType,
      etag: etag ?? "\"\(String(file.fileSize, radix: 36))-\(String(file.modified, radix: 36))\"",
      modified: file.modified, headers: headers
    ) { range in .file(file.part(file.offset + range.lowerBound..<file.offset + range.upperBound)) }
  }

  /// Answers a GET or HEAD with a representation of known length, as `file(_:for:…)` does.
  ///
  /// `body` makes the body of a range of its bytes; a `.stream` must give just as many.
  public static func representation(
    for request: HTTPRequest, length: Int64, contentType: String, etag: String?,
    modified: Int64? = nil, headers: HTTPHeaders = HTTPHeaders(),
    body: (Range<Int64>) -> HTTPResponse.Body
  ) -> HTTPResponse {
    var response = HTTPResponse(headers: headers)
    if let etag { response.headers["ETag"] = etag }
    if let modified { response.headers["Last-Modified"] = HTTPDate.format(modified) }
    switch HTTPConditions.evaluate(request, etag: etag, modified: modified) {
    case .notModified:
      response.status = 304
      return response
    case .failed:
      response.status = 412
      return response
    case .proceed: break
    }
    response.headers["Content-Type"] = contentType
    response.headers["Accept-Ranges"] = "bytes"
    // A range is defined for GET only (RFC 9110 §14.2).
    let asked =
      request.method == .get
        && HTTPConditions.rangeApplies(request, etag: etag, modified: modified)
      ? request.headers["Range"] : nil
    switch HTTPRange(asked, length: length) {
    case .whole: response.body = body(0..<length)
    case .part(let part):
      response.status = 206
      response.headers["Content-Range"] = HTTPRange.contentRange(part, of: length)
      response.body = body(part)
    case .unsatisfiable:
      response.status = 416
      response.headers.remove("Content-Type")
      response.headers["Content-Range"] = "bytes */\(length)"
    }
    return response
  }
}
