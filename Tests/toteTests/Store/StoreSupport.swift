import Core
import Foundation
import TestSupport
import Testing

@testable import tote

/// What a command line did, run in this process with buffers for streams.
struct Ran {
  let status: Int32
  let output: String
  let errors: String

  /// The output with the hashes of revisions left out: `2-R`.
  var masked: String { output.replacing(/(\d+)-[0-9a-f]{32}/) { "\($0.1)-R" } }
  /// The output as one JSON value.
  var json: JSON { get throws { try JSON(parsing: output) } }
  /// The `code` of the error on stderr.
  var errorCode: String? {
    (try? JSON(parsing: errors))?["error"]?["code"]?.stringValue
  }
}

/// A private home in which command lines are run.
struct StoreHome {
  let path: String

  var stores: StoreDirectory { StoreDirectory(path: path + "/stores") }

  /// Runs a command line with pipes for streams.
  ///
  /// - Parameters:
  ///   - words: the words after `tote store`.
  ///   - input: what stands on standard input.
  ///   - isTerminal: whether results are laid out as for a terminal.
  ///   - color: whether that terminal has colour.
  /// - Returns: the status and what was written.
  /// - Throws: when the input file cannot be made.
  @discardableResult
  func run(
    _ words: String..., input: String = "", isTerminal: Bool = false, color: Bool = false
  ) async throws -> Ran {
    try await run(words: words, input: input, isTerminal: isTerminal, color: color)
  }

  /// Runs a command line of `tote store` with pipes for streams.
  @discardableResult
  func run(
    words: [String], input: String = "", isTerminal: Bool = false, color: Bool = false
  ) async throws -> Ran {
    try await tote(words: ["store"] + words, input: input, isTerminal: isTerminal, color: color)
  }

  /// Runs a command line of `tote` with pipes for streams.
  @discardableResult
  func tote(
    _ words: String..., input: String = "", isTerminal: Bool = false
  ) async throws -> Ran {
    try await tote(words: words, input: input, isTerminal: isTerminal)
  }

  /// Runs a command line of `tote` with pipes for streams.
  @discardableResult
  func tote(
    words: [String], input: String = "", isTerminal: Bool = false, color: Bool = false
  ) async throws -> Ran {
    let inputPath = path + "/input-\(UUID().uuidString)"
    try writeText(input, to: inputPath)
    let descriptor = open(inputPath, O_RDONLY)
    defer {
      close(descriptor)
      unlink(inputPath)
    }
    let (output, errors) = (OutputWriter(), OutputWriter())
    let traits = Streams.Traits(
      isTerminal: isTerminal, color: color, width: 80, height: 24, isUTF8: true)
    let streams = Streams(
      output: output, error: errors, input: InputReader(descriptor: descriptor),
      outputTraits: traits, errorTraits: traits)
    let environment = Environment([
      "TOTE_HOME": path + "/stores", "TMPDIR": path, "TOTE_PAGER": "",
    ])
    let status = await Program.run(words, environment: environment) { options in
      Context(
        streams: streams, environment: environment, options: options,
        clock: { Instant(seconds: 1_893_499_200, nanoseconds: 0) })
    }
    return Ran(
      status: status, output: String(decoding: output.written, as: UTF8.self),
      errors: String(decoding: errors.written, as: UTF8.self))
  }
}

/// Runs a test body with a private home that has an empty store `notes`.
func withNotes(_ body: (StoreHome) async throws -> Void) async throws {
  try await withTemporaryDirectory { path in
    let home = StoreHome(path: path)
    _ = try home.stores.create("notes")
    try await body(home)
  }
}

extension StoreHome {
  /// Makes document `milk` with a conflict: `2-…` by two machines, both after the same `1-…`.
  func makeConflict() throws {
    let store = try stores.open("notes")
    let first = try store.put(
      Document(id: "milk", body: DocumentBody(["title": "Milk", "amount": 1])))
    let other = RevisionID(generation: 2, hash: String(repeating: "0", count: 32))
    try store.put(
      Document(id: "milk", revision: first, body: DocumentBody(["title": "Milk", "amount": 2])))
    var document = try Document(
      id: "milk", revision: other, body: DocumentBody(["title": "Oat milk", "amount": 1]))
    document.history = [other, first]
    _ = try store.write([document], mode: .revisions)
  }
}
