import Core
import Foundation
import TestSupport

extension ReplayServer {
  func attachment(
    _ request: ReplayRequest, _ store: LocalStore, _ id: String, name: String
  ) throws -> ReplayAnswer {
    switch request.method {
    case "GET": return try send(request, store, id, name)
    case "HEAD":
      var answer = try send(request, store, id, name)
      answer.bytes = []
      return answer
    case "PUT":
      let staged = try stage(Self.unchunked(request), store)
      let file = Attachment(
        name: name, contentType: request.headers["content-type"] ?? "application/octet-stream",
        encoding: request.headers["content-encoding"], content: .staged(staged))
      let revision = try store.putAttachment(file, of: id, revision: request.namedRevision())
      return ReplayAnswer(201, .written(id, revision))
    case "DELETE":
      let revision = try store.deleteAttachment(
        named: name, of: id, revision: request.namedRevision())
      return ReplayAnswer(200, .written(id, revision))
    default: throw unsupported(request)
    }
  }

  private func stage(_ bytes: [UInt8], _ store: LocalStore) throws -> StagedBlob {
    let writer = try store.makeAttachment()
    // In two pieces, as a stream may bring them.
    try writer.append(Array(bytes.prefix(3)))
    try writer.append(Array(bytes.dropFirst(3)))
    return try writer.finish()
  }

  private func send(
    _ request: ReplayRequest, _ store: LocalStore, _ id: String, _ name: String
  ) throws -> ReplayAnswer {
    let reader = try store.attachment(named: name, of: id, revision: request.revision("rev"))
    var answer = ReplayAnswer(200, tag: String(reader.attachment.digest.dropFirst(4)))
    answer.contentType = reader.attachment.contentType
    var range = 0..<reader.count
    if let header = request.headers["range"], header.hasPrefix("bytes=") {
      let sides = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
      let (first, last) = (Int(sides[0]), sides.count == 2 ? Int(sides[1]) : nil)
      switch (first, last) {
      case (let first?, _): range = first..<max(min(last ?? .max - 1, reader.count - 1) + 1, first)
      case (nil, let count?): range = max(reader.count - count, 0)..<reader.count
      case (nil, nil): break
      }
      if first != nil || last != nil {
        guard !range.isEmpty else {
          throw ReplayRefusal(
            416, "requested_range_not_satisfiable", "Requested range not satisfiable")
        }
        // The whole file is no part of it.
        if range != 0..<reader.count {
          answer.status = 206
          answer.contentRange =
            "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(reader.count)"
        }
      }
    }
    var bytes = [UInt8](repeating: 0, count: range.count)
    let count = try bytes.withUnsafeMutableBytes {
      try reader.read(into: $0, at: range.lowerBound)
    }
    answer.bytes = Array(bytes.prefix(count))
    return answer
  }

  private static func unchunked(_ request: ReplayRequest) -> [UInt8] {
    guard request.headers["transfer-encoding"] == "chunked" else { return request.body }
    var rest = request.body[...]
    var bytes: [UInt8] = []
    while let end = rest.firstIndex(of: 13) {
      let size = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16) ?? 0
      bytes += rest.dropFirst(end - rest.startIndex + 2).prefix(size)
      rest = rest.dropFirst(end - rest.startIndex + 2 + size + 2)
    }
    return bytes
  }

  /// Reads a `multipart/related` document, whose parts are the attachments that `follows` announces,
  /// in the order of the announcements.
  func multipartDocument(
    _ request: ReplayRequest, _ store: LocalStore, _ id: String
  ) throws -> Document {
    let type = request.headers["content-type"] ?? ""
    guard let boundary = type.range(of: "boundary=").map({ String(type[$0.upperBound...]) }) else {
      throw ReplayRefusal(400, "bad_request", "invalid UTF-8 JSON")
    }
    let delimiter = "--" + boundary.trimmingCharacters(in: CharacterSet(charactersIn: "\""))
    var parts = Self.parts(of: request.body, delimiter: delimiter)
    let json = try JSON(parsing: parts.isEmpty ? [] : parts.removeFirst())
    var document = try Document(json: json, id: id)
    for (name, value) in json["_attachments"]?.objectValue ?? [:]
    where value["follows"] == true {
      guard let index = document.attachments.firstIndex(where: { utf8Equal($0.name, name) })
      else { continue }
      guard !parts.isEmpty else {
        throw ReplayRefusal(400, "bad_request", "attachment shorter than expected")
      }
      document.attachments[index].content = .staged(try stage(parts.removeFirst(), store))
    }
    return document
  }

  private static func parts(of body: [UInt8], delimiter: String) -> [[UInt8]] {
    let data = Data(body)
    var parts: [[UInt8]] = []
    var rest = data.startIndex..<data.endIndex
    var start: Data.Index?
    while let found = data.range(of: Data(delimiter.utf8), in: rest) {
      if let start, found.lowerBound - 2 >= start {
        let part = data[start..<found.lowerBound - 2]
        if let head = part.range(of: Data("\r\n\r\n".utf8)) {
          parts.append([UInt8](part[head.upperBound...]))
        }
      }
      start = found.upperBound
      rest = found.upperBound..<data.endIndex
    }
    return parts
  }
}
