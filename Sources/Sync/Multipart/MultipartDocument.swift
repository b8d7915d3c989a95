import Core
import HTTP
import Synchronization

/// A document with its attachments as `multipart/related`: the JSON first, then the bytes of those
/// attachments that say `follows`, in their order.
struct MultipartDocument {
  private let document: Document
  private let files: [(Attachment, StagedBlob)]

  /// Prepares a document whose attachments to send are staged.
  init(_ document: Document) {
    var described = document
    described.annotations.attachmentEncoding = true
    var files: [(Attachment, StagedBlob)] = []
    for (index, attachment) in document.attachments.enumerated() {
      guard case .staged(let blob) = attachment.content else { continue }
      described.attachments[index].content = .follows
      files.append((attachment, blob))
    }
    self.document = described
    self.files = files
  }

  /// The whole, with its length.
  func body(frame: MultipartFrame = MultipartFrame()) throws -> MultipartBody {
    let head = MultipartBody.Part(
      headers: ["Content-Type": "application/json"], body: HTTPBody(document.jsonBytes))
    return MultipartBody([head] + (try files.map { try part($0, $1) }), frame: frame)
  }

  private func part(_ attachment: Attachment, _ blob: StagedBlob) throws -> MultipartBody.Part {
    var headers: HTTPHeaders = [
      "Content-Disposition": ContentDisposition(kind: "attachment", filename: attachment.name)
        .headerValue,
      "Content-Type": attachment.contentType, "Content-Length": String(blob.length),
    ]
    if let encoding = attachment.encoding { headers["Content-Encoding"] = encoding }
    return MultipartBody.Part(headers: headers, body: try HTTPBody(blob: blob))
  }

  /// The answer of a read.
  var response: HTTPResponse {
    get throws {
      let body = try body()
      var headers: HTTPHeaders = ["Content-Type": body.frame.contentType("related")]
      headers["Cache-Control"] = "must-revalidate"
      return HTTPResponse(headers: headers, streaming: body.body)
    }
  }

  // MARK: Reading

  /// Documents are read into memory; their attachments are not.
  static let documentLimit = 64 << 20

  /// Reads a document from a multipart body; its attachments are streamed into blobs.
  ///
  /// Parts belong to the attachments that say `follows`, in the order of the JSON: names in the parts'
  /// headers are not looked at, as in CouchDB.
  ///
  /// - Throws: `StoreError.badRequest` when parts are missing or too many.
  static func read(
    _ body: HTTPBody, type: MediaType?, spool: AttachmentSpool,
    parse: (JSON) throws -> Document
  ) async throws -> Document {
    let reader = try MultipartReader(body, contentType: type)
    guard let head = try await reader.nextPart() else {
      throw StoreError.badRequest("a multipart document without a part")
    }
    let bytes = try await head.body.collect(upTo: documentLimit)
    guard let json = try? JSON(parsing: bytes) else { throw Refusal.invalidJSON }
    var document = try parse(json)
    for name in order(of: json) {
      guard let index = document.attachments.firstIndex(where: { utf8Equal($0.name, name) }),
        case .follows = document.attachments[index].content
      else { continue }
      guard let part = try await reader.nextPart() else {
        throw StoreError.badRequest("attachment shorter than expected")
      }
      let writer = try spool.writer()
      for try await chunk in part.body { try writer.append(chunk) }
      document.attachments[index].content = .staged(try writer.finish())
    }
    try await reader.drain()
    return document
  }

  /// The attachments' names as the JSON lists them; the document itself has them sorted.
  private static func order(of json: JSON) -> [String] {
    json["_attachments"]?.objectValue?.keys ?? []
  }

  /// The same of a document's text.
  static func order(of bytes: [UInt8]) throws -> [String] {
    guard let json = try? JSON(parsing: bytes) else { return [] }
    return order(of: json)
  }

  /// Reads the body of a PUT.
  static func read(
    _ request: ListenerRequest, id: String, into store: LocalStore
  ) async throws -> Document {
    do {
      return try await read(
        request.http.body, type: request.http.contentType, spool: AttachmentSpool(store)
      ) { try Document(json: $0, id: id) }
    } catch HTTPError.protocolViolation(let text) {
      throw Refusal.badRequest(text)
    }
  }
}

extension HTTPBody {
  /// The bytes of a blob, read as they are wanted.
  init(blob: StagedBlob) throws {
    let file = try BlobFile(blob)
    self.init(length: Int64(blob.length)) { try file.next() }
  }
}

/// Reads a blob from its beginning to its end.
private final class BlobFile: Sendable {
  private let blob: StagedBlob
  private let file: BlobReader
  private let offset = Mutex(0)

  private static let chunkSize = 128 << 10

  init(_ blob: StagedBlob) throws {
    self.blob = blob
    file = try blob.store.open(blob.blob)
  }

  func next() throws -> [UInt8]? {
    var chunk = [UInt8](repeating: 0, count: Self.chunkSize)
    let start = offset.withLock { $0 }
    let count = try chunk.withUnsafeMutableBytes { try file.read(into: $0, at: start) }
    offset.withLock { $0 += count }
    guard count > 0 else { return nil }
    chunk.removeLast(chunk.count - count)
    return chunk
  }
}
