import ArgumentParser
import Core

/// `tote todo edit`.
struct TodoEdit: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "change todos",
    usage: """
      tote todo edit ID [TEXT…] [options]
      tote todo edit ID… [options]
      tote todo edit --where PREDICATE [options]
      """,
    discussion: """
      Words after the id become the new text; options change the other fields. Without either the \
      text is opened in $VISUAL or $EDITOR. Several ids take options only.

      The changes of two machines are merged field by field.
      """)

  static let examples = [
    Example("tote todo edit k7m \"Buy oat milk\"", "a new text"),
    Example("tote todo edit k7m --due none --untag shop", "no date, one tag less"),
    Example("tote todo edit --where 'project == \"trip\"' --priority low", "many at once"),
  ]

  static let outputKeys = TodoRow.outputKeys
  static let exitCodes = ExitClass.documented(
    .failed, .usage, .invalidInput, .notFound, .inputOutput)
  static let seeAlso = ["tote todo add", "tote todo show"]

  @OptionGroup var global: GlobalOptions
  @OptionGroup var fields: TodoFieldOptions

  @Flag(name: .customLong("no-due"), help: "take the due date away") var removesDue = false

  @Option(
    name: .customLong("untag"),
    help: ArgumentHelp("take a tag away; may be repeated", valueName: "TAG"),
    completion: .todoTags)
  var removedTags: [String] = []

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp("change the todos a predicate finds", valueName: "PREDICATE"))
  var predicate: String?

  @Flag(name: .shortAndLong, help: "change many without asking") var yes = false
  @OptionGroup var place: TodoStoreOptions

  @Argument(
    help: ArgumentHelp("the todo's id, then its new text; or several ids", valueName: "ID"),
    completion: .todoIDs)
  var operands: [String] = []

  mutating func validate() throws {
    if predicate == nil && operands.isEmpty {
      throw ValidationError("give the id of a todo, or '--where PREDICATE'")
    }
    if removesDue && fields.due != nil { throw ValidationError.exclusive("--due", "--no-due") }
    if predicate != nil && hasNoOption {
      throw ValidationError("with '--where', options must say what to change")
    }
    if predicate != nil && !operands.isEmpty {
      throw ValidationError("text or ids cannot be used together with '--where'")
    }
  }

  private var hasNoOption: Bool { fields.isEmpty && !removesDue && removedTags.isEmpty }

  func run(in context: Context) async throws {
    let when = try fields.when(context)
    guard let todos = try await TodoSelection.open(place, context) else {
      throw TodoStore.Failure.unknown(operands.first ?? place.store)
    }
    let (inputs, text) = try targets(in: todos)
    if let predicate, inputs.count > TodoRemove.quietLimit, !yes {
      guard try context.prompt.confirm("change the \(inputs.count) todos where \(predicate)?")
      else {
        throw CommandError(.failed, "cancelled", "nothing was changed")
      }
    }
    let ids = todos.snapshot.ids
    var edited: TodoDraft?
    if text == nil, hasNoOption {
      let id = try todos.store.resolve(inputs[0], in: todos.snapshot)
      edited = try TodoDraft.edit(try todos.store.entry(id, ids: ids), context)
      guard edited != nil else { return try context.note("nothing was changed") }
    }
    try context.changeTodos(
      inputs,
      { input in
        try todos.store.update(try todos.store.resolve(input, in: todos.snapshot), ids: ids) {
          item in
          fields.apply(to: &item, when: removesDue ? .some(.none) : when, zone: context.zoneName)
          for tag in removedTags { item.removeTag(tag) }
          if let text { item.name = text }
          if let edited { edited.apply(to: &item) }
        }
      }, note: { "changed: \($0.record.item.name) (\($0.shortID))" })
    edited?.file.remove()
    try await todos.commit()
  }

  /// Tells ids from text: the first operand is an id; when some of the others are ids and some are
  /// not, nothing is guessed.
  private func targets(in todos: TodoSelection) throws -> ([String], String?) {
    if let predicate { return (try todos.entries(where: predicate).map(\.record.id), nil) }
    let rest = operands.dropFirst()
    guard !rest.isEmpty else { return (operands, nil) }
    let known = rest.filter { todos.snapshot.ids.resolve($0) != .unknown }
    if known.isEmpty { return ([operands[0]], rest.joined(separator: " ")) }
    if known.count == rest.count, !hasNoOption { return (operands, nil) }
    throw CommandError.usage(
      "'\(known[known.startIndex])' is also the id of a todo",
      hint: "put the new text in one pair of quotes, with a space or period in it")
  }
}
