import Core
import Glibc
import HTTP
import Sync
import Synchronization

/// Answers the browsers of an offer: the page, and the files by their numbers.
struct OfferHandler: Sendable {
  let session: OfferSession
  let gate: ReceiveGate
  let door: ReceiveGate.Door
  let isEncrypted: Bool

  private static let chunk = 256 << 10

  func answer(_ request: HTTPRequest) async -> HTTPResponse {
    do throws(Refusal) {
      guard case .path(var rest) = try gate.pass(request, door) else { throw .nothingHere }
      if rest.last == "" { rest.removeLast() }
      switch (rest.first, rest.count) {
      case (nil, _): return page
      // `f/NUMBER/NAME`: the name is for browsers that take it from there.
      case ("f", 3): return try file(rest[1], request)
      default: throw .nothingHere
      }
    } catch {
      var response = error.response
      response.headers["Cache-Control"] = "no-store"
      response.headers["X-Content-Type-Options"] = "nosniff"
      return response
    }
  }

  private var page: HTTPResponse {
    session.touch()
    let downloads = session.files.enumerated().map { index, file in
      DropPage.Download(
        name: file.path ?? file.name, size: file.size,
        path: "/\(door.token.text)/f/\(index)/\(PercentEncoding.encode(file.name))")
    }
    return DropPage.offer(downloads, sender: session.name, isEncrypted: isEncrypted).response()
  }

  private func file(_ number: String, _ request: HTTPRequest) throws(Refusal) -> HTTPResponse {
    guard let index = Int(number), session.files.indices.contains(index) else {
      throw .nothingHere
    }
    let file = session.files[index]
    let descriptor: OpenDescriptor
    do throws(FileFailure) {
      descriptor = OpenDescriptor(try file.open())
    } catch {
      session.tell(.failed(file, error))
      throw Refusal(410, "gone", "The file is not there any more, or has changed.")
    }
    session.touch()
    let disposition = ContentDisposition(kind: "attachment", filename: file.name)
    return .representation(
      for: request, length: file.size, contentType: file.type, etag: Self.tag(of: file),
      modified: file.modified.seconds,
      headers: [
        "Content-Disposition": disposition.headerValue, "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "Cross-Origin-Resource-Policy": "same-origin",
      ]
    ) { range in
      .stream(length: Int64(range.count)) { writer in
        try await send(file, descriptor, range, to: request.peer, writer)
      }
    }
  }

  /// Names the file in its present state.
  private static func tag(of file: OutgoingFile) -> String {
    var hash = SHA256()
    hash.update(
      Array("\(file.identity) \(file.size) \(file.modified.rfc3339)".utf8))
    for replacement in file.replacements { hash.update(replacement.bytes) }
    return "\"\(hexadecimal(hash.finish().prefix(8)))\""
  }

  private func send(
    _ file: OutgoingFile, _ descriptor: OpenDescriptor, _ range: Range<Int64>,
    to address: String, _ writer: HTTPBodyWriter
  ) async throws {
    if range.lowerBound == 0 { session.tell(.started(file, address: address)) }
    var place = range.lowerBound
    while place < range.upperBound {
      let count = Int(min(Int64(Self.chunk), range.upperBound - place))
      do throws(FileFailure) {
        let bytes = try file.read(descriptor.number, at: place, count: count).get()
        place += Int64(count)
        // The last bytes of a file that has changed are not sent: the browser sees it incomplete.
        if place == file.size { try file.check(descriptor.number) }
        try await Self.write(bytes, writer)
      } catch {
        guard error.code != .notSent else { throw CancellationError() }
        session.tell(.failed(file, error))
        throw error
      }
      session.touch()
    }
    if range.upperBound == file.size { session.finished(file, address) }
  }

  /// Writes for a browser that may have gone: that is no failure of the file.
  private static func write(
    _ bytes: [UInt8], _ writer: HTTPBodyWriter
  ) async throws(FileFailure) {
    do {
      try await writer.write(bytes)
    } catch {
      throw FileFailure(.notSent, "the browser has gone")
    }
  }
}

/// A descriptor that is closed with its last holder.
private final class OpenDescriptor: Sendable {
  let number: Int32

  init(_ number: Int32) { self.number = number }

  deinit { close(number) }
}
