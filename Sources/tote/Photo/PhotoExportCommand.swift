import ArgumentParser
import Core
import Photos

/// `tote photo export`.
struct PhotoExportCommand: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "write all photos into a folder",
    discussion: """
      Each photo becomes a file named after its id, ID.jpg, ID-view.jpg or ID-thumb.jpg by its size, \
      and 'photos.jsonl' tells what they are, a line each. Files appear when they are complete; those \
      that are there are not written again, so that the same line goes on after an interruption and \
      brings a copy up to date. What is there stays, in the list as well, also when the photo is \
      removed from the library.
      """)

  static let examples = [
    Example("tote photo export backup", "every photo"),
    Example("tote photo export ann --user ann --size view", "Ann's, at the size of a screen"),
  ]

  static let outputKeys = [
    OutputKey("folder", "string", "the folder"),
    OutputKey("written", "integer", "photos that were written"),
    OutputKey("skipped", "integer", "photos that were there already"),
    OutputKey("bytes", "integer", "bytes that were written"),
    OutputKey("failures", "array of objects", "photos that could not be written"),
    OutputKey("failures.id", "string", "the photo's id"),
    OutputKey("failures.reason", "string", "why"),
  ]

  static let exitCodes = ExitClass.documented(
    .failed, .usage, .notFound, .unreachable, .inputOutput, .notPermitted)
  static let seeAlso = ["tote photo stream", "tote store export"]

  @OptionGroup var global: GlobalOptions

  @OptionGroup var place: PhotoPlaceOptions

  @Option(help: ArgumentHelp("only photos of this user", valueName: "U"), completion: .userNames)
  var user: String?

  @Option(help: ArgumentHelp("which picture", valueName: "SIZE"))
  var size: PictureSize = .full

  @Argument(
    help: ArgumentHelp("the folder; made if it is not there", valueName: "DIR"),
    completion: .directory)
  var folder: String

  func run(in context: Context) async throws {
    // A picture that was begun is ended or taken back.
    SignalWatch.allowDraining(seconds: 10)
    let user = try user.map { try PhotoText.userName($0) }
    let place = try await context.photosToRead(place)
    let summary = try await PhotoExport(place.reading, to: folder).run(by: user, size: size) {
      photo, summary in
      try Task.checkCancellation()
      context.progress.update { "\(counted(summary.written, "photo")) written  \(photo.title)" }
    }
    await place.close()
    context.progress.clear()
    let result = ExportedPhotos(folder: folder, summary: summary)
    try context.emit(result)
    guard let first = summary.failures.first else { return }
    throw CommandError(
      .failed, "partial",
      "\(counted(summary.failures.count, "photo")) could not be written, the first '\(first.id)': "
        + first.reason,
      hint: "run the command again",
      details: [("failed", .integer(Int64(summary.failures.count)))])
  }
}

/// What an export did.
private struct ExportedPhotos: CommandResult {
  let folder: String
  let summary: PhotoExport.Summary

  var json: JSON {
    [
      "folder": .string(folder), "written": .integer(Int64(summary.written)),
      "skipped": .integer(Int64(summary.skipped)), "bytes": .integer(summary.bytes),
      "failures": .array(
        summary.failures.map {
          ["id": .string($0.id.description), "reason": .string($0.reason)]
        }),
    ]
  }

  func show(on screen: Screen) throws(OutputError) {
    let rest = summary.skipped == 0 ? "" : ", \(summary.skipped) were there already"
    let size = humanSize(Int(summary.bytes))
    try screen.data("wrote \(counted(summary.written, "photo")) (\(size)) to '\(folder)'\(rest)")
  }
}
