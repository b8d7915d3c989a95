import ArgumentParser
import Core

/// `tote doctor`.
struct Doctor: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "show versions, folders and the health of the stores",
    discussion: """
      The stores are opened and counted; 'tote store verify' looks at every document. The exit \
      status is that of the gravest problem.
      """)

  static let examples = [
    Example("tote doctor", "what is installed, and whether it works"),
    Example("tote doctor --json", "the same for a bug report"),
  ]

  static let outputKeys = [
    OutputKey("version", "string", "the program's version"),
    OutputKey("libraries", "object", "name and version of each library in use"),
    OutputKey("home", "string or null", "the folder that holds the stores"),
    OutputKey("timeZone", "string or null", "the time zone's name"),
    OutputKey("utf8", "boolean", "whether the terminal is taken to show UTF-8"),
    OutputKey("stores", "array of objects", "each with name, ok, problem, doc_count and size"),
  ]
  static let exitCodes = ExitClass.documented(
    .inputOutput, .conflict, .notPermitted, .configuration)
  static let seeAlso = ["tote store verify"]

  @OptionGroup var global: GlobalOptions

  func run(in context: Context) async throws {
    var report = DoctorReport(
      home: try? context.paths.stores(), timeZone: context.zoneName,
      isUTF8: context.environment.isUTF8)
    var problems: [any UserFacing] = []
    for name in (try? context.stores().names()) ?? [] {
      var store = DoctorReport.Store(name: name)
      do {
        store.info = try context.storesWithoutAsking().open(name).info()
      } catch StoreError.locked {
        store.isLocked = true
      } catch let error as any UserFacing {
        store.problem = error.message
        problems.append(error)
      }
      report.stores.append(store)
    }
    try context.emit(report)
    if report.home == nil { _ = try context.paths.stores() }
    guard !problems.isEmpty else { return }
    throw SeveralErrors(errors: problems, inputs: problems.count)
  }
}

/// What the doctor found.
struct DoctorReport: CommandResult {
  /// A store's state.
  struct Store: Sendable {
    let name: String
    var info: StoreInfo?
    var problem: String?
    var isLocked = false
  }

  let home: String?
  let timeZone: String?
  let isUTF8: Bool
  var stores: [Store] = []

  init(home: String?, timeZone: String?, isUTF8: Bool) {
    self.home = home
    self.timeZone = timeZone
    self.isUTF8 = isUTF8
  }

  var json: JSON {
    [
      "version": .string(Version.number),
      "libraries": .object(
        JSONObject(Libraries.versions.map { ($0.name, JSON.string($0.version)) })),
      "home": home.map { .string($0) } ?? .null,
      "timeZone": timeZone.map { .string($0) } ?? .null, "utf8": .bool(isUTF8),
      "stores": .array(
        stores.map { store in
          [
            "name": .string(store.name), "ok": .bool(store.problem == nil),
            "problem": store.problem.map { .string($0) } ?? .null,
            "doc_count": store.info.map { .integer(Int64($0.documentCount)) } ?? .null,
            "size": store.info.map { .integer(Int64($0.fileSize)) } ?? .null,
          ]
        }),
    ]
  }

  func show(on screen: Screen) throws(OutputError) {
    var pairs = [("tote", Version.number)]
    pairs += Libraries.versions.map { ($0.name, $0.version) }
    pairs += [
      ("stores in", home ?? "nowhere: set TOTE_HOME"), ("time zone", timeZone ?? "not known"),
      ("UTF-8", isUTF8 ? "yes" : "no"),
    ]
    for store in stores {
      let health = store.info.map {
        "\($0.documentCount) documents, \(humanSize($0.fileSize))"
      }
      let state = store.problem ?? health ?? (store.isLocked ? "encrypted, locked" : "ok")
      pairs.append(("store \(store.name)", state))
    }
    try screen.pairs(pairs)
  }
}
