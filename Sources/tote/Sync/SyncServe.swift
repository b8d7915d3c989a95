import ArgumentParser
import Core
import HTTP
import Sync

/// `tote sync serve`.
struct SyncServe: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "serve stores to CouchDB's clients and replicators",
    discussion: """
      Speaks CouchDB's HTTP API, so that CouchDB, PouchDB, another tote and the client libraries of \
      CouchDB and Cloudant can use the stores: all of them, or those that are named. The server runs \
      until Ctrl-C or SIGTERM; running requests may then end.

      Who may do what is decided by users ('tote perms user add') and by each store's permissions. \
      Without users everybody who can connect may do everything, so only this machine can connect; \
      '--allow-anonymous' serves other machines all the same.

      With '--tls' and no certificate, a key is made and kept beside the stores; clients know it by \
      its pin. What runs JavaScript in CouchDB (views, shows, filter functions) is answered 501; 'tote help \
      server' lists what is answered.
      """)

  static let examples = [
    Example("tote sync serve", "all stores, to this machine, on port 5984"),
    Example("tote sync serve notes --port 0 --jsonl", "one store on a free port, which is told"),
    Example("tote sync serve --bind :: --tls --read-only", "to other machines, who cannot write"),
    Example(
      "tote sync serve --cors http://localhost:8000 --log -",
      "to a web page that runs PouchDB, with an access log"),
  ]

  static let outputKeys = [
    OutputKey("event", "string", "'listening'; with '--jsonl' at the end also 'stopped'"),
    OutputKey("url", "string", "the address, with the port that was taken"),
    OutputKey("pin", "string or null", "with '--tls' the key's pin, for 'sync remote add --pin'"),
    OutputKey("stores", "array of strings or null", "the stores served; null for all"),
    OutputKey("read_only", "boolean", "whether nothing may be written"),
    OutputKey("users", "boolean", "whether users are asked for their names and passwords"),
  ]

  static let exitCodes = ExitClass.documented(
    .usage, .invalidInput, .notFound, .cannotCreate, .inputOutput, .notPermitted)
  static let seeAlso = ["tote store list", "tote store create"]

  @OptionGroup var global: GlobalOptions

  @OptionGroup var listening: ServerOptions

  @Option(help: ArgumentHelp("the port; 0 takes a free one", valueName: "N"))
  var port: UInt16 = 5984

  @Flag(help: "let nobody change anything but checkpoints")
  var readOnly = false

  @Flag(help: "serve other machines without users")
  var allowAnonymous = false

  @Option(
    help: ArgumentHelp(
      "answer to this name too, as long as there are no users; may be repeated", valueName: "NAME"))
  var host: [String] = []

  @Option(
    help: ArgumentHelp(
      "let web pages of ORIGIN in, '*' is all; may be repeated", valueName: "ORIGIN"))
  var cors: [String] = []

  @Argument(
    help: ArgumentHelp("the stores; all without", valueName: "STORE"), completion: .storeNames)
  var stores: [String] = []

  func validate() throws {
    try listening.checkLog(global)
  }

  func run(in context: Context) async throws {
    let service = try Serving(self, in: context)
    try await service.run()
  }
}
