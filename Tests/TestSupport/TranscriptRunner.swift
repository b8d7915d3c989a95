import Glibc

extension Transcript {
  /// Replays a transcript file with the built program in private folders.
  ///
  /// With `TOTE_RECORD_TRANSCRIPTS=1` in the environment it writes down what happened instead, which
  /// a run with `CI` set refuses: a recording is read by a person before it is a test.
  ///
  /// - Parameter path: the file.
  /// - Throws: ``TranscriptMismatch`` if the program behaved differently, or ``SupportError``.
  public static func verify(_ path: String) throws {
    try withTote { tote in
      try verify(path) { step, command in
        guard let columns = step.columns else { return try tote.shell(command) }
        var launch = Launch("/bin/sh", ["-c", command], environment: tote.environment)
        launch.directory = tote.directory
        return try PseudoTerminal(launch, size: .init(columns: columns)).finish()
      }
    }
  }

  /// Replays a transcript file by a given way to run commands.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - environment: looks up `TOTE_RECORD_TRANSCRIPTS` and `CI`.
  ///   - run: runs a step's command, given with its placeholders filled in.
  /// - Throws: ``TranscriptMismatch`` if something else was written, or ``SupportError``.
  static func verify(
    _ path: String, environment: (String) -> String? = Self.variable,
    run: (Step, String) throws -> ProcessResult
  ) throws {
    let transcript = try Transcript(parsing: try readText(path))
    let (actual, mismatch) = try transcript.replay(run)
    guard environment("TOTE_RECORD_TRANSCRIPTS") == "1" else {
      if let mismatch { throw TranscriptMismatch(path: path, text: mismatch) }
      return
    }
    guard environment("CI") == nil else {
      throw SupportError.badSetup("transcripts cannot be recorded where CI is set")
    }
    try writeText(actual.text, to: path)
  }

  /// The transcript files of a folder, sorted by name.
  ///
  /// - Parameter folder: its path.
  /// - Returns: paths of the files whose names end in `.session`.
  public static func files(in folder: String) -> [String] {
    entries(of: folder).filter { $0.hasSuffix(".session") }.sorted().map { "\(folder)/\($0)" }
  }

  /// Runs every step; returns what happened, and the differences as text if there are any.
  func replay(_ run: (Step, String) throws -> ProcessResult) throws -> (Transcript, String?) {
    var actual = self
    var bindings: [String: String] = [:]
    var differences: [String] = []
    for (index, step) in steps.enumerated() {
      let command = TranscriptPattern.fill(step.command, with: bindings)
      let result = try run(step, command)
      var seen = step
      let text = step.columns == nil ? result.output : Self.visible(result.screen)
      let output = Self.compare(step.output, Self.lines(of: text), &bindings)
      let errors = Self.compare(step.errors, Self.lines(of: result.errors), &bindings)
      (seen.output, seen.errors, seen.exitCode) = (output.lines, errors.lines, result.exitCode)
      actual.steps[index] = seen
      guard !output.agrees || !errors.agrees || seen.exitCode != step.exitCode else { continue }
      let parts = [
        TextDifference.show(from: step.output, to: seen.output),
        errors.agrees ? "" : "stderr:\n" + TextDifference.show(from: step.errors, to: seen.errors),
        seen.exitCode == step.exitCode ? "" : "exit \(seen.exitCode), not \(step.exitCode)\n",
      ]
      differences.append("line \(step.line): \(command)\n" + parts.joined())
    }
    return (actual, differences.isEmpty ? nil : differences.joined(separator: "\n"))
  }

  /// Compares lines with patterns; gives the lines to record, keeping the patterns that still fit.
  private static func compare(
    _ expected: [String], _ actual: [String], _ bindings: inout [String: String]
  ) -> (agrees: Bool, lines: [String]) {
    var agrees = expected.count == actual.count
    var lines: [String] = []
    for (index, line) in actual.enumerated() {
      if index < expected.count,
        TranscriptPattern(expected[index]).matches(line, bindings: &bindings)
      {
        lines.append(expected[index])
      } else {
        agrees = false
        lines.append(TranscriptPattern.generalize(line, with: bindings))
      }
    }
    return (agrees, lines)
  }

  /// A terminal's text with carriage returns of line ends dropped and escapes made visible.
  private static func visible(_ screen: String) -> String {
    screen.replacing("\r\n", with: "\n").replacing("\r", with: "␍")
      .replacing("\u{1B}", with: "␛").replacing("\u{7}", with: "␇")
  }

  /// A variable of the test's own environment.
  static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}

/// What a replayed transcript showed that the file does not say.
public struct TranscriptMismatch: Error, CustomStringConvertible {
  /// The transcript file.
  public var path: String
  /// The differences, per command: `-` expected, `+` written.
  public var text: String

  /// The file and the differences.
  public var description: String {
    "\(path)\n\(text)\nTo accept: TOTE_RECORD_TRANSCRIPTS=1 swift test …, then read the diff."
  }
}

/// Line differences for people.
enum TextDifference {
  /// The lines of both sides in order: `-` only expected, `+` only written, two spaces for common.
  static func show(from expected: [String], to actual: [String]) -> String {
    var lines: [(Int, String)] = []
    let changes = actual.difference(from: expected)
    let removed = Set(changes.removals.map(\.offset))
    let inserted = Set(changes.insertions.map(\.offset))
    var (left, right) = (0, 0)
    while left < expected.count || right < actual.count {
      if left < expected.count, removed.contains(left) {
        lines.append((left, "- " + expected[left]))
        left += 1
      } else if right < actual.count, inserted.contains(right) {
        lines.append((left, "+ " + actual[right]))
        right += 1
      } else {
        lines.append((left, "  " + expected[left]))
        left += 1
        right += 1
      }
    }
    return lines.map { $0.1 + "\n" }.joined()
  }
}

extension CollectionDifference.Change {
  fileprivate var offset: Int {
    switch self {
    case .insert(let offset, _, _), .remove(let offset, _, _): offset
    }
  }
}
