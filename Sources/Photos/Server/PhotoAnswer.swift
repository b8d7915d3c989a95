import Core
import HTTP

extension Photo {
  /// The photo as the API shows it.
  var answer: JSONObject {
    func picture(_ size: PictureSize) -> JSON {
      [
        "url": .string("/photos/\(id)/\(size.attachmentName)"),
        "bytes": .integer(self.picture(size)?.length ?? 0),
      ]
    }
    return [
      "id": .string(id.description), "number": .integer(Int64(number)), "title": .string(title),
      "user": .string(user), "width": .integer(Int64(width)), "height": .integer(Int64(height)),
      "created": .string(created), "taken": taken.map { .string($0) } ?? .null,
      "placeholder": .string(Base64.encode(placeholder)),
      "notes": .array(notes.map { .string($0.rawValue) }),
      "full": picture(.full), "view": picture(.view), "thumb": picture(.thumb),
    ]
  }
}

extension HTTPResponse {
  /// This answer with an entity tag of its bytes, or 304 where the client has them.
  ///
  /// For small answers that may be kept but have to be asked about.
  func revalidated(for request: HTTPRequest, isPrivate: Bool) -> HTTPResponse {
    guard status == 200, case .bytes(let bytes) = body else { return self }
    var response = self
    var hasher = SHA256()
    hasher.update(bytes)
    let tag = "\"\(hexadecimal(hasher.finish().prefix(12)))\""
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = isPrivate ? "private, no-cache" : "no-cache"
    if HTTPConditions.evaluate(request, etag: tag) == .notModified {
      response.status = 304
      response.body = .bytes([])
      response.headers.remove("Content-Type")
    }
    return response
  }
}
