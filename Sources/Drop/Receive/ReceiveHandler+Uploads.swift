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
      return standing(of: file, 200)
    }
    try session.bind(sender)
    guard let text = request.query["offset"], let offset = Int64(text), offset >= 0 else {
      throw Refusal.badRequest("`offset` must be the number of the first byte sent")
    }
    let digest = request.query["sha256"]
    guard digest.map({ DropFile.isDigest($0) }) ?? true else {
      throw Refusal.badRequest("`sha256` must be 64 hexadecimal digits")
    }
    guard request.headers["Content-Encoding"] == nil else {
      throw Refusal(415, "bad_content_type", "the bytes of a file are sent as they are")
    }
    return try await receive(request.body, file, from: offset, sha256: digest)
  }

  private func receive(
    _ body: HTTPBody, _ file: IncomingFile, from offset: Int64, sha256: String?
  ) async throws -> HTTPResponse {
    // A length that cannot be right is refused before its bytes are read.
    if let size = file.file.size, let length = body.length, file.isOpen, length > size - offset {
      throw failed(file, IncomingFile.Fault.tooLong(limit: size))
    }
    let turn: Int
    do {
      switch try file.begin(at: offset) {
      case .elsewhere: return standing(of: file, 409)
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
      guard file.isComplete else { return standing(of: file, 204) }
      let saved = try file.finish(turn: turn, sha256: sha256)
      session.saved(saved)
      return Self.result(saved)
    } catch {
      throw failed(file, error)
    }
  }

  /// The answer about a file that takes no bytes.
  private func closed(_ file: IncomingFile) -> HTTPResponse {
    switch file.status {
    case .saved(let saved): return Self.result(saved)
    case .refused(_, let reason):
      var response = Refusal(403, "forbidden", reason).response
      response.headers["Upload-State"] = "refused"
      return response
    case .asking, .open: return standing(of: file, 409)
    }
  }

  private static func result(_ saved: DropSaved) -> HTTPResponse {
    .json(
      200,
      [
        "name": .string(saved.name), "size": .integer(saved.size),
        "sha256": .string(saved.sha256),
      ])
  }

  /// Where a file stands, in headers.
  func standing(of file: IncomingFile, _ status: Int) -> HTTPResponse {
    var headers: HTTPHeaders = [
      "Upload-Offset": String(file.offset), "Upload-State": file.status.word,
    ]
    if let size = file.file.size { headers["Upload-Length"] = String(size) }
    if case .refused(let code, let reason) = file.status {
      headers["Upload-Code"] = code
      headers["Upload-Reason"] = reason
    }
    return HTTPResponse(status: status, headers: headers)
  }
}

extension IncomingFile.Status {
  /// The contract's word.
  var word: String {
    switch self {
    case .asking: "asking"
    case .open: "open"
    case .saved: "saved"
    case .refused: "refused"
    }
  }
}
