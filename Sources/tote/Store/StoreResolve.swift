import ArgumentParser
import Core

/// `tote store resolve`.
struct StoreResolve: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "resolve", abstract: "end a conflict",
    discussion: """
      One version stays and the others are deleted; they can still be read as old revisions.

      '--keep' names the version that stays. '--newest' keeps the current one, which has the longest \
      history. '--merge' keeps the current one and changes the members given (RFC 7396: null removes \
      one); '@FILE' and '-' read them.
      """)

  static let examples = [
    Example("tote store resolve notes milk --newest", "keep the current version"),
    Example("tote store resolve notes milk --keep 2-7051cbe5c8faecd085a3fa619e6e6337"),
    Example("tote store resolve notes milk --merge '{\"amount\": 3}'", "keep it, with a change"),
  ]

  static let outputKeys = Written.outputKeys
  static let exitCodes = ExitClass.documented(
    .usage, .invalidInput, .notFound, .inputOutput, .conflict)
  static let seeAlso = ["tote store conflicts", "tote store history"]

  @OptionGroup var global: GlobalOptions

  @Option(help: ArgumentHelp("the revision that stays", valueName: "R"), completion: .revisions)
  var keep: RevisionID?

  @Option(help: ArgumentHelp("members to change in the current version", valueName: "JSON"))
  var merge: String?

  @Flag(help: "keep the current version")
  var newest = false

  @Argument(help: .store, completion: .storeNames)
  var store: String

  @Argument(help: .document, completion: .documentIDs)
  var document: String

  func validate() throws {
    let given = [
      keep != nil ? "--keep" : nil, merge != nil ? "--merge" : nil, newest ? "--newest" : nil,
    ]
    .compactMap(\.self)
    if given.count > 1 { throw ValidationError.exclusive(given[0], given[1]) }
    if given.isEmpty { throw ValidationError.oneOf(["--keep", "--merge", "--newest"]) }
  }

  func run(in context: Context) async throws {
    let store = try context.anyStore(store)
    var options = ReadOptions()
    options.conflicts = true
    let current = try await store.document(document, options)
    let others = current.annotations.conflicts ?? []
    var merged: DocumentBody?
    if let merge {
      let input = JSONInput(argument: merge, name: "the members")
      let patch = try input.object("the members to change", in: context)
      let members = JSON.object(current.body.members).merged(with: .object(patch))
      merged = try DocumentBody(members.objectValue ?? [:])
    }
    // A patch is made for the version it was applied to, so that one is named.
    let kept = keep ?? current.revision
    let revision = try await store.resolve(document, keeping: kept, merged: merged)
    try context.emit(Written(id: document, revision: revision))
    try context.note(
      others.isEmpty
        ? "'\(document)' was not in conflict"
        : "\(others.count == 1 ? "1 other version" : "\(others.count) other versions") deleted")
  }
}
