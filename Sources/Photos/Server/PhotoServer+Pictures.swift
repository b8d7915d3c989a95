import HTTP

/// Pictures, which never change: their addresses may be kept for ever.
extension PhotoServer {
  func picture(_ size: PictureSize, of id: PhotoID, _ call: PhotoCall) async throws -> HTTPResponse
  {
    guard let bytes = try await library.picture(size, of: id) else {
      throw PhotoProblem.noSuchPhoto
    }
    return answer(bytes, name: Self.name(size, of: id), for: call.http)
  }

  /// What a picture is called when somebody keeps it.
  static func name(_ size: PictureSize, of id: PhotoID) -> String {
    "\(id)-\(size.attachmentName)"
  }

  func answer(
    _ bytes: PictureBytes, name: String, for request: HTTPRequest
  ) -> HTTPResponse {
    HTTPResponse.representation(
      for: request, length: bytes.picture.length, contentType: "image/jpeg",
      etag: "\"\(bytes.picture.digest)\"",
      headers: [
        "Cache-Control": options.isPrivate
          ? "private, max-age=31536000, immutable" : "public, max-age=31536000, immutable",
        // Names that are served are ids: the sender's say when and with what a picture was taken.
        "Content-Disposition": "inline; filename=\"\(name)\"",
      ]
    ) { range in
      switch bytes.content {
      case .memory(let all):
        return .bytes(
          range.count == all.count
            ? all : Array(all[Int(range.lowerBound)..<Int(range.upperBound)]))
      case .file(let file): return .file(file.part(range))
      case .stream(let part):
        return .stream(length: Int64(range.count)) { writer in
          for try await chunk in part(range) { try await writer.write(chunk) }
        }
      }
    }
  }
}
