import ArgumentParser
import Core
import Sync

/// `tote todo sync`.
struct TodoSync: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "bring the list in step with other machines",
    discussion: """
      Takes what others changed, merges what was changed on both sides, and sends the result. \
      Merging goes field by field and comes out alike on all machines: done beats open, an edit \
      beats a deletion, tags are joined, and of other fields the later edit stays.

      REMOTE is a URL, a remote saved by 'tote sync remote add', or a store of this machine. After \
      the first time it may be left out.
      """)

  static let examples = [
    Example("tote todo sync https://couch.example.org/todos", "the first time"),
    Example("tote todo sync", "from then on"),
  ]

  static let outputKeys =
    SyncResult.outputKeys + [
      OutputKey("merged", "integer", "todos that were merged"),
      OutputKey("conflicts", "integer", "documents that still are in conflict"),
    ]
  static let exitCodes = SyncRun.statuses
  static let seeAlso = ["tote sync run", "tote sync remote add", "tote store conflicts"]

  @OptionGroup var global: GlobalOptions

  @Flag(help: "make the database on the other side, if it is missing")
  var create = false

  @OptionGroup var place: TodoStoreOptions

  @Argument(
    help: ArgumentHelp(
      "the other side: a URL, a saved remote, a store; by default the one of the first run",
      valueName: "REMOTE"),
    completion: .remotes)
  var remote: String?

  func run(in context: Context) async throws {
    SignalWatch.allowDraining(seconds: 10)
    let stores = try context.stores()
    let store = try stores.contains(place.store) ? stores.open(place.store) : nil
    guard store != nil || remote != nil else {
      throw CommandError.usage(
        "there is no list yet, so a REMOTE is needed to take it from",
        hint: "a URL, or a name saved by 'tote sync remote add'")
    }
    let side = try store ?? stores.create(place.store)
    let session = SyncSession(
      context: context, replication: ReplicationOptions(), creates: create, store: .local(side),
      remote: try context.syncRemote(remote, of: .local(side)))
    let pulled = try await session.run([.pull])
    let merged = try TodoStore(side).mergeConflicts()
    let pushed = try await session.run([.push])
    let sync = SyncResult(
      store: pulled.store, remote: pulled.remote, isDryRun: false,
      parts: pulled.parts + pushed.parts)
    let result = TodoSyncResult(
      sync: sync, merged: merged, conflicts: try side.conflictedDocuments().count)
    try context.emit(result)
    guard sync.failedCount > 0 else { return }
    throw CommandError(
      .failed, "partial", "\(counted(sync.failedCount, "document")) could not be moved",
      hint: "the next run tries them again")
  }
}

/// What a sync of a list did.
struct TodoSyncResult: CommandResult {
  let sync: SyncResult
  let merged: Int
  let conflicts: Int

  var json: JSON {
    guard case .object(var members) = sync.json else { return sync.json }
    members["merged"] = .integer(Int64(merged))
    members["conflicts"] = .integer(Int64(conflicts))
    return .object(members)
  }

  func show(on screen: Screen) throws(OutputError) {
    try sync.show(on: screen)
    guard screen.isTerminal else {
      return try screen.table(
        [], [[Cell("merge"), Cell(String(merged)), Cell(String(conflicts)), Cell("0")]])
    }
    if merged > 0 || conflicts > 0 {
      try screen.line("\(counted(merged, "todo")) merged, \(grouped(conflicts)) need you")
    }
  }
}
