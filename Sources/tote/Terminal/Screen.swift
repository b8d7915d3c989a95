import Core

/// What a person sees results on: a terminal, or a pipe to another program.
struct Screen: Sendable {
  /// Where the text goes.
  let output: OutputWriter
  /// What is known about it.
  let traits: Streams.Traits
  /// Dates for people.
  let dates: HumanDate
  /// The present moment.
  let now: Instant
  /// The person's zone.
  let zone: LocalZone

  /// Whether a person looks on.
  var isTerminal: Bool { traits.isTerminal }

  /// The looks text may have here.
  var style: Style { Style(isEnabled: traits.color) }

  /// Writes a line of the program's own words, with looks already applied.
  func line(_ text: String) throws(OutputError) { try output.writeLine(text) }

  /// Writes text that comes from data; on a terminal nothing in it can move the cursor.
  func data(_ text: String) throws(OutputError) {
    try output.writeLine(isTerminal ? Sanitizer.terminalSafe(text, keepsLines: true) : text)
  }

  /// Data as part of a line: escaped on a terminal, as it is elsewhere.
  func safe(_ text: String) -> String { isTerminal ? Sanitizer.terminalSafe(text) : text }

  /// Writes names and values, the values aligned on a terminal, separated by tabs elsewhere.
  func pairs(_ pairs: [(name: String, value: String)]) throws(OutputError) {
    let width = pairs.map { Cells.width(of: $0.name) }.max() ?? 0
    for pair in pairs {
      guard isTerminal else {
        try output.writeLine(Table.plainLine(of: [Cell(pair.name), Cell(pair.value)]))
        continue
      }
      let gap = Cells.padding(for: pair.name, to: width) + "  "
      try output.writeLine(style.apply(.dim, to: pair.name) + gap + safe(pair.value))
    }
  }

  /// Writes rows as a table.
  func table(_ columns: [Column], _ rows: [[Cell]], withHeader: Bool = true) throws(OutputError) {
    guard isTerminal else {
      for row in rows { try output.writeLine(Table.plainLine(of: row)) }
      return
    }
    for line in Table(columns: columns, traits: traits).lines(of: rows, withHeader: withHeader) {
      try output.writeLine(line)
    }
  }
}

/// Bytes as people read them: `512 B`, `1.5 MiB`.
func humanSize(_ bytes: Int) -> String {
  guard bytes >= 1024 else { return "\(bytes) B" }
  var value = Double(bytes)
  for unit in ["KiB", "MiB", "GiB", "TiB", "PiB"] {
    value /= 1024
    // 1023.95 would round up to 1024.0, which the next unit says better.
    guard value >= 1023.95 else {
      let tenths = Int((value * 10).rounded())
      return "\(tenths / 10).\(tenths % 10) \(unit)"
    }
  }
  return "\(bytes) B"
}
