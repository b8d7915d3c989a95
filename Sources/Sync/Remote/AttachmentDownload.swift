import Core
import HTTP

/// Fetches the bytes of one attachment of one revision.
///
/// A download that breaks goes on where it broke (`Range`), as long as the server still has the same
/// bytes. What came is compared with the digest and the length that were announced; bytes that do
/// not match are fetched again, and refused if they stay wrong.
struct AttachmentDownload: Sendable {
  let connection: RemoteConnection
  let spool: AttachmentSpool
  let id: String
  let revision: RevisionID
  let attachment: Attachment

  /// Fetches of bytes that turned out to be wrong.
  private static let attempts = 3
  /// Breaks in a row without a byte in between.
  private static let breaks = 5

  /// The attachment with its bytes staged.
  ///
  /// - Throws: `StoreError.damagedAttachment` when the bytes stay wrong.
  func fetch() async throws -> Attachment {
    var takesGzip = attachment.encoding != nil
    var problem = ""
    for _ in 0..<Self.attempts {
      let (blob, encoding) = try await download(takesGzip: takesGzip)
      let (filled, mismatch) = attachment.filled(with: blob, encoding: encoding)
      guard let mismatch else { return filled }
      problem = mismatch
      // Servers that compress text and do not say so count the digest over the compressed form.
      takesGzip.toggle()
    }
    throw StoreError.damagedAttachment(name: attachment.name, detail: problem)
  }

  /// A download's state across its breaks.
  private struct Progress {
    var writer: BlobWriter
    var received: Int64 = 0
    /// What the server calls these bytes.
    var tag: String?
    var encoding: String?
  }

  private func download(
    takesGzip: Bool
  ) async throws -> (blob: StagedBlob, encoding: String?) {
    var progress = Progress(writer: try spool.writer())
    var breaks = 0
    while true {
      let before = progress.received
      do {
        try await receive(&progress, takesGzip: takesGzip)
        return (try progress.writer.finish(), progress.encoding)
      } catch let error as RemoteError where error.isTransient {
        breaks = progress.received > before ? 1 : breaks + 1
        guard breaks < Self.breaks else { throw error }
        try await connection.timing.pause(0.125 * Double(1 << breaks))
      }
    }
  }

  /// One request, which goes on where the last one broke.
  private func receive(_ progress: inout Progress, takesGzip: Bool) async throws {
    var call = RemoteConnection.Call(segments: [id, attachment.name])
    call.query = [("rev", revision.description)]
    call.headers = ["Accept": "*/*", "Accept-Encoding": takesGzip ? "gzip" : "identity"]
    call.decompresses = false
    if progress.received > 0 {
      call.headers["Range"] = "bytes=\(progress.received)-"
      if let tag = progress.tag, tag.utf8.first == UInt8(ascii: "\"") {
        call.headers["If-Range"] = tag
      }
    }
    let response: HTTPClientResponse
    do {
      response = try await connection.send(call)
    } catch RemoteError.status(416, _, _, _) where progress.received > 0 {
      progress = Progress(writer: try spool.writer())
      return try await receive(&progress, takesGzip: takesGzip)
    } catch RemoteError.status(404, _, let reason, _) {
      throw StoreError.documentNotFound(id: id, reason == "deleted" ? .deleted : .missing)
    }
    try resume(&progress, response)
    do {
      for try await chunk in response.body {
        try progress.writer.append(chunk)
        progress.received += Int64(chunk.count)
      }
    } catch let error as HTTPError {
      throw RemoteError.transport(error, url: response.url.withoutQuery)
    }
  }

  /// Sees whether an answer goes on with the same bytes; else everything starts anew.
  private func resume(_ progress: inout Progress, _ response: HTTPClientResponse) throws {
    let tag = response.headers["ETag"]
    if progress.received > 0 {
      let range = response.headers["Content-Range"].flatMap { HTTPRange.parse(contentRange: $0) }
      if response.status == 206, range?.part.lowerBound == progress.received,
        tag == nil || progress.tag == nil || tag == progress.tag
      {
        return
      }
      progress = Progress(writer: try spool.writer())
      if response.status == 206 {
        throw RemoteError.unexpected(
          detail: "another part of '\(attachment.name)'", url: response.url.withoutQuery)
      }
    }
    progress.tag = tag
    progress.encoding = response.headers["Content-Encoding"].flatMap {
      $0.lowercased() == "identity" ? nil : $0.lowercased()
    }
  }
}

extension Attachment {
  /// The attachment with the bytes that came for it, and what is wrong with them, if anything is.
  ///
  /// Digests count over the bytes as they are stored: after `encoding`.
  func filled(
    with blob: StagedBlob, encoding received: String?
  ) -> (attachment: Attachment, mismatch: String?) {
    var filled = self
    filled.content = .staged(blob)
    if encoding == nil, let received {
      filled.encoding = received
      filled.encodedLength = blob.length
    }
    let announced = encoding == nil && received == nil ? length : encodedLength ?? 0
    if announced > 0, announced != blob.length {
      return (filled, "\(blob.length) bytes came instead of \(announced)")
    }
    if md5Bytes(digest) != nil, !utf8Equal(digest, blob.digest) {
      return (filled, "the bytes do not match the digest")
    }
    return (filled, nil)
  }
}
