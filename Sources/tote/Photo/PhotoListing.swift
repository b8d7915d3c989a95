import Core
import HTTP
import Photos

/// Prints the photos of a stream: as rows, as JSON, or with their pictures.
struct PhotoListing {
  private static let pageLength = 200
  /// The most that is drawn of a picture, in bytes of its file.
  private static let drawnBytes = 64 << 20

  private let context: Context
  private let place: PhotoPlace
  private let saver: PhotoSaver?
  private let painter: PicturePainter?
  private let rows: ListWriter<PhotoRow>

  init(
    _ context: Context, place: PhotoPlace, saver: PhotoSaver?, painter: PicturePainter?,
    isLive: Bool
  ) {
    self.context = context
    self.place = place
    self.saver = saver
    self.painter = painter
    rows = ListWriter(context, isLive: isLive || context.mode == .jsonLines)
  }

  /// Prints one photo with all that is known of it.
  func show(_ photo: Photo) async throws {
    let row = try await row(photo)
    switch context.mode {
    case .json: try context.emit(json: ["photos": [row.json], "next": .null])
    case .jsonLines: try rows.add(row)
    case .human:
      try await draw(photo, .view, in: .whole)
      try row.show(on: context.screen)
    }
  }

  /// Prints the newest photos.
  func list(_ limit: Int, before cursor: PhotoID?, by user: String?) async throws {
    var photos: ArrayStream?
    if context.mode == .json { photos = try ArrayStream(context, head: [], array: "photos") }
    let next = try await forEach(limit, before: cursor, by: user) { photo in
      guard context.mode == .json else { return try await add(photo) }
      let row = try await row(photo)
      try photos?.add(Array(row.json.serialized(.compact.escapingSeparators).utf8))
    }
    try photos?.finish(tail: [("next", next.map { .string($0.description) } ?? .null)])
    guard context.mode != .json else { return }
    try rows.finish()
    if let next, context.screen.isTerminal {
      try context.note("there are more: --before \(next)")
    }
  }

  /// Prints the newest photos, the newest last, then those that come.
  func follow(_ limit: Int, by user: String?) async throws {
    switch place {
    case .library(let library, _):
      // Asked for first, so that none is missed in between.
      let events = library.events()
      await library.eventsReady()
      let known = try await showNewest(limit, by: user)
      for await event in events { try await tell(event, after: known, by: user) }
      guard !Task.isCancelled else { return }
      throw CommandError(
        .failed, "failed", "the stream ended: there were more photos than could be shown",
        hint: "run the command again")
    case .server(let client, _):
      // The service tells what came after a photo, so that none is missed either.
      let known = try await showNewest(limit, by: user)
      for try await event in client.events(after: known) {
        try await tell(event, after: known, by: user)
      }
    }
  }

  /// Prints the newest photos from the oldest of them on; returns the newest of all.
  private func showNewest(_ limit: Int, by user: String?) async throws -> PhotoID? {
    var newest: [Photo] = []
    _ = try await forEach(limit, before: nil, by: user) { newest.append($0) }
    for photo in newest.reversed() { try await add(photo) }
    try context.streams.output.flush()
    return newest.first?.id
  }

  private func tell(_ event: PhotoEvent, after known: PhotoID?, by user: String?) async throws {
    switch event {
    case .added(let photo):
      if let user, !utf8Equal(photo.user, user) { return }
      if let known, photo.id <= known { return }
      try await add(photo)
    case .removed(let id): try tellRemoved(id)
    }
  }

  private func forEach(
    _ limit: Int, before cursor: PhotoID?, by user: String?, _ body: (Photo) async throws -> Void
  ) async throws -> PhotoID? {
    var (rest, cursor) = (limit, cursor)
    while true {
      let page = try await place.reading.newest(
        min(rest, Self.pageLength), before: cursor, by: user)
      for photo in page.photos { try await body(photo) }
      rest -= page.photos.count
      guard rest > 0, let next = page.next else { return page.next }
      cursor = next
    }
  }

  private func row(_ photo: Photo) async throws -> PhotoRow {
    PhotoRow(photo: photo, base: place.base, file: try await saver?.save(photo))
  }

  private func add(_ photo: Photo) async throws {
    let row = try await row(photo)
    guard painter != nil else { return try rows.add(row) }
    try await draw(photo, .thumb, in: .small)
    try row.caption(on: context.screen)
  }

  private func draw(_ photo: Photo, _ size: PictureSize, in box: PictureBox) async throws {
    guard let painter, let body = try await place.reading.pictureBody(size, of: photo.id) else {
      return
    }
    let bytes = try await body.collect(upTo: Self.drawnBytes)
    if let refusal = try painter.draw(.bytes(bytes), in: box) {
      try context.warn(
        "damaged", "the picture of '\(photo.id)' cannot be shown: \(refusal.message)")
    }
  }

  private func tellRemoved(_ id: PhotoID) throws {
    guard context.mode == .jsonLines else { return try context.note("photo '\(id)' was removed") }
    try context.emit(json: ["id": .string(id.description), "removed": true])
  }
}
