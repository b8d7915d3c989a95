import Core
import Foundation
import HTTP
import Sync
import TestSupport
import Testing

/// Sends the recorded requests of a file to a running listener and compares every answer.
///
/// Users are those of the recordings; a request without a user is the administrator's, as there.
struct HTTPReplay {
  private let file: ReplayFile
  private let rules: [ReplayRule]
  private let server: HTTPReplayServer
  private var comparison = ReplayComparison()
  private var variables: [String: String] = [:]
  private(set) var outcome = Outcome()
  /// Whether sequences are compared without their numbers, and feeds without their order.
  var ignoresNumbers = false

  /// What became of the cases of a file.
  struct Outcome: Equatable, CustomStringConvertible {
    var applied = 0
    /// Cases that are not sent, by the reason.
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

  init(_ file: ReplayFile, _ server: HTTPReplayServer, rules: [ReplayRule]) {
    self.file = file
    self.server = server
    self.rules = rules + [.badInput]
  }

  /// Replays a file against new databases of the given names and prints what became of its cases.
  @discardableResult
  static func run(
    _ name: String, databases: [String], rules: [ReplayRule] = [],
    whileOpen: [String: [Document]] = [:]
  ) async throws -> Outcome {
    let file = try ReplayFile(name)
    var outcome = Outcome()
    try await withListener(HTTPReplayServer.prepare) { listener in
      let server = HTTPReplayServer(listener)
      for database in databases { try server.create(database) }
      var replay = HTTPReplay(file, server, rules: rules)
      for recorded in file.cases {
        try await replay.play(recorded, whileOpen: whileOpen[recorded.name])
      }
      outcome = replay.outcome
    }
    for rule in rules where !file.cases.contains(where: rule.matches) {
      Issue.record("\(name): no case for the rule '\(rule.reason)'")
    }
    print("HTTP vectors of \(name).json: \(outcome)")
    return outcome
  }

  /// Plays one case; returns the answer, nil when there was none.
  @discardableResult
  mutating func play(
    _ recorded: ReplayCase, whileOpen: [Document]? = nil
  ) async throws -> HTTPReplayAnswer? {
    let matching = rules.filter { $0.matches(recorded) }
    for case .skip in matching.map(\.action) {
      outcome.skipped[matching[0].reason, default: 0] += 1
      return nil
    }
    let answer: HTTPReplayAnswer
    do {
      answer = try await server.send(recorded, whileOpen: whileOpen, fill: fill)
    } catch {
      Issue.record("\(file.name)/\(recorded.name): \(error)")
      return nil
    }
    outcome.applied += 1
    for rule in matching { outcome.differing[rule.reason, default: 0] += 1 }
    var problems = try await problems(answer, recorded, matching.map(\.action))
    if problems.isEmpty, matching.allSatisfy({ !$0.isAboutStatus }) {
      problems = answer.headerProblems(recorded) { comparison.translated(within: $0) }
    }
    for problem in problems { Issue.record("\(file.name)/\(recorded.name): \(problem)") }
    for (variable, path) in recorded.saves {
      variables[variable] =
        path.hasPrefix("header ")
        ? answer.headers[String(path.dropFirst("header ".count))]
        : answer.json?.value(at: path)?.stringValue
    }
    return answer
  }

  private mutating func problems(
    _ answer: HTTPReplayAnswer, _ recorded: ReplayCase, _ actions: [ReplayRule.Action]
  ) async throws -> [String] {
    let known = server.marks
    guard let parts = try await recorded.multipart else {
      var found = answer.comparable(known, recorded)
      guard ignoresNumbers, let expected = recorded.feed ?? recorded.body else {
        return comparison.problems(found, recorded, actions)
      }
      found.json = found.json?.withoutNumbers
      let plain = ReplayCase([
        "name": .string(recorded.name), "request": recorded.request,
        "response": [
          "status": .integer(Int64(recorded.status)), "body": expected.withoutNumbers,
          "headers": recorded.response["headers"] ?? [:],
        ],
      ])
      return comparison.problems(found, plain, actions)
    }
    // Both as JSON: boundaries and the order of headers are no promise.
    let found = try await HTTPReplayAnswer.multipart(
      HTTPBody(answer.bytes), type: answer.headers["Content-Type"])
    let expected = ReplayCase([
      "name": .string(recorded.name),
      "response": ["status": .integer(Int64(recorded.status)), "body": parts],
    ])
    return comparison.problems(ReplayAnswer(answer.status, found), expected, actions)
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

extension ReplayRule {
  /// What holds in every file.
  static var badInput: ReplayRule {
    ReplayRule(
      reason: "CouchDB breaks on bad input, the listener says what is wrong", action: .status(400)
    ) { $0.status == 500 }
  }

  /// Whether the body is not compared.
  var isAboutStatus: Bool {
    if case .status = action { true } else { false }
  }
}

extension JSON {
  /// A copy whose sequences have no numbers and whose feed rows are sorted by id.
  fileprivate var withoutNumbers: JSON {
    var json = mappingStrings { $0.wholeMatch(of: /\d+-SEQ/) == nil ? $0 : "SEQ" }
    if let rows = json["results"]?.arrayValue, rows.contains(where: { $0["seq"] != nil }) {
      json["results"] = .array(
        rows.sorted { utf8Less($0["id"]?.stringValue ?? "", $1["id"]?.stringValue ?? "") })
    }
    return json
  }
}
