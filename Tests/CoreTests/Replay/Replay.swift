import Core
import Foundation
import TestSupport
import Testing

/// Replays a recorded file against fresh stores and compares every answer.
///
/// Revision ids that CouchDB generated are other hashes here. Each is learned from the answer to the
/// write that made it; from then on the recorded one stands for ours, in answers and in requests.
struct Replay {
  let file: ReplayFile
  private let rules: [ReplayRule]
  private let server: ReplayServer
  private var comparison = ReplayComparison()
  private var variables: [String: String] = [:]
  private(set) var outcome = Outcome()

  /// What became of the cases of a file.
  struct Outcome: Equatable, CustomStringConvertible {
    var applied = 0
    var skipped: [String: Int] = [:]
    /// Cases compared with a stated difference, by its reason.
    var differing: [String: Int] = [:]

    var description: String {
      func list(_ counts: [String: Int]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\n    \($0.value) \($0.key)" }.joined()
      }
      return "\(applied) applied, \(skipped.values.reduce(0, +)) skipped\(list(skipped))"
        + (differing.isEmpty ? "" : "\n  with a difference:\(list(differing))")
    }
  }

  init(_ name: String, in stores: StoreDirectory, rules: [ReplayRule] = []) throws {
    file = try ReplayFile(name)
    self.rules = rules + ReplayRule.common
    server = ReplayServer(stores)
  }

  /// Replays `name` against new stores of the given names and prints what became of its cases.
  @discardableResult
  static func run(
    _ name: String, stores names: [String], rules: [ReplayRule] = [],
    whileOpen: [String: [Document]] = [:]
  ) async throws -> Outcome {
    try await withTemporaryDirectory { path in
      let stores = StoreDirectory(path: path)
      for name in names { _ = try stores.create(name) }
      var replay = try Replay(name, in: stores, rules: rules)
      for recorded in replay.file.cases {
        try await replay.play(recorded, whileOpen: whileOpen[recorded.name] ?? [])
      }
      for rule in rules where !replay.file.cases.contains(where: rule.matches) {
        Issue.record("\(name): no case for the rule '\(rule.reason)'")
      }
      print("vectors of \(name).json: \(replay.outcome)")
      return replay.outcome
    }
  }

  mutating func play(_ recorded: ReplayCase, whileOpen: [Document] = []) async throws {
    let matching = rules.filter { $0.matches(recorded) }
    for case .skip in matching.map(\.action) {
      outcome.skipped[matching[0].reason, default: 0] += 1
      return
    }
    let request = ReplayRequest(recorded, fill: fill)
    server.whileOpen = whileOpen
    let answer: ReplayAnswer
    do {
      answer = try await server.answer(request)
    } catch {
      Issue.record("\(file.name)/\(recorded.name): \(error)")
      return
    }
    outcome.applied += 1
    for rule in matching { outcome.differing[rule.reason, default: 0] += 1 }
    for problem in comparison.problems(answer, recorded, matching.map(\.action)) {
      Issue.record("\(file.name)/\(recorded.name): \(problem)")
    }
    for (variable, path) in recorded.saves {
      variables[variable] = answer.json?.value(at: path)?.stringValue
    }
  }

  /// Puts our revisions and sequences into a text of a request.
  private func fill(_ text: String) -> String {
    guard text.contains("{{") || text.contains("-") else { return text }
    var text = text
    for (variable, value) in variables where text.contains("{{") {
      text = text.replacingOccurrences(of: "{{\(variable)}}", with: value)
    }
    return comparison.translated(within: text)
  }
}
