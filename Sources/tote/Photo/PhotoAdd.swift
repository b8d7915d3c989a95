import ArgumentParser
import Core
import Glibc
import Photos

/// `tote photo add`.
struct PhotoAdd: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "add photos to the library",
    discussion: """
      Folders are searched for JPEG files, also below; files whose names begin with a period are left \
      out there. A file that the same user added before is not added again, whatever it is called, so \
      that an interrupted run is simply started anew. '-' reads one picture from standard input, \
      '--files-from' the names of files, one a line, or separated by NUL as 'find -print0' does.

      What is damaged but can be repaired is added with a note; '--strict' refuses it, and \
      '--accept-damaged' adds also what lacks a part. When some files fail, the others are added all \
      the same, each failure is told with its file, and the status is 1.

      With '--server' the photos go to a service, which decides about damage and size. A token says \
      who adds them; without one the password of '--user' is asked for, or is a line of standard \
      input. A file that the service has is not sent again.
      """)

  static let examples = [
    Example("tote photo add holiday.jpg --title \"The pier\""),
    Example("tote photo add Pictures/2026 --user ann --jobs 4", "a folder and those below"),
    Example("find . -newer last -name '*.jpg' -print0 | tote photo add --files-from -"),
    Example("tote photo add Pictures --dry-run --jsonl", "what would be added, and what not"),
    Example("tote photo add a.jpg --server https://photos.example.org --user ann"),
  ]

  static let outputKeys = [
    OutputKey("file", "string", "the file, as it was named"),
    OutputKey("status", "string", "'accepted', 'duplicate' or 'refused'"),
    OutputKey("id", "string or null", "the photo's id"),
    OutputKey("width", "integer or null", "its pixels from left to right"),
    OutputKey("height", "integer or null", "its pixels from top to bottom"),
    OutputKey("notes", "array of strings", "what was remarkable about the file"),
    OutputKey("code", "string or null", "the kind of failure of a refused file"),
    OutputKey("message", "string or null", "why it was refused"),
    OutputKey("dryRun", "boolean", "true with '--dry-run'"),
  ]

  static let exitCodes = ExitClass.documented(
    .failed, .usage, .invalidInput, .notFound, .unreachable, .cannotCreate, .inputOutput,
    .notPermitted, .configuration)
  static let seeAlso = ["tote photo stream", "tote photo rm"]

  @OptionGroup var global: GlobalOptions

  @OptionGroup var place: PhotoPlaceOptions

  @Option(
    help: ArgumentHelp("whose photos they are; by default yours, by your login", valueName: "U"),
    completion: .userNames)
  var user: String?

  @Option(help: ArgumentHelp("the photos' title", valueName: "T"))
  var title = ""

  @Option(
    help: ArgumentHelp("a file with the names of files; '-' is standard input", valueName: "F"),
    completion: .file())
  var filesFrom: String?

  @Flag(help: "add also pictures that lack a part")
  var acceptDamaged = false

  @Flag(help: "refuse whatever is damaged")
  var strict = false

  @Flag(help: "keep when each photo was taken")
  var keepDate = false

  @Option(help: ArgumentHelp("make larger pictures as small as this, in pixels", valueName: "N"))
  var maxSide: PixelCount?

  @Option(help: ArgumentHelp("do N at once", valueName: "N"))
  var jobs: JobCount = .standard

  @Flag(help: "tell what would be added, and add nothing")
  var dryRun = false

  @Argument(
    help: ArgumentHelp("JPEG files, and folders of them; '-' reads one", valueName: "FILE"),
    completion: .file())
  var files: [String] = []

  func validate() throws {
    if acceptDamaged && strict { throw ValidationError.exclusive("--accept-damaged", "--strict") }
    if files.isEmpty && filesFrom == nil { throw ValidationError("missing FILE") }
    for (isGiven, name) in [
      (strict, "--strict"), (acceptDamaged, "--accept-damaged"), (keepDate, "--keep-date"),
      (maxSide != nil, "--max-side"),
    ] where isGiven && place.server != nil {
      throw ValidationError("'\(name)' is not for '--server': the service decides that")
    }
    if files.filter({ $0 == "-" }).count + (filesFrom == "-" ? 1 : 0) > 1 {
      throw ValidationError("standard input can be read once")
    }
  }

  func run(in context: Context) async throws {
    // What was begun is finished or taken back; the next run goes on from there.
    SignalWatch.allowDraining(seconds: 10)
    let title = try PhotoText.title(title)
    let user = try user.map { try PhotoText.userName($0) }
    // A password on standard input stands before what else is read there.
    let photos = try await open(user, in: context)
    do {
      let inputs = try PhotoInputs(context).list(files, namesFrom: filesFrom)
      let adding = PhotoAdding(
        context: context, place: photos, title: title, options: options, isDryRun: dryRun,
        jobs: jobs.value)
      try await adding.add(inputs)
    } catch {
      await photos.close()
      throw error
    }
    await photos.close()
  }

  private func open(_ user: String?, in context: Context) async throws -> PhotoPlace {
    if let server = place.server {
      return try await context.photosToChange(at: server, place, user: user)
    }
    let user = try user ?? PhotoText.userName(loginName())
    let library = try await context.photoLibrary(
      place.library, makes: !dryRun, jobs: jobs.value)
    return .library(library, user: user)
  }

  private var options: PhotoOptions {
    var options = PhotoOptions()
    options.damage = strict ? .strict : acceptDamaged ? .anything : .recoverable
    options.maximumSide = maxSide?.value
    options.wantsCaptureTime = keepDate
    return options
  }

  /// The name of the person who runs the command.
  private func loginName() -> String {
    guard let entry = getpwuid(getuid()), let name = entry.pointee.pw_name else { return "me" }
    return String(cString: name)
  }
}

/// A number of pixels.
struct PixelCount: ExpressibleByArgument, ExpectedValue, Sendable {
  let value: Int

  init?(argument: String) {
    guard let value = Int(argument), (16...65_535).contains(value) else { return nil }
    self.value = value
  }

  var defaultValueDescription: String { String(value) }
  static var expectedValue: String { "a whole number from 16 to 65535" }
}
