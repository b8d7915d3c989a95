import Core
import Glibc
import Photos

/// Draws JPEG pictures on the terminal that results go to.
///
/// ```swift
/// if let painter = try context.picturePainter() {
///   let refusal = try painter.draw(.bytes(thumbnail), in: .small)
/// }
/// ```
/// Decoding blocks for some 5 ms a megapixel: call it where that holds nobody up.
struct PicturePainter: Sendable {
  /// The terminal.
  let terminal: PictureTerminal
  private let output: OutputWriter

  /// The limits for a picture that is only looked at.
  private static let options: PhotoOptions = {
    var options = PhotoOptions()
    options.damage = .anything
    options.limits.time = .seconds(10)
    return options
  }()

  init(_ terminal: PictureTerminal, output: OutputWriter) {
    self.terminal = terminal
    self.output = output
  }

  /// Draws a picture at the left edge and goes to the line below it.
  ///
  /// - Parameters:
  ///   - source: a JPEG file.
  ///   - box: the cells it may take; less where the terminal has fewer.
  /// - Returns: why the file cannot be shown, or nil when it was.
  /// - Throws: what writing met.
  @discardableResult
  func draw(_ source: PhotoSource, in box: PictureBox) throws(OutputError) -> PhotoRefusal? {
    let picture: PhotoPreview
    do throws(PhotoRefusal) {
      picture = try PhotoPipeline.preview(of: source, Self.options) {
        terminal.pixels(width: $0, height: $1, in: box)
      }
    } catch {
      return error
    }
    try draw(picture)
    return nil
  }

  /// Draws pixels at the left edge and goes to the line below them.
  func draw(_ picture: PhotoPreview) throws(OutputError) {
    switch terminal.language {
    case .kitty:
      try output.write(PictureKitty.encoded(picture, cell: terminal.cell) + [0x0A])
    case .sixel(let colours):
      try output.write(PictureSixel.encoded(picture, colours: colours) + [0x0A])
    case .blocks(let colours):
      for line in PictureBlocks.lines(picture, colours, isUTF8: terminal.isUTF8) {
        try output.writeLine(line)
      }
    }
  }
}

extension Context {
  /// Gets what draws pictures among the results, and says so when nothing can.
  ///
  /// Call it once in a command: it asks the terminal.
  ///
  /// - Returns: nil in the JSON modes, and where there is no terminal or no colour.
  /// - Throws: what writing met.
  func picturePainter() throws(OutputError) -> PicturePainter? {
    guard mode == .human else { return nil }
    let traits = streams.outputTraits
    try streams.output.flush()
    let answers =
      traits.isTerminal && traits.color && streams.input.isTerminal
      ? TerminalQuery.ask(
        input: streams.input.fileDescriptor, output: STDOUT_FILENO, environment) : nil
    guard let language = PictureTerminal.decide(traits, environment, answers) else {
      try note(
        traits.isTerminal
          ? "no pictures: colour is off, so that they cannot be shown"
          : "no pictures: the output is no terminal")
      return nil
    }
    let terminal = PictureTerminal(
      language: language,
      cell: terminalCellSize(STDOUT_FILENO) ?? answers?.cell ?? .usual, columns: traits.width,
      rows: traits.height, isUTF8: traits.isUTF8)
    return PicturePainter(terminal, output: streams.output)
  }
}
