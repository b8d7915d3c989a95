import ArgumentParser
import Core
import Sync

/// `tote sync status`.
struct SyncStatus: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "show the last runs and what is still to be moved",
    discussion: """
      Tells for each store, other side and direction how the last run went, how far it came in the \
      source's changes, and how many changes of the store wait to be pushed. Without STORE all \
      stores are listed that were ever synced. Nothing is asked of a server.
      """)

  static let examples = [
    Example("tote sync status", "all stores"),
    Example("tote sync status notes --json", "one store for a script"),
  ]

  static let outputKeys = SyncStatusRow.outputKeys
  static let exitCodes = ExitClass.documented(.notFound, .inputOutput)
  static let seeAlso = ["tote sync run", "tote store conflicts"]

  @OptionGroup var global: GlobalOptions

  @Argument(
    help: ArgumentHelp("the store; all by default", valueName: "STORE"), completion: .storeNames)
  var store: String?

  func run(in context: Context) async throws {
    guard store == nil else {
      let opened = try context.store(store ?? "")
      return try context.emit(rows: try SyncStatusRow.rows(of: opened))
    }
    let stores = try context.stores()
    // A store that cannot be read is the business of 'store verify'.
    let rows = try stores.names().flatMap { name in
      try (try? stores.open(name)).map { try SyncStatusRow.rows(of: $0) } ?? []
    }
    try context.emit(rows: rows)
  }
}

/// How far a store is with another side in one direction.
struct SyncStatusRow: ListRow {
  let store: String
  let record: RunRecord
  /// Changes that wait to be pushed; nil where only the server knows.
  let pending: Int?
  let conflicts: Int
  /// Whether the other side is the one that is taken when none is named.
  let isRemembered: Bool

  /// The rows of a store.
  static func rows(of store: LocalStore) throws -> [SyncStatusRow] {
    let log = try RunLog(of: store)
    guard !log.latest.isEmpty else { return [] }
    let conflicts = try store.info().conflictCount
    return try log.latest.map { record in
      SyncStatusRow(
        store: store.name, record: record, pending: try pending(record, in: store),
        conflicts: conflicts, isRemembered: log.remote.map { utf8Equal($0, record.remote) } ?? false
      )
    }
  }

  private static func pending(_ record: RunRecord, in store: LocalStore) throws -> Int? {
    guard record.direction == .push, record.through.number != nil else { return nil }
    var request = ChangesRequest()
    request.since = record.through
    request.limit = 0
    request.countsPending = true
    return try store.changes(request).pending
  }

  static let outputKeys = [
    OutputKey("store", "string", "the store"),
    OutputKey("direction", "string", "'pull' or 'push'"),
    OutputKey("remote", "string", "the other side"),
    OutputKey("remembered", "boolean", "whether it is taken when none is named"),
    OutputKey("started", "string", "when the last run began"),
    OutputKey("ended", "string", "when it ended"),
    OutputKey("ok", "boolean", "whether it came to its end and moved every document"),
    OutputKey("error", "string", "what ended it early, or null"),
    OutputKey("read", "integer", "documents read"),
    OutputKey("written", "integer", "documents written"),
    OutputKey("failed", "integer", "documents that could not be moved"),
    OutputKey("last_seq", "any", "how far it came in the source's changes"),
    OutputKey("pending", "integer", "changes still to be pushed; null for a pull"),
    OutputKey("filtered", "boolean", "whether only some documents were meant"),
    OutputKey("conflicts", "integer", "documents of the store in conflict"),
  ]

  static let columns = [
    Column("STORE", .identifier), Column("", .identifier), Column("REMOTE"),
    Column("LAST RUN", .identifier), Column("PENDING", .number),
    Column("CONFLICTS", .number, dropOrder: 1),
    Column("RESULT"),
  ]

  private var isGood: Bool { record.error == nil && record.failed == 0 }

  var json: JSON {
    func number(_ value: Int) -> JSON { .integer(Int64(value)) }
    return [
      "store": .string(store), "direction": .string(record.direction.rawValue),
      "remote": .string(record.remote), "remembered": .bool(isRemembered),
      "started": .string(record.started.rfc3339), "ended": .string(record.ended.rfc3339),
      "ok": .bool(isGood), "error": record.error.map { .string($0) } ?? .null,
      "read": number(record.read), "written": number(record.written),
      "failed": number(record.failed), "last_seq": record.through.json,
      "pending": pending.map(number) ?? .null, "filtered": .bool(record.isFiltered),
      "conflicts": number(conflicts),
    ]
  }

  func cells(on screen: Screen) -> [Cell] {
    [
      Cell(store), Cell(record.direction.rawValue), Cell(record.remote),
      Cell(screen.dates.short(record.ended), plain: record.ended.rfc3339),
      Cell(pending.map(String.init) ?? ""), Cell(String(conflicts)),
      isGood
        ? Cell(record.written > 0 ? "\(grouped(record.written)) written" : "ok", plain: "ok")
        : Cell(record.error ?? "\(grouped(record.failed)) failed", look: .red),
    ]
  }
}
