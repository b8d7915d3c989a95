import Core
import HTTP
import Sync

/// Attachments as CouchDB's clients send them, streamed into files.
extension ReceiveHandler {
  /// Bytes of a document before its attachments.
  private static let documentLimit = 4 << 20

  /// A document with its attachments behind it (`multipart/related`), as replicators send them.
  func putMultipart(
    _ request: HTTPRequest, id: String?, isMerge: Bool, _ sender: DropSession.Sender
  ) async throws -> HTTPResponse {
    let reader = try Self.parts(of: request)
    guard let head = try await reader.nextPart() else {
      throw Refusal.badRequest("a multipart document without a part")
    }
    let bytes = try await head.body.collect(upTo: Self.documentLimit)
    guard let json = try? JSON(parsing: bytes) else { throw Refusal.invalidJSON }
    let document = try Document(json: json, id: id)
    let files = try offer(document, sender)
    session.settle()
    let revision = try await recorded(document, isMerge: isMerge) {
      try await takeInline(document, files)
      for attachment in Self.following(document, json) {
        let part = try await reader.nextPart()
        guard let part else { throw Refusal.badRequest("attachment shorter than expected") }
        let pair = Self.pairs([attachment], files, of: document).first
        guard let file = pair?.1 else { continue }
        try await take(part.body, attachment, as: file)
      }
      try await reader.drain()
    }
    return Self.written(document.id, revision)
  }

  /// The parts of a multipart body.
  static func parts(of request: HTTPRequest) throws -> MultipartReader {
    do {
      return try MultipartReader(request.body, contentType: request.contentType)
    } catch HTTPError.protocolViolation(let text) {
      throw Refusal.badRequest(text)
    }
  }

  /// The attachments whose bytes follow, as the JSON lists them: the document itself has them sorted.
  private static func following(_ document: Document, _ json: JSON) -> [Attachment] {
    let names = json["_attachments"]?.objectValue?.keys ?? []
    return names.compactMap { name in
      let attachment = document.attachments.first { utf8Equal($0.name, name) }
      return attachment?.content == .follows ? attachment : nil
    }
  }

  /// A single attachment in the body, `curl -T photo.jpg …/drop/ID/photo.jpg`.
  func putAttachment(
    _ request: HTTPRequest, id: String, name: String
  ) async throws -> HTTPResponse {
    let sender = sender(of: request)
    try session.bind(sender)
    let named = request.query["rev"]
    let revision = named.flatMap { RevisionID($0) }
    guard (named == nil) == (revision == nil) else {
      throw Refusal.badRequest("Invalid rev format")
    }
    var file = DropFile(
      id: "\(id)/\(name)", name: name, size: request.body.length, sender: sender.address)
    file.type = request.headers["Content-Type"]
    if request.headers["Content-Encoding"] != nil { file.size = nil }
    let incoming = try session.offer([file], by: sender)
    session.settle()
    try Self.requireRoom(incoming[0])
    let attachment = Attachment(
      name: name, contentType: file.type ?? "application/octet-stream",
      encoding: request.headers["Content-Encoding"])
    let document = Document(id: id, revision: revision)
    let written = try await recorded(document, isMerge: false) {
      try await take(request.body, attachment, as: incoming[0])
    }
    return Self.written(id, written)
  }

  /// Receives the whole of a file from a stream, once the person agreed to it.
  ///
  /// - Throws: `Refusal`, or what reading throws.
  func take(_ body: HTTPBody, _ attachment: Attachment, as file: IncomingFile) async throws {
    try await session.decision(on: [file])
    switch file.status {
    case .saved: return
    case .refused: return try Self.requireRoom(file)
    case .asking: throw Refusal.sessionOver
    case .open: break
    }
    try session.admit(file)
    guard case .turn(let turn, let isFirst) = try file.begin(at: nil) else {
      throw Refusal(409, "conflict", "The file is being received.")
    }
    defer { file.pause(turn: turn) }
    if isFirst { session.began(file) }
    do {
      try await copy(body, attachment, to: file, turn: turn)
      session.saved(try file.finish(turn: turn, sha256: nil))
    } catch IncomingFile.Fault.damaged {
      // A whole document is pushed again with its own request, if at all.
      throw failed(file, IncomingFile.Fault.wrongDigest)
    } catch {
      throw failed(file, error)
    }
  }

  private func copy(
    _ body: HTTPBody, _ attachment: Attachment, to file: IncomingFile, turn: Int
  ) async throws {
    var md5 = MD5()
    let decoder = try Self.decoder(attachment, limit: file.file.size ?? session.folder.freeBytes)
    for try await chunk in body {
      md5.update(chunk)
      // Slices: each may expand a thousandfold before it is written.
      guard let decoder else {
        try file.append(chunk, turn: turn)
        session.touch()
        continue
      }
      try decoder.decode(chunk) { try file.append($0, turn: turn) }
      session.touch()
    }
    try decoder?.finish()
    let digest = attachment.digest
    guard
      digest.isEmpty || !digest.hasPrefix("md5-") || digest == "md5-\(Self.base64(md5.finish()))"
    else { throw IncomingFile.Fault.wrongDigest }
  }

  private static func base64(_ halves: (UInt64, UInt64)) -> String {
    Base64.encode(
      [halves.0, halves.1].flatMap { half in
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: half >> UInt64($0)) }
      })
  }

  private static func decoder(_ attachment: Attachment, limit: Int64) throws -> GzipDecoder? {
    switch attachment.encoding {
    case nil, "identity": return nil
    case "gzip": return try GzipDecoder(limit: limit)
    case let other?:
      throw Refusal(415, "bad_content_type", "unknown content encoding '\(other)'")
    }
  }

  /// What receiving failed by, as an answer; a file that cannot be right is refused for good.
  func failed(_ file: IncomingFile, _ error: any Error) -> any Error {
    switch error {
    case IncomingFile.Fault.superseded:
      if case .refused = file.status { return Refusal(403, "forbidden", "The file was refused.") }
      return Refusal(409, "conflict", "Another request has taken over.")
    case IncomingFile.Fault.tooLong(let limit):
      return refuse(file, 413, "too_long", "the file has more than its \(limit) bytes")
    case HTTPError.bodyTooLarge(let limit):
      return refuse(file, 413, "too_long", "the file has more than its \(limit) bytes")
    case IncomingFile.Fault.tooShort:
      return refuse(file, 400, "incomplete", "the file has fewer bytes than it should have")
    case IncomingFile.Fault.damaged:
      return Refusal(422, "digest", IncomingFile.mismatch)
    case IncomingFile.Fault.wrongDigest:
      return refuse(file, 422, "digest", IncomingFile.mismatch)
    case StoreError.diskFull:
      return refuse(file, 507, "no_space", "the disk of the receiver is full")
    case let error as StoreError:
      return refuse(file, 500, "io", "the receiver cannot write the file: \(error.couchDB.error)")
    default: return error
    }
  }

  private func refuse(
    _ file: IncomingFile, _ status: Int, _ code: String, _ reason: String
  ) -> Refusal {
    session.refuse(file, code: code, reason: reason)
    return Refusal(status, code, reason)
  }
}
