import Core

/// A document in a person's editor, until its text can be written or the person gives up.
struct EditSession {
  private static let mark = "//"

  private let store: any DocumentStore
  private let context: Context
  private let editor: Editor
  private let draft: DraftFile
  /// The revision that will be replaced.
  private var base: Document
  /// What the draft held when the editor was opened last.
  private var opened: [UInt8]

  /// Writes the draft.
  ///
  /// - Parameters:
  ///   - store: where the document is.
  ///   - document: its current revision.
  ///   - context: the command's.
  /// - Throws: `CommandError` when the draft cannot be written.
  init(store: any DocumentStore, document: Document, context: Context) throws {
    self.store = store
    self.context = context
    editor = Editor(environment: context.environment)
    base = document
    let remarks = ["'\(document.id)' in '\(store.name)', revision \(Self.name(document))"]
    opened = Self.text(remarks, Self.pretty(document))
    draft = try DraftFile(suffix: ".json", bytes: opened, environment: context.environment)
  }

  /// Opens the editor until something can be done.
  ///
  /// - Returns: the new revision, or nil when the text was not changed.
  /// - Throws: what the store says, or an error that names the draft, which then stays.
  mutating func run() async throws -> RevisionID? {
    var isFirst = true
    while true {
      try editor.open(draft.path)
      let typed = try readFile(draft.path)
      guard typed != opened else {
        guard isFirst else { throw unchanged }
        draft.remove()
        return nil
      }
      isFirst = false
      let content = Self.withoutRemarks(typed)
      guard content.contains(where: { $0 > 0x20 }) else {
        draft.remove()
        throw CommandError(.failed, "failed", "the text is empty; '\(base.id)' was not changed")
      }
      switch try await attempt(content) {
      case .written(let revision):
        draft.remove()
        return revision
      case .same:
        draft.remove()
        return nil
      case .reopen: break
      }
    }
  }

  /// Why the session goes on, while it does.
  private var trouble: (any UserFacing)?

  private enum Outcome {
    case written(RevisionID)
    /// The text says what the document holds already.
    case same
    /// The editor has to be opened again.
    case reopen
  }

  /// Tries to write the text.
  private mutating func attempt(_ content: [UInt8]) async throws -> Outcome {
    do {
      var document = base
      document.body = try Self.body(content)
      guard document.body != base.body else { return .same }
      return .written(try await store.put(document))
    } catch StoreError.conflict {
      try await reopenAfterConflict(content)
    } catch let error as CommandError {
      try reopen(content, error, remarks: [error.message])
    } catch let error as StoreError where error.exitClass == .invalidInput {
      try reopen(content, error, remarks: [error.message])
    } catch let error as any UserFacing {
      throw kept(error)
    }
    return .reopen
  }

  private mutating func reopenAfterConflict(_ content: [UInt8]) async throws {
    let error = StoreError.conflict(id: base.id, current: base.revision)
    guard let current = try? await store.document(base.id, ReadOptions()) else {
      throw kept(StoreError.documentNotFound(id: base.id, .deleted))
    }
    base = current
    let remarks =
      [
        "'\(base.id)' was changed by someone else; it is now revision \(Self.name(current)):", "",
      ] + Self.pretty(current).split(separator: "\n").map(String.init) + [
        "", "Your text is below. Save it, changed or without these remarks, to write it over that.",
      ]
    try reopen(content, error, remarks: remarks)
  }

  private mutating func reopen(
    _ content: [UInt8], _ error: any UserFacing, remarks: [String]
  ) throws {
    trouble = error
    opened = Self.text(remarks, String(decoding: content, as: UTF8.self))
    try draft.write(opened)
    try context.note(remarks[0])
  }

  /// The person, or a script in their place, left the mistake as it is: opening again would not end.
  private var unchanged: CommandError {
    kept(trouble ?? CommandError(.failed, "failed", "nothing was changed"))
  }

  private func kept(_ error: any UserFacing) -> CommandError {
    CommandError(
      error.exitClass, error.code, error.message, hint: "your text is in \(draft.path)",
      details: error.details)
  }

  // MARK: Text

  private static func name(_ document: Document) -> String { document.revision?.description ?? "" }

  private static func pretty(_ document: Document) -> String {
    JSON.object(document.body.members).serialized(.pretty)
  }

  private static func text(_ remarks: [String], _ content: String) -> [UInt8] {
    let lines = remarks.map { $0.isEmpty ? mark : "\(mark) \($0)" }
    let ending = content.hasSuffix("\n") ? "" : "\n"
    return Array((lines.joined(separator: "\n") + "\n" + content + ending).utf8)
  }

  /// The text without its first lines that are remarks; inside the JSON none can stand.
  private static func withoutRemarks(_ text: [UInt8]) -> [UInt8] {
    var rest = text[...]
    while rest.starts(with: mark.utf8) {
      rest = rest.drop { $0 != 0x0A }.dropFirst()
    }
    return Array(rest)
  }

  private static func body(_ content: [UInt8]) throws -> DocumentBody {
    let json: JSON
    do {
      json = try JSON(parsing: content)
    } catch {
      throw CommandError.notJSON(error, name: "the text")
    }
    guard case .object(let members) = json else {
      throw CommandError.invalidInput("a document must be a JSON object, not \(json.kindName)")
    }
    return try DocumentBody(members)
  }
}
