import Core

/// Prints documents one after the other, straight from their stored text.
///
/// On a terminal they are laid out and coloured; in a pipe each is one line. With `--json` a single
/// document is the whole answer and several are an array.
final class DocumentWriter {
  private let context: Context
  private var array: ArrayStream?
  private var count = 0

  /// Starts.
  ///
  /// - Parameters:
  ///   - context: where documents are printed.
  ///   - isList: whether the answer is an array of any number of documents, rather than the one.
  init(_ context: Context, isList: Bool) {
    self.context = context
    array = context.mode == .json && isList ? ArrayStream(context) : nil
  }

  /// Prints a document, or another JSON value in its place.
  ///
  /// - Parameter bytes: one JSON value in compact form.
  /// - Throws: `OutputError` when it cannot be written.
  func add(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try add($0) } }

  /// Prints a document, or another JSON value in its place.
  ///
  /// - Parameter bytes: one JSON value in compact form.
  /// - Throws: `OutputError` when it cannot be written.
  func add(_ bytes: UnsafeRawBufferPointer) throws {
    defer { count += 1 }
    if array != nil {
      try array?.add(bytes)
    } else if context.mode == .jsonLines || !context.streams.outputTraits.isTerminal {
      try context.streams.output.write(bytes)
      try context.streams.output.write("\n")
    } else if context.mode == .json {
      try context.emit(json: try JSON(parsing: bytes))
    } else {
      if count > 0 { try context.streams.output.write("\n") }
      let painter = JSONPainter(style: context.streams.outputStyle)
      try context.streams.output.writeLine(painter.text(try JSON(parsing: bytes)))
    }
  }

  /// Ends the answer.
  func finish() throws(OutputError) { try array?.finish() }
}
