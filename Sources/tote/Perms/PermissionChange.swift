import Core

/// A change of one store's permissions: what was, and what will be.
struct PermissionChange: Sendable {
  let target: PermissionTarget
  let old: StorePermissions
  let new: StorePermissions

  /// Reads a store's permissions and works out others; nothing is written.
  init(
    _ target: PermissionTarget, force: Bool,
    _ change: (inout StorePermissions) throws -> Void
  ) async throws {
    self.target = target
    old = try await target.permissions()
    var new = old
    try change(&new)
    self.new = new
    if !force, isNeeded { try await target.checkCaller(new, over: old) }
  }

  /// Whether anything is different.
  var isNeeded: Bool { !old.means(new) }

  /// Writes the new permissions.
  func perform() async throws {
    if isNeeded { try await target.write(new, over: old) }
  }

  /// The lines that go and the lines that come, as text has them.
  var lines: [Line] {
    let (before, after) = (Self.text(old), Self.text(new))
    return before.filter { !after.contains($0) }.map {
      Line(store: target.name, isAdded: false, text: $0)
    }
      + after.filter { !before.contains($0) }.map {
        Line(store: target.name, isAdded: true, text: $0)
      }
  }

  private static func text(_ permissions: StorePermissions) -> [String] {
    PermissionText.lines(.init(store: "", permissions: permissions))
  }

  /// One line that comes or goes.
  struct Line: Sendable {
    let store: String
    let isAdded: Bool
    let text: String

    /// The line without the blanks that align it.
    var words: String { text.split(separator: " ").joined(separator: " ") }

    var json: JSON {
      [
        "store": .string(store), "change": .string(isAdded ? "add" : "remove"),
        "line": .string(words),
      ]
    }
  }

  static let outputKeys = [
    ("store", "string", "the store"), ("change", "string", "'add' or 'remove'"),
    ("line", "string", "the line of the text that comes or goes"),
  ]
}

extension Context {
  /// Prints what changes, store by store.
  func emit(changes: [PermissionChange]) throws {
    let lines = changes.flatMap(\.lines)
    switch mode {
    case .json: return try emit(json: .array(lines.map(\.json)))
    case .jsonLines:
      for line in lines { try emit(json: line.json) }
      return
    case .human: break
    }
    let screen = screen
    for change in changes where change.isNeeded {
      try screen.line("store \(screen.safe(change.target.name))")
      for line in change.lines {
        let text = "  \(line.isAdded ? "+" : "-") \(screen.safe(line.text))"
        try screen.line(screen.style.apply(line.isAdded ? .green : .red, to: text))
      }
    }
  }

  /// Performs one change and says what became of it.
  func perform(_ change: PermissionChange, said: String) async throws {
    let wasPublic = change.old.isPublic
    try await change.perform()
    if mode != .human { try emit(PermissionFacts(change.target.name, change.new)) }
    guard change.isNeeded else { return try note("nothing to change") }
    try note(said)
    if wasPublic, !change.new.isPublic {
      try note("'\(change.target.name)' was public; now only those named may use it")
    } else if !wasPublic, change.new.isPublic {
      try warn("public", "everybody may now read and write '\(change.target.name)'")
    }
  }
}
