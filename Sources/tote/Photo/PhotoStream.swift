import ArgumentParser
import Core
import Photos

/// `tote photo stream`.
struct PhotoStream: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "stream", abstract: "list the newest photos, or one",
    discussion: """
      The newest photo comes first; '--before' goes on where a list ended. '--follow' lists the other \
      way round, waits for further photos, also by other programs, and prints each at once; Ctrl-C \
      ends it.

      '--show' draws the pictures: by kitty's protocol or as sixel where the terminal says that it \
      can, else as blocks of colour. '--save' writes them into a folder, each under its id; what is \
      there already is left alone, so that it can be run again.
      """)

  static let examples = [
    Example("tote photo stream", "the last 50"),
    Example("tote photo stream --user ann --limit 5 --show", "Ann's last five, drawn"),
    Example("tote photo stream --follow --jsonl", "each new photo on a line"),
    Example("tote photo stream --limit 1000 --save pictures", "the pictures as files"),
  ]

  static let outputKeys =
    [
      OutputKey("photos", "array of objects", "the photos; with '--jsonl' one a line"),
      OutputKey("next", "string or null", "what '--before' goes on with, if there are more"),
    ] + PhotoRow.outputKeys("photos.")
    + [
      OutputKey(
        "photos.removed", "boolean",
        "true in a line of '--follow' about a photo that is gone, which has an 'id' else only")
    ]

  static let exitCodes = ExitClass.documented(
    .failed, .usage, .invalidInput, .notFound, .unreachable, .inputOutput, .notPermitted)
  static let seeAlso = ["tote photo add"]

  @OptionGroup var global: GlobalOptions

  @OptionGroup var place: PhotoPlaceOptions

  @Option(help: ArgumentHelp("list N photos", valueName: "N"))
  var limit: PhotoCount = .standard

  @Option(
    help: ArgumentHelp("only photos older than this one", valueName: "ID"), completion: .photoIDs)
  var before: String?

  @Option(help: ArgumentHelp("only photos of this user", valueName: "U"), completion: .userNames)
  var user: String?

  @Flag(help: "wait for further photos")
  var follow = false

  @Flag(help: "draw the pictures in the terminal")
  var show = false

  @Option(
    help: ArgumentHelp("write the pictures into this folder", valueName: "DIR"),
    completion: .directory)
  var save: String?

  @Argument(help: ArgumentHelp("only this photo", valueName: "ID"), completion: .photoIDs)
  var id: String?

  func validate() throws {
    if follow && global.json {
      throw ValidationError(
        "'--follow' does not end, and '--json' is one document: use '--jsonl'")
    }
    if follow && before != nil { throw ValidationError.exclusive("--follow", "--before") }
    guard id != nil else { return }
    for (isGiven, name) in [
      (follow, "--follow"), (before != nil, "--before"), (user != nil, "--user"),
    ]
    where isGiven {
      throw ValidationError("'\(name)' goes with a list, and one photo is named")
    }
  }

  func run(in context: Context) async throws {
    let cursor = try before.map(context.photoID)
    let one = try id.map(context.photoID)
    let user = try user.map { try PhotoText.userName($0) }
    let place = try await context.photosToRead(place)
    let saver = try save.map { try PhotoSaver(folder: $0, photos: place.reading) }
    let listing = PhotoListing(
      context, place: place, saver: saver,
      painter: show ? try context.picturePainter() : nil, isLive: follow)
    if let one {
      guard let photo = try await place.reading.photo(one) else { throw context.photoNotFound(one) }
      try await listing.show(photo)
    } else if follow {
      try await listing.follow(limit.value, by: user)
    } else {
      try await listing.list(limit.value, before: cursor, by: user)
    }
    await place.close()
    try saver?.finish(context)
  }
}

/// A number of photos.
struct PhotoCount: ExpressibleByArgument, ExpectedValue, Sendable {
  let value: Int

  static let standard = PhotoCount(value: 50)

  private init(value: Int) { self.value = value }

  init?(argument: String) {
    guard let value = Int(argument), value >= 1 else { return nil }
    self.value = value
  }

  var defaultValueDescription: String { String(value) }
  static var expectedValue: String { "a whole number from 1" }
}
