import ArgumentParser
import Core
import HTTP
import Sync

/// Which documents a replication moves, and how.
struct SyncOptions: ParsableArguments, Sendable {
  @Flag(help: "go on, and move changes as they come, until Ctrl-C")
  var continuous = false

  @Option(
    help: ArgumentHelp("only this document; may be repeated", valueName: "D"),
    completion: .documentIDs)
  var docID: [String] = []

  @Option(
    help: ArgumentHelp("only documents that match; '@FILE' and '-' read it", valueName: "JSON"))
  var selector: String?

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp("only documents like this", valueName: "PREDICATE"))
  var predicate: String?

  @Option(help: ArgumentHelp("only documents of this type", valueName: "T"), completion: .datatypes)
  var type: String?

  @Option(
    help: ArgumentHelp(
      "only what a filter function of a server's design document passes", valueName: "DDOC/NAME"))
  var filter: String?

  @Option(
    help: ArgumentHelp("a parameter of the filter; may be repeated", valueName: "NAME=VALUE"))
  var param: [String] = []

  @Flag(help: "make the database or store that changes go to, if it is missing")
  var create = false

  @Option(help: ArgumentHelp("changes looked at together", valueName: "N"))
  var batch: RowCount?

  @Option(
    help: ArgumentHelp(
      "start after this sequence of the source, not where the last run ended", valueName: "S"))
  var since: String?

  @Flag(help: "start from the beginning, as if there had been no run before")
  var reset = false

  @Flag(help: "tell what would be moved, and change nothing")
  var dryRun = false

  init() {}

  mutating func validate() throws {
    if since != nil && reset { throw ValidationError.exclusive("--since", "--reset") }
    if continuous && dryRun { throw ValidationError.exclusive("--continuous", "--dry-run") }
    if batch?.value == 0 { throw ValidationError("'--batch' must be at least 1") }
    if !docID.isEmpty && hasSelector {
      throw ValidationError("'--doc-id' names documents, so it does not go with a condition")
    }
    if filter != nil && (hasSelector || !docID.isEmpty) {
      throw ValidationError("'--filter' does not go with another choice of documents")
    }
    if !param.isEmpty && filter == nil {
      throw ValidationError("'--param' is for a filter: add '--filter DDOC/NAME'")
    }
    for pair in param where !pair.utf8.contains(UInt8(ascii: "=")) {
      throw ValidationError("'\(pair)' is not a parameter: write NAME=VALUE")
    }
  }

  private var hasSelector: Bool { selector != nil || predicate != nil || type != nil }

  /// Whether only some documents are meant.
  var isFiltered: Bool { hasSelector || !docID.isEmpty || filter != nil }

  /// The options of the replicator.
  ///
  /// - Parameter context: where files and standard input are read.
  /// - Returns: the options; a filter's text is not loaded yet.
  /// - Throws: what is wrong with a selector or condition.
  func replication(_ context: Context) throws -> ReplicationOptions {
    var options = ReplicationOptions()
    options.ids = docID.isEmpty ? nil : docID
    options.selector = hasSelector ? try wholeSelector(context) : nil
    options.isContinuous = continuous
    if let batch { options.batchSize = batch.value }
    if let since {
      options.since = UpdateSequence(Int64(since).map { .integer($0) } ?? .string(since))
    }
    if reset { options.since = .start }
    if let filter {
      let pairs = param.map { text -> (String, String) in
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), String(parts[1]))
      }
      options.filter = DesignFilter(
        name: filter, parameters: Dictionary(pairs) { _, last in last })
    }
    return options
  }

  private func wholeSelector(_ context: Context) throws -> Selector {
    var all = Selector.everything
    if let predicate { all = all.and(try Predicate.selector(parsing: predicate)) }
    if let selector { all = all.and(try Selector(argument: selector, in: context)) }
    if let type { all = all.and(try Selector(["@datatype": ["$eq": .string(type)]])) }
    return all
  }
}
