import ArgumentParser
import Core
import Drop

/// `tote drop send`.
struct DropSend: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "send", abstract: "send files and folders to a receiver, or offer them to a phone",
    discussion: """
      TICKET is what 'tote drop receive' shows on the other machine: as text, or '-' to read it from \
      standard input, where it is not seen in the list of processes; '--qr' takes it from a photo or \
      screenshot of the code. With TOTE_DROP_TICKET set it is left out.

      The receiver is known by its key, which the ticket names, so nothing is sent to anybody else, \
      and never unencrypted. When its person has agreed, files go out as they are, folders with \
      their structure; links inside of folders are not followed, and folders without files are left \
      out. A lost connection is taken up \
      again where it broke off, and after an interruption the same command does so, too. A file \
      counts as sent when the receiver has saved it and named its SHA-256.

      '--offer' needs no receiver: it shows a code from which a phone's browser fetches the files, \
      until Ctrl-C. The browser warns once of the certificate; '--phone' does without one, and \
      without encryption.
      """)

  static let examples = [
    Example(
      "tote drop send - photo.jpg holiday/", "files and a folder, the ticket is pasted"),
    Example("tote drop send --qr code.png *.jpg", "the ticket is in a picture"),
    Example("tote drop send - IMG_1.jpg --strip-location", "without where it was taken"),
    Example("tote drop send --offer report.pdf", "for a phone to fetch"),
  ]

  static let outputKeys = DropSendResult.outputKeys
  static let exitCodes = ExitClass.documented(
    .failed, .usage, .invalidInput, .notFound, .unreachable, .cannotCreate, .inputOutput,
    .conflict, .notPermitted, .configuration)
  static let seeAlso = ["tote drop receive"]

  @OptionGroup var global: GlobalOptions

  @Option(
    help: ArgumentHelp("read the ticket from a picture of its code", valueName: "PICTURE"),
    completion: .file(extensions: ["png", "jpg", "jpeg"]))
  var qr: String?

  @Option(
    help: ArgumentHelp("what the receiver calls this machine; its own name", valueName: "NAME"))
  var name: String?

  @Flag(help: "take the location out of JPEG photos; refuse photos where that cannot be done")
  var stripLocation = false

  @Flag(help: "show a code from which a browser fetches the files")
  var offer = false

  @Flag(help: "offer without encryption, for phones that refuse the certificate")
  var phone = false

  @Option(help: ArgumentHelp("offer at this address alone", valueName: "A"))
  var bind: String?

  @Option(help: ArgumentHelp("offer on this port; 0 takes a free one", valueName: "N"))
  var port: UInt16 = 0

  @Option(help: ArgumentHelp("end after so many downloads", valueName: "N"))
  var count: Int?

  @Option(
    help: ArgumentHelp("end when nothing was fetched for so long: 90s, 10m, 1h", valueName: "TIME"))
  var timeout = KeyTime(seconds: 600)

  @Flag(help: "offer without drawing a code")
  var noQr = false

  @Argument(
    help: ArgumentHelp(
      "the ticket unless it is given otherwise, then the files and folders",
      valueName: "TICKET|FILE"), completion: .file())
  var inputs: [String] = []

  func validate() throws {
    guard !offer else {
      if qr != nil { throw ValidationError("'--offer' needs no ticket: leave out '--qr'") }
      if name != nil && inputs.isEmpty { throw ValidationError("name files to offer") }
      if let count, count < 1 { throw ValidationError("'--count' is 1 or more") }
      if let first = inputs.first, (try? DropTicket(parsing: first)) != nil {
        throw ValidationError("'--offer' needs no ticket: leave it out, and name files")
      }
      return
    }
    let misplaced: [(String, Bool)] = [
      ("--phone", phone), ("--bind", bind != nil), ("--port", port != 0), ("--count", count != nil),
      ("--timeout", timeout.seconds != 600), ("--no-qr", noQr),
    ]
    for (option, isGiven) in misplaced where isGiven {
      throw ValidationError("'\(option)' is for '--offer': give that too")
    }
  }

  func run(in context: Context) async throws {
    if offer {
      try await DropOffering(self, in: context).run()
    } else {
      try await DropSending(self, in: context).run()
    }
  }
}
