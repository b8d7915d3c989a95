import Core

extension TodoStore.Failure: UserFacing {
  var code: String {
    switch self {
    case .unknown, .textIsGone: "not_found"
    case .ambiguous: "invalid_input"
    }
  }

  var exitClass: ExitClass {
    switch self {
    case .unknown, .textIsGone: .notFound
    case .ambiguous: .invalidInput
    }
  }

  var message: String {
    switch self {
    case .unknown(let id): return "todo '\(id)' not found"
    case .textIsGone(let id): return "todo '\(id)' is deleted, and its text is no longer there"
    case .ambiguous(let id, let candidates):
      let names = candidates.map { "'\($0.shortID)' (\($0.name))" }
      return "'\(id)' is now \(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")"
    }
  }

  var hint: String? {
    switch self {
    case .unknown: "run 'tote todo list --all' to see them"
    case .textIsGone: "compaction removes old texts"
    case .ambiguous: "give one more letter"
    }
  }

  var details: [(String, JSON)] {
    switch self {
    case .unknown(let id), .textIsGone(let id): [("id", .string(id))]
    case .ambiguous(let id, let candidates):
      [
        ("id", .string(id)),
        (
          "candidates",
          .array(candidates.map { ["id": .string($0.shortID), "name": .string($0.name)] })
        ),
      ]
    }
  }
}

extension WhenError: UserFacing {
  var code: String { "invalid_input" }
  var exitClass: ExitClass { .invalidInput }
  var message: String { "'\(text)' is not a date" + (reason.map { ": \($0)" } ?? "") }
  var hint: String? { "dates are: \(WhenError.forms)" }
  var details: [(String, JSON)] { [("value", .string(text))] }
}
