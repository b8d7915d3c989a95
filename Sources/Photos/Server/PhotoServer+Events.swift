import Core
import HTTP

/// Live events, as server-sent events (WHATWG HTML §9.2).
extension PhotoServer {
  /// How many missed photos a reader who comes back is sent; more it finds by the stream's pages.
  private static let resumeLimit = 200

  func events(_ call: PhotoCall) -> HTTPResponse {
    let last = call.http.headers["Last-Event-ID"].flatMap { PhotoID($0) }
    return HTTPResponse(
      headers: [
        "Content-Type": "text/event-stream", "Cache-Control": "no-store",
        // nginx would keep events back until it has a buffer full.
        "X-Accel-Buffering": "no",
      ],
      body: .stream(length: nil) { [self] writer in
        metrics.countEventStreams(1)
        defer { metrics.countEventStreams(-1) }
        try await sendEvents(to: writer, after: last)
      })
  }

  private func sendEvents(to writer: HTTPBodyWriter, after last: PhotoID?) async throws {
    // Listening begins before the look back, so that nothing falls between.
    try await streams.run(library.events()) { pieces in
      await library.eventsReady()
      try await writer.write(": these are the photos as they come\nretry: 3000\n\n")
      var sent: Set<PhotoID> = []
      if let last {
        for photo in try await missed(after: last) {
          sent.insert(photo.id)
          try await writer.write(Self.text(.added(photo)))
        }
      }
      for await piece in pieces {
        switch piece {
        case .heartbeat: try await writer.write(":\n\n")
        case .event(.added(let photo)) where sent.remove(photo.id) != nil: continue
        case .event(let event):
          try await writer.write(Self.text(event))
        }
      }
    }
  }

  /// Photos that came after one, oldest first.
  private func missed(after last: PhotoID) async throws -> [Photo] {
    let page = try await library.newest(Self.resumeLimit, before: nil, by: nil)
    return page.photos.prefix { $0.id > last }.reversed()
  }

  private static func text(_ event: PhotoEvent) -> String {
    switch event {
    case .added(let photo):
      "event: added\nid: \(photo.id)\ndata: \(line(.object(photo.answer)))\n\n"
    // No id: it would set back where a reader that comes again goes on.
    case .removed(let id):
      "event: removed\ndata: \(line(["id": .string(id.description)]))\n\n"
    }
  }

  /// JSON on one line, whatever a reader takes for line ends.
  private static func line(_ json: JSON) -> String {
    json.serialized(.compact.escapingSeparators)
  }
}
