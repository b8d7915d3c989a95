import ArgumentParser
import Core

/// `tote store history`.
struct StoreHistory: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "show the revisions of a document",
    discussion: """
      The revisions are drawn as a tree, the newest first. The text of an old revision can be read \
      with 'tote store get --rev' until the store is compacted; then only its name is known, and it \
      is marked 'no text'.
      """)

  static let examples = [
    Example("tote store history notes milk", "the tree of revisions"),
    Example("tote store history notes milk --json", "the same for a script"),
  ]

  static let outputKeys = [
    OutputKey("id", "string", "the document's id"),
    OutputKey("revisions", "array of objects", "branch by branch, the winner's first"),
    OutputKey("revisions.rev", "string", "the revision"),
    OutputKey("revisions.parent", "string or null", "the revision it replaced, if that is known"),
    OutputKey("revisions.winner", "boolean", "whether it is the current one"),
    OutputKey("revisions.leaf", "boolean", "whether nothing has replaced it"),
    OutputKey("revisions.conflict", "boolean", "whether it is a leaf in conflict with the winner"),
    OutputKey("revisions.deleted", "boolean", "whether it is a deletion"),
    OutputKey("revisions.available", "boolean", "whether its text can be read"),
  ]

  static let exitCodes = ExitClass.documented(.notFound, .inputOutput)
  static let seeAlso = ["tote store conflicts", "tote store get", "tote store compact"]

  @OptionGroup var global: GlobalOptions

  @Argument(help: .store, completion: .storeNames)
  var store: String

  @Argument(help: .document, completion: .documentIDs)
  var document: String

  func run(in context: Context) async throws {
    let entries = try await context.anyStore(store).history(of: document)
    let result = HistoryResult(id: document, entries: entries)
    try await context.paged { try $0.emit(result) }
  }
}

/// A document's revisions.
struct HistoryResult: CommandResult {
  let id: String
  let entries: [HistoryEntry]

  var json: JSON {
    let rows = entries.map { entry in
      [
        "rev": .string(entry.revision.description),
        "parent": entry.parent.map { .string($0.description) } ?? .null,
        "winner": .bool(entry.isWinner), "leaf": .bool(entry.isLeaf),
        "conflict": .bool(entry.isConflict), "deleted": .bool(entry.isDeleted),
        "available": .bool(entry.isAvailable),
      ] as JSON
    }
    return ["id": .string(id), "revisions": .array(rows)]
  }

  func show(on screen: Screen) throws(OutputError) {
    guard screen.isTerminal else {
      for entry in entries {
        let fields = [
          entry.revision.description, entry.parent?.description ?? "",
          entry.marks.joined(separator: ","),
        ]
        try screen.line(Table.plainLine(of: fields.map { Cell($0) }))
      }
      return
    }
    for line in HistoryGraph(entries, isUTF8: screen.traits.isUTF8).lines {
      guard let entry = line.entry else {
        try screen.line(line.lanes)
        continue
      }
      let look: Look? =
        entry.isWinner ? .bold : entry.isConflict ? .yellow : entry.isDeleted ? .red : .dim
      let marks = entry.marks.isEmpty ? "" : "  " + entry.marks.joined(separator: ", ")
      try screen.line(
        line.lanes + " " + screen.style.apply(look, to: entry.revision.description)
          + screen.style.apply(entry.isConflict ? .yellow : .dim, to: marks))
    }
  }
}

extension HistoryEntry {
  /// A live leaf that lost.
  var isConflict: Bool { isLeaf && !isDeleted && !isWinner }

  /// What is worth knowing about the revision, in words.
  var marks: [String] {
    var marks: [String] = []
    if isWinner { marks.append("current") }
    if isConflict { marks.append("conflict") }
    if isDeleted { marks.append("deleted") }
    if !isAvailable { marks.append("no text") }
    return marks
  }
}
