import ArgumentParser
import Core
import Photos

/// What became of one file.
struct AddedFile: ListRow {
  enum Outcome: Sendable {
    case added(Photo)
    case duplicate(Photo)
    /// It would be added.
    case possible(ProcessedPhoto)
    case refused(NamedFileError)
  }

  let file: String
  let outcome: Outcome
  let isDryRun: Bool

  static let columns = [
    Column("RESULT", .identifier), Column("FILE"), Column("ID", .identifier),
    Column("NOTES", dropOrder: 1),
  ]

  var json: JSON {
    var (width, height): (Int?, Int?)
    switch outcome {
    case .added(let photo), .duplicate(let photo): (width, height) = (photo.width, photo.height)
    case .possible(let photo): (width, height) = (photo.full.width, photo.full.height)
    case .refused: (width, height) = (nil, nil)
    }
    return [
      "file": .string(file), "status": .string(status),
      "id": photo.map { .string($0.id.description) } ?? .null,
      "width": width.map { .integer(Int64($0)) } ?? .null,
      "height": height.map { .integer(Int64($0)) } ?? .null,
      "notes": .array(notes.map { .string($0.rawValue) }),
      "code": error.map { .string($0.code) } ?? .null,
      "message": error.map { .string($0.cause.message) } ?? .null,
      "dryRun": .bool(isDryRun),
    ]
  }

  func cells(on screen: Screen) -> [Cell] {
    let word =
      switch outcome {
      case .added: Cell("added", look: .green)
      case .possible: Cell("can be added", look: .green)
      case .duplicate: Cell("already there", look: .dim)
      case .refused: Cell("refused", look: .red)
      }
    return [
      word, Cell(file), Cell(photo?.id.description ?? "", look: .dim),
      Cell(
        notes.map(\.phrase).joined(separator: ", "),
        plain: notes.map(\.rawValue).joined(separator: ","), look: .yellow),
    ]
  }

  /// The verdict as a word for scripts.
  private var status: String {
    switch outcome {
    case .added, .possible: "accepted"
    case .duplicate: "duplicate"
    case .refused: "refused"
    }
  }

  private var photo: Photo? {
    switch outcome {
    case .added(let photo), .duplicate(let photo): photo
    case .possible, .refused: nil
    }
  }

  private var notes: [PhotoNote] {
    switch outcome {
    case .added(let photo): photo.notes
    case .possible(let photo): photo.notes
    case .duplicate, .refused: []
    }
  }

  /// Why it was refused.
  var error: NamedFileError? {
    if case .refused(let error) = outcome { error } else { nil }
  }
}

/// Prints what became of many files, in their order although they come in another.
struct AddingReport {
  private let context: Context
  private let list: ListWriter<AddedFile>
  private let total: Int
  private let isDryRun: Bool
  private var waiting: [Int: AddedFile] = [:]
  private var next = 0
  private var failures = PartialFailure()
  private var counts = (added: 0, duplicates: 0)
  /// Files that are done.
  private(set) var taken = 0

  init(_ context: Context, total: Int, isDryRun: Bool) {
    self.context = context
    self.total = total
    self.isDryRun = isDryRun
    list = ListWriter(context, isLive: context.mode == .jsonLines)
  }

  /// Takes what became of the file with a number.
  mutating func take(_ row: AddedFile, at index: Int) throws {
    taken += 1
    context.progress.update { "\(taken) of \(total)  \(row.file)" }
    waiting[index] = row
    while let row = waiting.removeValue(forKey: next) {
      next += 1
      try print(row)
    }
  }

  private mutating func print(_ row: AddedFile) throws {
    switch row.outcome {
    case .added, .possible: counts.added += 1
    case .duplicate: counts.duplicates += 1
    case .refused(let error):
      try failures.add(error)
      // People read it as an error, at the end.
      if context.mode == .human { return }
    }
    try list.add(row)
  }

  /// Ends a list that broke off: what was done is shown.
  mutating func end() throws {
    for index in waiting.keys.sorted() {
      if let row = waiting.removeValue(forKey: index) { try print(row) }
    }
    context.progress.clear()
    try list.finish()
  }

  /// The failures so far, and the one that ended the run.
  func joined(with error: any Error) -> any Error {
    guard !failures.isEmpty, let known = error as? any UserFacing else { return error }
    return SeveralErrors(errors: failures.errors + [known], inputs: total)
  }

  /// Ends the list and tells how many there were; throws what failed.
  mutating func finish() throws {
    try end()
    let verb = isDryRun ? "would add" : "added"
    var text = "\(verb) \(counted(counts.added, "photo"))"
    if counts.duplicates > 0 { text += ", \(counts.duplicates) already there" }
    if !failures.isEmpty { text += ", \(total - counts.added - counts.duplicates) refused" }
    if total != 1 || failures.isEmpty { try context.note(text) }
    try failures.finish(inputs: total)
  }
}
