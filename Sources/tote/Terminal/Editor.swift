import Glibc

/// Lets a person change text in the editor of their choice.
struct Editor: Sendable {
  /// The editor's command line: `VISUAL`, then `EDITOR`, then `vi`.
  let command: String

  init(environment: Environment) {
    command = environment.nonEmpty("VISUAL") ?? environment.nonEmpty("EDITOR") ?? "vi"
  }

  /// Opens a file and waits until the editor ends.
  ///
  /// - Throws: `CommandError` when the editor cannot be started or fails; the file stays, and the
  ///   message names it.
  func open(_ path: String) throws(CommandError) {
    guard let child = ChildProcess.start(command: command, arguments: [path]) else {
      throw CommandError(.failed, "failed", "cannot start the editor '\(command)'")
    }
    let ending = SignalWatch.withForegroundChild { child.wait() }
    guard ending == .exited(0) else {
      throw CommandError(
        .failed, "failed", "the editor '\(command)' failed; nothing was saved",
        hint: "your text is in \(path)")
    }
  }
}

/// A private file that lives while a person edits it.
struct DraftFile: Sendable {
  let path: String

  /// Creates a draft that only its owner can read.
  ///
  /// - Parameters:
  ///   - suffix: the end of its name, so that editors know the kind of text.
  ///   - bytes: what it holds.
  ///   - environment: names the folder for temporary files.
  /// - Throws: `CommandError` when the file cannot be created or written.
  init(suffix: String, bytes: [UInt8], environment: Environment) throws(CommandError) {
    let folder = environment.nonEmpty("TMPDIR") ?? "/tmp"
    var template = Array("\(folder)/tote-XXXXXX\(suffix)".utf8CString)
    let descriptor = mkstemps(&template, Int32(suffix.utf8.count))
    guard descriptor >= 0 else {
      throw CommandError(
        .cannotCreate, "cannot_create",
        "cannot create a draft in '\(folder)': \(systemMessage(errno))")
    }
    closeOnExec(descriptor)
    defer { close(descriptor) }
    path = template.withUnsafeBufferPointer { buffer in
      String(decoding: buffer.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    try DraftFile.fill(descriptor, bytes)
  }

  /// Replaces what the draft holds.
  func write(_ bytes: [UInt8]) throws(CommandError) {
    let descriptor = Glibc.open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw CommandError(.inputOutput, "io", "cannot write '\(path)': \(systemMessage(errno))")
    }
    defer { close(descriptor) }
    try DraftFile.fill(descriptor, bytes)
  }

  /// Removes the draft.
  func remove() { unlink(path) }

  private static func fill(_ descriptor: Int32, _ bytes: [UInt8]) throws(CommandError) {
    if case .failed(let code)? = bytes.withUnsafeBytes({ writeAll($0, to: descriptor) }) {
      throw CommandError(.inputOutput, "io", "cannot write the draft: \(systemMessage(code))")
    }
  }
}
