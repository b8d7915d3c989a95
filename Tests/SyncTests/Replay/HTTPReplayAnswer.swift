import Core
import Foundation
import HTTP
import TestSupport

/// What the listener answered.
struct HTTPReplayAnswer {
  var status: Int
  var headers: HTTPHeaders
  var bytes: [UInt8] = []
  /// A feed's lines.
  var lines: [String]?

  init(status: Int, headers: HTTPHeaders) {
    self.status = status
    self.headers = headers
  }

  var json: JSON? {
    if let lines { return Self.feed(lines) }
    return try? JSON(parsing: bytes)
  }

  /// The parts that are compared; sequences as the recordings write them.
  func comparable(_ marks: Set<String>, _ recorded: ReplayCase) -> ReplayAnswer {
    var answer = ReplayAnswer(status)
    let isFile = headers["Content-Type"] != "application/json" && lines == nil
    if let json, !isFile {
      answer.json = json.mappingStrings { text in
        for mark in marks where text.hasSuffix("-\(mark)") {
          return text.dropLast(mark.count) + "SEQ"
        }
        return text
      }
    } else {
      answer.bytes = bytes.isEmpty ? nil : bytes
    }
    // Ours says how long the whole is, also where CouchDB does not.
    if recorded.responseHeader("Content-Range") != nil {
      answer.contentRange = headers["Content-Range"]
    }
    return answer
  }

  private static func feed(_ lines: [String]) -> JSON? {
    ReplayCase(["response": ["lines": .array(lines.map { .string($0) })]]).feed
  }

  // MARK: Headers

  /// Headers of CouchDB's that are compared as they are.
  private static let compared = [
    "Allow", "Cache-Control", "Content-Type", "Accept-Ranges", "Content-Encoding", "Content-Range",
    "Location", "ETag",
  ]

  /// Says in words which recorded headers are missing or different.
  func headerProblems(_ recorded: ReplayCase, _ translated: (String) -> String) -> [String] {
    Self.compared.compactMap { name in
      guard let expected = recorded.responseHeader(name) else { return nil }
      guard let found = headers[name] else { return "no header \(name): \(expected)" }
      switch name {
      case "ETag" where expected == "\"OPAQUE\"" || recorded.path.contains("_changes"): return nil
      case "ETag" where isText(recorded) && recorded.bytes != nil: return nil
      case "Accept-Ranges" where isText(recorded): return nil
      case "Content-Type" where expected.hasPrefix("multipart/"):
        let type = expected.prefix { $0 != ";" }
        return found.hasPrefix(type) ? nil : "\(name): \(found) instead of \(type)"
      case "Location":
        let path = String(expected.dropFirst("http://127.0.0.1:5984".count))
        return found.hasSuffix(translated(path)) ? nil : "\(name): \(found) instead of \(expected)"
      default:
        return translated(expected) == found
          ? nil : "\(name): \(found) instead of \(translated(expected))"
      }
    }
  }

  /// CouchDB stores text compressed: digest and ranges are of bytes that we do not have.
  private func isText(_ recorded: ReplayCase) -> Bool {
    recorded.responseHeader("Content-Type")?.hasPrefix("text/") == true
  }

  // MARK: Multipart

  /// A multipart body as JSON: of each part its type and its content.
  static func multipart(_ body: HTTPBody, type: String?) async throws -> JSON {
    let reader = try MultipartReader(body, contentType: type.map { MediaType($0) })
    var parts: [JSON] = []
    while let part = try await reader.nextPart() {
      let type = part.headers["Content-Type"] ?? ""
      if type.hasPrefix("multipart/") {
        parts.append([
          "type": .string(String(type.prefix { $0 != ";" })),
          "parts": try await multipart(part.body, type: type),
        ])
        continue
      }
      let decoded = try part.body.decoded(part.headers["Content-Encoding"])
      let bytes = try await decoded.collect(upTo: 1 << 24)
      var members: JSONObject = ["type": .string(type)]
      for name in ["Content-Disposition", "Content-Range", "Content-Location"] {
        if let value = part.headers[name] { members[name] = .string(value) }
      }
      members["content"] =
        type.hasPrefix("application/json")
        ? (try? JSON(parsing: bytes)) ?? .null : .string(Data(bytes).base64EncodedString())
      parts.append(.object(members))
    }
    // Revisions and attachments come in no promised order.
    return .array(parts.sorted { $0.serialized(.canonical) < $1.serialized(.canonical) })
  }
}

extension ReplayCase {
  /// A recorded multipart answer as JSON; nil when it is none.
  var multipart: JSON? {
    get async throws {
      guard let type = responseHeader("Content-Type"), type.hasPrefix("multipart/"),
        let bytes
      else { return nil }
      return try await HTTPReplayAnswer.multipart(HTTPBody(bytes), type: type)
    }
  }
}
