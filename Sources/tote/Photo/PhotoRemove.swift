import ArgumentParser
import Core
import Photos

/// `tote photo rm`.
struct PhotoRemove: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm", abstract: "remove photos",
    discussion: """
      The photo leaves the stream at once, and its pictures leave the disk: this cannot be undone. \
      Machines that the library is synced with remove it when they hear of it. More than three photos \
      are removed only after a question, or with '--yes'. '-' reads ids from standard input, one a \
      line. At a service only your own photos can be removed.
      """)

  static let examples = [
    Example("tote photo rm 01kb9w7d0000000000000000000000000000", "remove one"),
    Example("tote photo stream --user ben --jsonl | jq -r .id | tote photo rm - --yes"),
  ]

  static let outputKeys = [
    OutputKey("ok", "boolean", "true when it was removed"),
    OutputKey("id", "string", "the photo's id"),
    OutputKey("error", "string", "what kind of failure it was, instead of 'ok'"),
    OutputKey("reason", "string", "why it failed"),
  ]

  static let exitCodes = ExitClass.documented(
    .failed, .usage, .invalidInput, .notFound, .unreachable, .inputOutput, .notPermitted)
  static let seeAlso = ["tote photo stream"]

  /// As many are removed without a question.
  private static let unaskedCount = 3

  @OptionGroup var global: GlobalOptions

  @OptionGroup var place: PhotoPlaceOptions

  @Option(help: ArgumentHelp("who logs in at the service", valueName: "U"))
  var user: String?

  @Flag(help: "do not ask")
  var yes = false

  func validate() throws {
    if user != nil && place.server == nil {
      throw ValidationError("'--user' is for a service: give its address with '--server'")
    }
  }

  @Argument(
    help: ArgumentHelp("ids of photos; '-' reads them", valueName: "ID"), completion: .photoIDs)
  var ids: [String]

  func run(in context: Context) async throws {
    SignalWatch.allowDraining(seconds: 10)
    let ids = ids == ["-"] ? try typedIDs(in: context) : ids
    if ids.count > Self.unaskedCount, !yes {
      let isSure = try context.prompt.confirm("remove \(ids.count) photos for good?")
      guard isSure else { throw CommandError(.failed, "failed", "nothing was removed") }
    }
    let photos =
      if let server = place.server {
        try await context.photosToChange(at: server, place, user: user)
      } else {
        PhotoPlace.library(try await context.photoLibrary(place.library), user: "")
      }
    let list = ListWriter<RemovedPhoto>(context)
    var failures = PartialFailure()
    for text in ids {
      try Task.checkCancellation()
      do {
        let id = try context.photoID(text)
        guard try await photos.remove(id) else { throw context.photoNotFound(id) }
        try list.add(RemovedPhoto(id: text))
      } catch {
        let known = try failures.noting(error)
        if context.mode != .human { try list.add(RemovedPhoto(id: text, error: known)) }
      }
    }
    try list.finish()
    await photos.close()
    try failures.finish(inputs: ids.count)
  }

  private func typedIDs(in context: Context) throws -> [String] {
    let bytes = try JSONInput.standardInput.bytes(in: context)
    return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
      .map { String($0).trimmingSpaces() }.filter { !$0.isEmpty }
  }
}

/// What became of a photo that was to be removed.
private struct RemovedPhoto: ListRow {
  let id: String
  var error: (any UserFacing)?

  static let columns = [Column("", .identifier), Column("")]

  var json: JSON {
    error.map { errorRow(id: id, $0) } ?? ["ok": true, "id": .string(id)]
  }

  func cells(on screen: Screen) -> [Cell] { [Cell(id), Cell("removed")] }
}
