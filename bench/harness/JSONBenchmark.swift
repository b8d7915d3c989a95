import Core
import Foundation

/// Megabytes a second of parsing and writing JSON, ours and Foundation's, on the same lines.
struct JSONBenchmark {
  private static let rounds = 7
  private static let documents = 40_000

  private let lines: [Data]
  private let bytes: [UInt8]
  private let ranges: [Range<Int>]

  init(path: String) throws {
    bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    var ranges: [Range<Int>] = []
    var start = 0
    while ranges.count < Self.documents, let end = bytes[start...].firstIndex(of: 10) {
      ranges.append(start..<end)
      start = end + 1
    }
    self.ranges = ranges
    let copy = bytes
    lines = ranges.map { Data(copy[$0]) }
  }

  func run() throws -> [(String, Double)] {
    var rounds = Rounds()
    for _ in 0..<Self.rounds {
      try rounds.time("tape") { try parseTapes() }
      try rounds.time("tree") { try parseTrees() }
      try rounds.time("canonical") { try writeCanonical() }
      try rounds.time("foundation") { try parseWithFoundation() }
    }
    let megabytes = Double(ranges.reduce(0) { $0 + $1.count }) / 1e6
    return rounds.rates(of: megabytes)
  }

  private func parseTapes() throws {
    var tape = JSONTape()
    try bytes.withUnsafeBytes { all in
      for range in ranges {
        try tape.parse(UnsafeRawBufferPointer(rebasing: all[range]))
        precondition(tape.count > 20)
      }
    }
  }

  private func parseTrees() throws {
    try bytes.withUnsafeBytes { all in
      for range in ranges {
        let value = try JSON(parsing: UnsafeRawBufferPointer(rebasing: all[range]))
        precondition(value.objectValue != nil)
      }
    }
  }

  /// From text to canonical bytes: what the import does with each document.
  private func writeCanonical() throws {
    var tape = JSONTape()
    var writer = CanonicalWriter()
    var output = ByteBuffer()
    try bytes.withUnsafeBytes { all in
      for range in ranges {
        let text = UnsafeRawBufferPointer(rebasing: all[range])
        try tape.parse(text)
        output.reset()
        writer.write(0, of: tape, in: text, to: &output)
        precondition(output.count > 100)
      }
    }
  }

  private func parseWithFoundation() throws {
    for line in lines {
      let value = try JSONSerialization.jsonObject(with: line)
      precondition(value is [String: Any])
    }
  }
}
