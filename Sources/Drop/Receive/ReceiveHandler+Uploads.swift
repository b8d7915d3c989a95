import Core
import HTTP
import Sync

/// The bytes of files, resumable: where an upload stands, and what follows.
extension ReceiveHandler {
  /// `HEAD` and `PATCH` of a file.
  func upload(_ request: HTTPRequest, id: String) async throws -> HTTPResponse {
    guard let file = session.file(id) else { throw Refusal.nothingHere }
    let sender = sender(of: request)
    guard session.isBound(sender) else { throw Refusal.busy }
    if request.method == .head {
      session.settle()
      file.interrupt()
      return UploadAnswer.standing(file, 200).response
    }
    try session.bind(sender)
    guard let text = request.query["offset"], let offset = Int64(text), offset >= 0 else {
      throw Refusal.badRequest("`offset` must be the number of the first byte sent")
    }
    let digest = request.query["sha256"]
    guard digest.map({ DropFile.isDigest($0) }) ?? true else { throw Self.wrongDigest }
    guard request.headers["Content-Encoding"] == nil else { throw Self.encoded }
    return try await receive(request.body, file, from: offset, sha256: digest).response
  }

  private func receive(
    _ body: HTTPBody, _ file: IncomingFile, from offset: Int64, sha256: String?
  ) async throws -> UploadAnswer {
    // A length that cannot be right is refused before its bytes are read.
    if let size = file.file.size, let length = body.length, file.isOpen, length > size - offset {
      throw failed(file, IncomingFile.Fault.tooLong(limit: size))
    }
    try session.admit(file)
    let turn: Int
    do {
      switch try file.begin(at: offset) {
      case .elsewhere: return .standing(file, 409)
      case .closed: return closed(file)
      case .turn(let number, let isFirst):
        turn = number
        if isFirst { session.began(file) }
      }
    } catch {
      throw failed(file, error)
    }
    defer { file.pause(turn: turn) }
    do {
      for try await chunk in body {
        try file.append(chunk, turn: turn)
        session.touch()
      }
      guard file.isComplete else { return .standing(file, 204) }
      let saved = try file.finish(turn: turn, sha256: sha256)
      session.saved(saved)
      return .saved(saved)
    } catch {
      throw failed(file, error)
    }
  }

  /// The answer about a file that takes no bytes.
  private func closed(_ file: IncomingFile) -> UploadAnswer {
    switch file.status {
    case .saved(let saved): .saved(saved)
    case .refused(_, let reason): .refused(reason)
    case .asking, .open: .standing(file, 409)
    }
  }

  // MARK: Several files

  /// `POST /drop/_files`: small files that share a request, as `UploadParts` has them.
  ///
  /// Each has its row in the answer, in their order.
  func uploadTogether(_ request: HTTPRequest) async throws -> HTTPResponse {
    try session.bind(sender(of: request))
    guard request.headers["Content-Encoding"] == nil else { throw Self.encoded }
    var parts = UploadParts(request.body)
    var rows: [JSON] = []
    do {
      while let part = try await parts.next() {
        guard rows.count < UploadParts.countLimit else {
          throw Self.tooMany
        }
        rows.append(await row(of: part))
      }
    } catch UploadParts.Problem.malformed {
      throw Refusal.badRequest("Each file must be a line of JSON and as many bytes as it says.")
    } catch UploadParts.Problem.tooLarge {
      throw Refusal(
        413, "too_large", "a file of more than \(UploadParts.sizeLimit) bytes is sent on its own")
    }
    return .json(200, ["files": .array(rows)])
  }

  private func row(of part: UploadParts.Part) async -> JSON {
    do {
      guard let file = session.file(part.id) else { throw Refusal.nothingHere }
      guard DropFile.isDigest(part.sha256) else { throw Self.wrongDigest }
      return try await receive(HTTPBody(part.bytes), file, from: 0, sha256: part.sha256).row
    } catch {
      return UploadAnswer.row(of: Refusal(error))
    }
  }

  private static let tooMany = Refusal(
    413, "too_large", "more than \(UploadParts.countLimit) files in one request")
  private static let wrongDigest = Refusal.badRequest("`sha256` must be 64 hexadecimal digits")
  private static let encoded = Refusal(
    415, "bad_content_type", "the bytes of a file are sent as they are")
}
