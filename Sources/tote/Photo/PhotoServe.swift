import ArgumentParser
import Core
import Photos

/// `tote photo serve`.
struct PhotoServe: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "share a library of photos with browsers and phones",
    discussion: """
      Serves a page with the photos, an API in JSON for programs (described at \
      /api/v1/openapi.json), feeds, and the protocol of the tutorial's photo app. The library is \
      made when it is not there. The server runs until Ctrl-C or SIGTERM; running requests may \
      then end.

      Everybody who can connect may look, unless '--private' is given; adding photos needs an \
      account. Accounts are made by 'tote photo user add', by everybody with \
      '--open-registration', or by those who have the address that '--invite' prints.

      Uploads are decoded, turned upright and written anew: places, cameras and comments that are \
      in the files are never kept. Behind a proxy, name it with '--trust-proxy' and the public \
      name with '--host'.
      """)

  static let examples = [
    Example("tote photo serve", "the library 'photos', to this machine, on port 8080"),
    Example("tote photo serve --bind 0.0.0.0 --invite", "to the local network; guests may join"),
    Example("tote photo serve --private --tls --bind ::", "only to users, encrypted"),
    Example("tote photo serve --library http://couch:5984/photos", "a library on a server"),
  ]

  static let outputKeys = [
    OutputKey("event", "string", "'listening'; with '--jsonl' at the end also 'stopped'"),
    OutputKey("url", "string", "the address, with the port that was taken"),
    OutputKey("pin", "string or null", "with '--tls' the key's pin"),
    OutputKey("library", "string", "the library: a store, or a server's address"),
    OutputKey("registration", "string", "who can make an account: 'open', 'invite' or 'closed'"),
    OutputKey("invite", "string or null", "with '--invite' the address for those who are invited"),
    OutputKey("private", "boolean", "whether reading needs a login"),
    OutputKey("users", "integer", "how many accounts there are"),
    OutputKey("photos", "integer or null", "how many photos there are; null if not told"),
  ]

  static let exitCodes = ExitClass.documented(
    .usage, .invalidInput, .notFound, .unreachable, .cannotCreate, .inputOutput, .notPermitted)
  static let seeAlso = ["tote sync serve"]

  @OptionGroup var global: GlobalOptions

  @Option(
    help: ArgumentHelp("the photos: a store, or a database's URL", valueName: "NAME|URL"),
    completion: .storeNames)
  var library = "photos"

  @OptionGroup var listening: ServerOptions

  @Option(help: ArgumentHelp("the port; 0 takes a free one", valueName: "N"))
  var port: UInt16 = 8080

  @Flag(help: "let everybody make an account")
  var openRegistration = false

  @Flag(help: "let those make an account who have the address that is printed")
  var invite = false

  @Flag(help: "let only users see the photos")
  var `private` = false

  @Option(
    help: ArgumentHelp("answer to this name, too; may be repeated", valueName: "NAME"))
  var host: [String] = []

  @Option(
    help: ArgumentHelp(
      "believe what this proxy says of its clients; may be repeated", valueName: "ADDR"))
  var trustProxy: [String] = []

  @Option(help: ArgumentHelp("bytes of a file, as 40MB", valueName: "SIZE"))
  var maxUpload = ByteSize(64_000_000)

  @Option(help: ArgumentHelp("pixels of a photo, as 100M", valueName: "N"))
  var maxPixels = ByteSize(100_000_000)

  @Option(
    help: ArgumentHelp("make photos smaller whose longer side has more pixels", valueName: "N"))
  var maxSide: Int?

  @Flag(help: "refuse files that are damaged in any way")
  var strict = false

  @Flag(help: "take files that lack a part of their picture, too")
  var acceptDamaged = false

  @Flag(help: "keep when a photo was taken")
  var keepDate = false

  @Option(
    help: ArgumentHelp(
      "the base path of the tutorial's app, as '/iReporter'", valueName: "PREFIX"))
  var path = ""

  @Flag(help: "show the metrics to other machines, too")
  var shareMetrics = false

  func validate() throws {
    if openRegistration && invite {
      throw ValidationError.exclusive("--open-registration", "--invite")
    }
    if strict && acceptDamaged { throw ValidationError.exclusive("--strict", "--accept-damaged") }
    if let maxSide, maxSide < 16 {
      throw ValidationError("'--max-side' is at least 16 pixels")
    }
    try listening.checkLog(global)
  }

  /// How photos are made.
  var photoOptions: PhotoOptions {
    var options = PhotoOptions()
    options.limits.bytes = maxUpload.count
    options.limits.pixels = maxPixels.count
    options.limits.bufferedPixels = min(options.limits.bufferedPixels, maxPixels.count)
    options.damage = strict ? .strict : acceptDamaged ? .anything : .recoverable
    options.maximumSide = maxSide
    options.wantsCaptureTime = keepDate
    return options
  }

  func run(in context: Context) async throws {
    let service = try await PhotoServing(self, in: context)
    try await service.run()
  }
}
