import ArgumentParser

/// A command of `tote`: a declaration, a few lines that call one module, and a result.
///
/// ```swift
/// struct StoreList: ToteCommand {
///   static let configuration = CommandConfiguration(
///     commandName: "list", abstract: "list the stores",          // lower case, no final period
///     discussion: "Paragraphs for --help and the manual.", aliases: ["ls"])
///   static let examples = [Example("tote store list --json", "all stores as JSON")]   // ≥ 1, parsed by a test
///   static let outputKeys = [OutputKey("name", "string", "the store's name")]         // = keys of `json`
///   static let exitCodes = ExitClass.documented(.notFound)
///   static let seeAlso = ["tote store info"]
///
///   @OptionGroup var global: GlobalOptions                       // always this line
///   @Flag(help: "count the documents too") var count = false
///   @Argument(help: ArgumentHelp("the store", valueName: "STORE"), completion: .storeNames)
///   var store: String                                            // completion kinds: Toolkit/Completions.swift
///
///   func run(in context: Context) async throws {                 // 5–15 lines
///     let names = try context.stores().names()
///     try context.emit(rows: names.map(StoreRow.init))           // or emit(result), emit(json:)
///     try context.note("created store 'x'")                      // stderr, people only
///   }
/// }
/// ```
/// `StoreRow` is a `ListRow`: JSON and columns of one line, side by side; a single value is a
/// `CommandResult`. Errors are thrown: module errors are `UserFacing` (Terminal/StoreError+UserFacing),
/// a command's own are `CommandError(.notFound, "not_found", "store 'x' not found", hint: "…")`. When
/// one of several inputs fails, collect `PartialFailure`s and throw at the end. Questions:
/// `context.prompt.confirm(…)`; long work: `context.progress.update { "…" }`; long text:
/// `context.paged { … }`.
protocol ToteCommand: AsyncParsableCommand, DocumentedCommand, Sendable {
  /// The options all commands share.
  var global: GlobalOptions { get }

  /// Does the command's work.
  ///
  /// - Parameter context: everything it may know of the world.
  /// - Throws: `UserFacing` errors; anything else is a defect and is shown as such.
  func run(in context: Context) async throws
}

extension ToteCommand {
  /// Runs in the process's own context; only for callers that know nothing of `Context`.
  mutating func run() async throws { try await run(in: .process(options: global)) }
}

extension ExitClass {
  /// Exit statuses as a command documents them, after 0.
  static func documented(_ classes: ExitClass...) -> [ExitStatus] {
    ([.success] + classes).map { ExitStatus($0.rawValue, $0.meaning) }
  }
}
