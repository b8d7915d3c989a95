import ArgumentParser
import Drop

/// `tote drop receive`.
struct DropReceive: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "receive", abstract: "receive photos and files into a folder",
    discussion: """
      Shows a ticket, as text and as a code to scan. Another tote sends with it ('tote drop send'), \
      a phone's browser opens it and finds a page to upload with, and any CouchDB client can push \
      into the database 'drop' as user 'drop' with the ticket's secret. All of it is encrypted with \
      a key that is made for this run; the phone warns once of its certificate.

      The first sender is shown with the names and sizes of its files, and nothing is taken before \
      you agree; '--yes' agrees beforehand, and must be given where there is no terminal to ask at. \
      Other machines and browsers are turned away meanwhile. A file gets its name when it is complete \
      and its digest is right; nothing is overwritten: a name that is taken gets a number, unless the \
      file there is the same. Names are made safe for every system: '_' stands for < > : " | ? * and \
      for a dot or hyphen at the beginning, what cannot be seen is left out, and so are dots and \
      blanks at the ends.

      It ends when the sender is finished and something of it was saved, after '--count' files, when \
      nothing came for '--timeout', or on Ctrl-C. With '--phone' there is a second address without encryption, for phones that \
      refuse the certificate: whoever is in the same network can then read what the phone sends.
      """)

  static let examples = [
    Example("tote drop receive", "into this folder, asking first"),
    Example("tote drop receive --into ~/Pictures/party --keep-open --phone", "from many phones"),
    Example("tote drop receive --count 1 --yes --jsonl", "one file, for a script"),
    Example("tote drop receive --qr-file code.png --no-qr", "the code as a picture"),
  ]

  static let outputKeys = ReceiveOutput.keys
  static let exitCodes = ExitClass.documented(
    .failed, .usage, .notFound, .cannotCreate, .inputOutput, .notPermitted, .configuration)
  static let seeAlso = ["tote drop send"]

  @OptionGroup var global: GlobalOptions

  @Option(
    help: ArgumentHelp("the folder to receive into; this one without", valueName: "DIR"),
    completion: .directory)
  var into = "."

  @Option(
    help: ArgumentHelp("listen on this address alone; '::' and '0.0.0.0' are all", valueName: "A"))
  var bind: String?

  @Option(help: ArgumentHelp("the port; 0 takes a free one", valueName: "N"))
  var port: UInt16 = 0

  @Option(help: ArgumentHelp("end after so many files", valueName: "N"))
  var count: Int?

  @Option(
    help: ArgumentHelp("end when nothing came for so long: 90s, 10m, 1h", valueName: "TIME"))
  var timeout = KeyTime(seconds: 600)

  @Option(
    help: ArgumentHelp("write the code to a picture too", valueName: "F.png|F.svg"),
    completion: .file(extensions: ["png", "svg"]))
  var qrFile: String?

  @Option(
    help: ArgumentHelp("how to draw the code; full for fonts with gaps", valueName: "half|full"))
  var qr = CodeShape.half

  @Flag(help: "do not draw the code")
  var noQr = false

  @Flag(help: "let phones upload without encryption, at an address of their own")
  var phone = false

  @Flag(help: "go on when a sender is finished")
  var keepOpen = false

  @Flag(name: .shortAndLong, help: "take files without asking")
  var yes = false

  @Flag(help: "replace files of the same name")
  var overwrite = false

  @Flag(help: "keep files executable that are sent so")
  var keepMode = false

  @Flag(help: "keep dots at the beginning of names")
  var dotfiles = false

  @Flag(help: "receive into the home folder or '/' itself")
  var force = false

  /// How a code stands in the terminal.
  enum CodeShape: String, ExpressibleByArgument, CaseIterable, Sendable {
    case half, full

    var shape: QRShape { self == .half ? .half : .full }
  }

  func validate() throws {
    if let count, count < 1 { throw ValidationError("'--count' is 1 or more") }
    if let qrFile, !qrFile.hasSuffix(".png"), !qrFile.hasSuffix(".svg") {
      throw ValidationError("'--qr-file' must end in .png or .svg: that says what is written")
    }
  }

  func run(in context: Context) async throws {
    try await DropReceiving(self, in: context).run()
  }
}
