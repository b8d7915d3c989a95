import Core

/// Prints a JSON array element by element, so that a long one needs no memory; alone, or as a member of
/// an object.
///
/// Elements are given as compact text. A pipe gets them as they are; on a terminal they are indented.
struct ArrayStream {
  private let output: OutputWriter
  private let isTerminal: Bool
  private let level: Int
  private var count = 0

  /// Starts an array that is the whole answer.
  init(_ context: Context) {
    output = context.streams.output
    isTerminal = context.streams.outputTraits.isTerminal
    level = 0
  }

  /// Starts an object, writes the members before the array, and starts the array.
  ///
  /// - Parameters:
  ///   - context: where it is printed.
  ///   - head: members before the array.
  ///   - name: the array's name.
  /// - Throws: `OutputError` when it cannot be written.
  init(_ context: Context, head: [(String, JSON)], array name: String) throws(OutputError) {
    output = context.streams.output
    isTerminal = context.streams.outputTraits.isTerminal
    level = 1
    try output.write("{")
    for (key, value) in head { try member(key, value, isFirst: key == head[0].0) }
    if !head.isEmpty { try output.write(",") }
    try output.write(lineBreak(1) + JSON.string(name).serialized() + (isTerminal ? ": " : ":"))
  }

  /// Prints an element.
  mutating func add(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try add($0) } }

  /// Prints an element.
  mutating func add(_ bytes: UnsafeRawBufferPointer) throws {
    try output.write(count == 0 ? "[" : ",")
    count += 1
    guard isTerminal else { return try output.write(bytes) }
    let text = try JSON(parsing: bytes).serialized(.pretty.escapingSeparators)
    let start = lineBreak(level + 1)
    try output.write(start + text.replacing("\n", with: start))
  }

  /// Ends the array, and the object with the members behind it.
  func finish(tail: [(String, JSON)] = []) throws(OutputError) {
    try output.write(count == 0 ? "[]" : lineBreak(level) + "]")
    if level == 1 {
      for (key, value) in tail { try member(key, value, isFirst: false) }
      try output.write(lineBreak(0) + "}")
    }
    try output.write("\n")
  }

  private func member(_ key: String, _ value: JSON, isFirst: Bool) throws(OutputError) {
    let style = isTerminal ? JSONStyle.pretty : .compact
    let text = value.serialized(style.escapingSeparators).replacing("\n", with: lineBreak(1))
    try output.write(
      (isFirst ? "" : ",") + lineBreak(1) + JSON.string(key).serialized()
        + (isTerminal ? ": " : ":") + text)
  }

  private func lineBreak(_ level: Int) -> String {
    isTerminal ? "\n" + String(repeating: "  ", count: level) : ""
  }
}
