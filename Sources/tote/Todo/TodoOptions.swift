import ArgumentParser
import Core
import Sync

/// The store the todos are in.
struct TodoStoreOptions: ParsableArguments, Sendable {
  @Option(
    help: ArgumentHelp("the store that holds the todos", valueName: "STORE"),
    completion: .storeNames)
  var store = "todos"

  init() {}
}

/// What a todo is given when it is added or edited.
struct TodoFieldOptions: ParsableArguments, Sendable {
  @Option(help: ArgumentHelp("how urgent it is; 2, 1 and 0 mean the same", valueName: "PRIORITY"))
  var priority: PriorityChoice?

  @Option(
    help: ArgumentHelp("when it is due, see 'tote help dates'", valueName: "WHEN"),
    completion: .list(["today", "tomorrow", "mon", "next mon", "+1w", "eow", "eom", "none"]))
  var due: String?

  @Option(
    name: .customLong("tag"), help: ArgumentHelp("a tag; may be repeated", valueName: "TAG"),
    completion: .todoTags)
  var tags: [String] = []

  @Option(
    help: ArgumentHelp("the project it belongs to, such as house.garden", valueName: "PROJECT"),
    completion: .todoProjects)
  var project: String?

  @Option(help: ArgumentHelp("a longer text", valueName: "TEXT"))
  var note: String?

  init() {}

  /// Whether any of them was given.
  var isEmpty: Bool {
    priority == nil && due == nil && tags.isEmpty && project == nil && note == nil
  }

  /// Reads the date, if one was given.
  func when(_ context: Context) throws -> When? {
    guard let due else { return nil }
    return try context.whenParser.parse(due)
  }

  /// Gives a todo what the options say.
  func apply(to item: inout TodoItem, when: When?, zone: String?) {
    if let priority { item.priority = priority.value }
    switch when {
    case .due(let due)?: item.setDue(due, zone: zone)
    case .some(.none): item.setDue(nil, zone: nil)
    case nil: break
    }
    for tag in tags { item.addTag(tag) }
    if let project { item.project = project.isEmpty ? nil : project }
    if let note { item.note = note.isEmpty ? nil : note }
  }
}

/// Which todos a command works on.
///
/// Todos on a server are copied into a scratch store: the ids of all of them are needed anyway, to
/// tell the short ones apart. `commit` sends back what was changed there.
struct TodoSelection: Sendable {
  let store: TodoStore
  let snapshot: TodoSnapshot
  /// The database the todos are copied from.
  let remote: RemoteStore?

  /// Opens the store of todos.
  ///
  /// - Parameters:
  ///   - options: name the store.
  ///   - context: knows where stores are.
  ///   - creates: whether a missing store is made; else it is `nil`, since then there are no todos.
  /// - Returns: the todos as they are now.
  /// - Throws: what the store says.
  static func open(
    _ options: TodoStoreOptions, _ context: Context, creates: Bool = false
  ) async throws -> TodoSelection? {
    if let remote = try context.anyRemote(options.store) {
      return try await copy(of: remote, context)
    }
    let directory = try context.stores()
    guard creates || directory.contains(options.store) else { return nil }
    let isNew = creates && !directory.contains(options.store)
    let local = isNew ? try directory.create(options.store) : try context.openStore(options.store)
    let store = TodoStore(local)
    return TodoSelection(store: store, snapshot: try store.snapshot(), remote: nil)
  }

  private static func copy(
    of remote: RemoteStore, _ context: Context
  ) async throws -> TodoSelection {
    let stores = context.scratchStores()
    _ = Cleanup.add { stores.removeAll() }
    let scratch = try stores.create("todos")
    try await move(from: remote, to: scratch)
    let store = TodoStore(scratch)
    return TodoSelection(store: store, snapshot: try store.snapshot(), remote: remote)
  }

  /// Sends what was changed to the server the todos came from, merged with what others changed there
  /// meanwhile.
  ///
  /// - Throws: what the server says, or an error with status 1 when it refuses a todo.
  func commit() async throws {
    guard let remote else { return }
    try await Self.move(from: remote, to: store.store)
    _ = try store.mergeConflicts()
    try await Self.move(from: store.store, to: remote)
  }

  private static func move(
    from source: any DocumentStore, to target: any DocumentStore
  ) async throws {
    var options = ReplicationOptions()
    options.usesCheckpoints = false
    let report = try await Replicator(from: source, to: target, options: options).run()
    guard let failure = report.failures.first else { return }
    throw CommandError(
      .failed, "failed", "todo '\(failure.id)' could not be moved: \(failure.reason)")
  }

  /// The todos that a predicate finds, in list order.
  func entries(where predicate: String) throws -> [TodoEntry] {
    let selector = try Predicate.selector(parsing: predicate)
    return snapshot.entries.filter {
      selector.matches(TodoJSON().document($0.record), collation: store.store.collation)
    }
  }
}

/// Reads ids given as operands, or on standard input when the operand is `-`.
struct TodoOperands: Sendable {
  let ids: [String]

  /// - Parameters:
  ///   - operands: what was typed.
  ///   - isNullSeparated: whether NUL instead of a line feed ends each id of standard input.
  ///   - context: gives standard input.
  /// - Throws: `CommandError` when `-` is given twice, or `InputError`.
  init(_ operands: [String], isNullSeparated: Bool, _ context: Context) throws {
    guard operands.contains("-") else {
      ids = operands
      return
    }
    guard operands.filter({ $0 == "-" }).count == 1 else {
      throw CommandError.usage("'-' can be given only once")
    }
    if context.streams.input.isTerminal {
      try context.note("reading ids from the terminal, Ctrl-D ends")
    }
    let bytes = try context.streams.input.readAll()
    let separator: UInt8 = isNullSeparated ? 0 : 0x0A
    let read = bytes.split(separator: separator)
      .map { String(decoding: $0, as: UTF8.self).trimmingSpaces() }.filter { !$0.isEmpty }
    ids = operands.flatMap { $0 == "-" ? read : [$0] }
  }
}

/// A priority as it is typed: a word, or BlueList's number.
enum PriorityChoice: String, CaseIterable, ExpressibleByArgument, Sendable {
  case high, medium, low

  init?(argument: String) {
    guard let priority = TodoPriority(word: argument) else { return nil }
    self.init(rawValue: priority.word)
  }

  /// The priority meant.
  var value: TodoPriority {
    switch self {
    case .high: .high
    case .medium: .medium
    case .low: .low
    }
  }
}
