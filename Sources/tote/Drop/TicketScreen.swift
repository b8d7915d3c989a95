import Core
import Drop
import HTTP

/// Shows a ticket: its text, its code where that fits, and a picture of it in a file.
struct TicketScreen {
  let context: Context
  let shape: QRShape
  let draws: Bool

  /// Lines below a code: what the program does now, and where the cursor is.
  private static let linesBelow = 2

  /// Writes text and code to a stream of results or, where those are for a script, of messages.
  ///
  /// - Parameters:
  ///   - text: what the code holds.
  ///   - output: where it is shown.
  ///   - traits: of that.
  ///   - notes: says what is to be said of the text. The code comes after that, for in a small window
  ///     what follows it would push its top out of sight.
  /// - Throws: what writing does.
  func show(
    _ text: String, on output: OutputWriter, traits: Streams.Traits, notes: () throws -> Void = {}
  ) throws {
    try output.writeLine(text)
    try output.flush()
    try notes()
    if draws, traits.isTerminal {
      if traits.color {
        try draw(text, on: output, traits)
      } else {
        try context.note("no code is drawn without colour: scanners could not read it")
      }
      try output.flush()
    }
  }

  private func draw(
    _ text: String, on output: OutputWriter, _ traits: Streams.Traits
  ) throws {
    do {
      let fitting = try QRCode.fitting(
        text, columns: traits.width, rows: traits.height - Self.linesBelow, shape: shape)
      guard let fitting else {
        let size = try QRCode.smallestSize(text, shape: shape)
        let rows = size.rows + Self.linesBelow
        return try context.note(
          "the code needs \(size.columns) columns and \(rows) lines, and this window has "
            + "\(traits.width) and \(traits.height): make it larger, or give '--qr-file code.png'")
      }
      for line in fitting.lines { try output.writeLine(line) }
    } catch let fault as QRCode.Fault {
      try context.note("no code is drawn: \(Self.reason(fault))")
    }
  }

  /// Writes the code to a picture, for its owner only: the ticket is a secret.
  ///
  /// - Throws: `CommandError` when it cannot be made or written.
  static func write(_ text: String, to path: String) throws {
    let bytes: [UInt8]
    do {
      let code = try QRCode(text)
      if path.hasSuffix(".svg") {
        bytes = Array(code.svg.utf8)
      } else if let png = code.png() {
        bytes = png
      } else {
        throw CommandError(
          .configuration, "config", "zlib is not installed",
          hint: "install the package zlib1g, or write an .svg")
      }
    } catch let fault as QRCode.Fault {
      throw CommandError(
        .configuration, "config", "the code cannot be made: \(reason(fault))",
        hint: "leave out '--qr-file' and use the ticket as text")
    }
    let file = try OutputFile(path: path, mode: 0o600)
    try file.write(bytes)
    try file.commit()
  }

  private static func reason(_ fault: QRCode.Fault) -> String {
    switch fault {
    case .libraryMissing: "libqrencode is not installed (package libqrencode4)"
    case .tooLong: "the ticket is too long for one"
    case .outOfMemory: "there is too little memory"
    }
  }
}

extension TLSPin {
  /// The first bytes as a browser's view of a certificate shows them: what a person compares.
  var beginning: String {
    digest.prefix(8).map { hexadecimal([$0]).uppercased() }.joined(separator: " ")
  }
}
