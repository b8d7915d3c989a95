import Foundation

/// Measures loops inside one process, for `bench/run.py`.
///
///     tote-bench json FILE             JSON speeds on the lines of a file
///     tote-bench puts FILE FOLDER N    single durable writes of N of its documents
///     tote-bench pages FILE FOLDER     its lines as rows of an encrypted database
///
/// Prints one JSON object of names and numbers on standard output.
@main
struct Harness {
  static func main() throws {
    let words = CommandLine.arguments.dropFirst()
    switch words.first {
    case "json" where words.count == 2:
      report(try JSONBenchmark(path: words[2]).run())
    case "puts" where words.count == 4:
      guard let count = Int(words[4]) else { fail("not a number: \(words[4])") }
      report(try PutBenchmark(path: words[2], folder: words[3], count: count).run())
    case "pages" where words.count == 3:
      report(try PageBenchmark(path: words[2], folder: words[3]).run())
    default:
      fail("usage: tote-bench json FILE | puts FILE FOLDER N | pages FILE FOLDER")
    }
  }

  private static func report(_ figures: [(String, Double)]) {
    let members = figures.map { "\"\($0.0)\":\($0.1)" }
    print("{\(members.joined(separator: ","))}")
  }

  private static func fail(_ text: String) -> Never {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
    exit(64)
  }
}

/// Interleaved rounds of several loops: every loop runs once a round, so that a slow spell of the
/// machine meets all of them.
struct Rounds {
  private var seconds: [String: [Double]] = [:]
  private var order: [String] = []

  /// Times one loop.
  mutating func time(_ name: String, _ body: () throws -> Void) rethrows {
    let start = ContinuousClock.now
    try body()
    add(name, ContinuousClock.now - start)
  }

  private mutating func add(_ name: String, _ duration: Duration) {
    if seconds[name] == nil { order.append(name) }
    seconds[name, default: []].append(duration / .seconds(1))
  }

  /// For each loop `name.best` and `name.median`: how much work it did a second.
  func rates(of work: Double) -> [(String, Double)] {
    order.flatMap { name -> [(String, Double)] in
      let sorted = (seconds[name] ?? []).sorted()
      guard let best = sorted.first else { return [] }
      return [("\(name).best", work / best), ("\(name).median", work / sorted[sorted.count / 2])]
    }
  }
}
