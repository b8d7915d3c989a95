import Core
import HTTP
import Sync

/// What is answered to the bytes of one file.
enum UploadAnswer {
  case saved(DropSaved)
  /// Where the file stands, with a status.
  case standing(IncomingFile, Int)
  /// The file will not be had; the reason.
  case refused(String)

  /// As the answer to a request.
  var response: HTTPResponse {
    switch self {
    case .saved(let saved): return .json(200, .object(Self.members(of: saved)))
    case .standing(let file, let status):
      var headers: HTTPHeaders = [
        "Upload-Offset": String(file.offset), "Upload-State": file.status.word,
      ]
      if let size = file.file.size { headers["Upload-Length"] = String(size) }
      if case .refused(let code, let reason) = file.status {
        headers["Upload-Code"] = code
        headers["Upload-Reason"] = reason
      }
      return HTTPResponse(status: status, headers: headers)
    case .refused(let reason):
      var response = Refusal(403, "forbidden", reason).response
      response.headers["Upload-State"] = "refused"
      return response
    }
  }

  /// As one of several.
  var row: JSON {
    switch self {
    case .saved(let saved):
      var members = Self.members(of: saved)
      members["status"] = 200
      return .object(members)
    case .standing(let file, let status):
      return [
        "status": .integer(Int64(status)), "state": .string(file.status.word),
        "offset": .integer(file.offset),
      ]
    case .refused(let reason): return Self.row(of: Refusal(403, "forbidden", reason))
    }
  }

  /// Why a file could not be received, as one of several.
  static func row(of refusal: Refusal) -> JSON {
    [
      "status": .integer(Int64(refusal.status)), "error": .string(refusal.error),
      "reason": .string(refusal.reason),
    ]
  }

  private static func members(of saved: DropSaved) -> JSONObject {
    [
      "name": .string(saved.name), "size": .integer(saved.size),
      "sha256": .string(saved.sha256), "was_there": .bool(saved.wasThere),
    ]
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
