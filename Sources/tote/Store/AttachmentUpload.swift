import Core

/// Copies a file into a store's attachments, piece by piece.
struct AttachmentUpload {
  private static let pieceSize = 1 << 20

  let store: any DocumentStore
  let context: Context

  /// Copies a file; no document names it yet.
  ///
  /// - Parameters:
  ///   - path: the file, or `-` for standard input.
  ///   - name: the attachment's name; nil for the file's.
  ///   - type: its media type; nil to find it out.
  /// - Returns: the attachment to put into a document.
  /// - Throws: `InputError` when the file cannot be read, or what the store says.
  func stage(_ path: String, name: String?, type: String?) throws -> Attachment {
    guard path != "-" else {
      let input = context.streams.input
      if input.isTerminal { try context.note("reading from the terminal, Ctrl-D ends") }
      return try copy(as: name ?? path, type: type) { buffer in try input.read(into: buffer) }
    }
    let file = try InputFile(path: path)
    let attachmentName = try name ?? Self.name(of: path)
    return try copy(as: attachmentName, type: type) { buffer in try file.read(into: buffer) }
  }

  private func copy(
    as name: String, type: String?, from read: (UnsafeMutableRawBufferPointer) throws -> Int
  ) throws -> Attachment {
    let writer = try store.makeAttachment()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
    defer { buffer.deallocate() }
    var head: [UInt8] = []
    var total = 0
    while true {
      let count = try read(buffer)
      if count == 0 { break }
      let piece = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      if head.count < FileType.headSize { head += piece.prefix(FileType.headSize - head.count) }
      try writer.append(piece)
      total += count
      try Task.checkCancellation()
      context.progress.update { "copying '\(name)': \(humanSize(total))" }
    }
    context.progress.clear()
    let staged = try writer.finish()
    return Attachment(
      name: name, contentType: type ?? FileType.guess(name: name, head: head),
      digest: staged.digest, length: staged.length, content: .staged(staged))
  }

  private static func name(of path: String) throws -> String {
    let name = String(path.split(separator: "/").last ?? "")
    guard !name.isEmpty, name.utf8.first != UInt8(ascii: "_") else {
      throw CommandError.invalidInput(
        "'\(path)' cannot name an attachment: names must not begin with '_'",
        hint: "give another with '--name'")
    }
    return name
  }
}
