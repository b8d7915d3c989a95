import Core

/// A todo's text and note as a person edits them: the text, an empty line, the note.
struct TodoDraft: Sendable {
  /// The text.
  let name: String
  /// The note, or `nil`.
  let note: String?
  /// The file that was edited; it stays until what it holds is saved.
  let file: DraftFile

  /// Opens a todo in the editor.
  ///
  /// - Parameters:
  ///   - entry: the todo.
  ///   - context: knows the editor.
  /// - Returns: the new text, or `nil` when nothing was changed.
  /// - Throws: `CommandError` when the editor fails or the text is empty; the draft then stays.
  static func edit(_ entry: TodoEntry, _ context: Context) throws -> TodoDraft? {
    let item = entry.record.item
    let text = item.name + "\n" + (item.note.map { "\n" + $0 + "\n" } ?? "")
    let file = try DraftFile(
      suffix: ".txt", bytes: Array(text.utf8), environment: context.environment)
    try Editor(environment: context.environment).open(file.path)
    let edited = String(decoding: try readFile(file.path), as: UTF8.self)
    if utf8Equal(edited, text) {
      file.remove()
      return nil
    }
    var lines = edited.split(separator: "\n", omittingEmptySubsequences: false)[...]
    let head = lines.prefix { !$0.isEmpty }
    lines = lines.dropFirst(head.count)
    while lines.first?.isEmpty == true { lines.removeFirst() }
    while lines.last?.isEmpty == true { lines.removeLast() }
    guard !head.isEmpty else {
      throw CommandError.invalidInput(
        "the text of a todo cannot be empty", hint: "your text is in \(file.path)")
    }
    let note = lines.isEmpty ? nil : lines.joined(separator: "\n")
    return TodoDraft(name: head.joined(separator: "\n"), note: note, file: file)
  }

  /// Puts the edited text into a todo.
  func apply(to item: inout TodoItem) {
    item.name = name
    item.note = note
  }
}
