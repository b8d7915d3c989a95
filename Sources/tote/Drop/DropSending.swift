import Core
import Drop
import HTTP
import Photos

/// A run of `drop send`: from the words of the command line to what became of each file.
struct DropSending {
  private let command: DropSend
  private let context: Context

  init(_ command: DropSend, in context: Context) {
    self.command = command
    self.context = context
  }

  /// Sends the files and prints the result.
  ///
  /// - Throws: what kept everything from being sent; `CommandError` with status 1 when some failed.
  func run() async throws {
    let source = try DropTicketSource(command.inputs, picture: command.qr, in: context)
    let teller = DropSendTeller(context)
    let gathering = try Self.gather(source.files, stripping: command.stripLocation)
    try teller.tell(gathering)
    guard !gathering.files.isEmpty else { return try finish(gathering, nil) }
    let report = try await send(gathering.files, to: source.ticket, teller)
    context.progress.clear()
    try finish(gathering, report)
  }

  /// Finds the files that were named.
  ///
  /// - Parameters:
  ///   - paths: of files and folders.
  ///   - stripping: whether photos lose their location.
  /// - Returns: them, and what is left out.
  /// - Throws: `CommandError` when nothing was named, or all is empty.
  static func gather(_ paths: [String], stripping: Bool) throws -> FileGathering {
    guard !paths.isEmpty else {
      throw CommandError.usage("name the files and folders to send")
    }
    var gathering = try FileGathering(paths)
    if stripping {
      try gathering.prepare { file throws(FileFailure) in try LocationFilter.strip(&file) }
    }
    guard !gathering.files.isEmpty || !gathering.failures.isEmpty else {
      throw CommandError(.notFound, "not_found", "there are no files in what was named")
    }
    return gathering
  }

  private func send(
    _ files: [OutgoingFile], to ticket: DropTicket, _ teller: DropSendTeller
  ) async throws -> DropSendReport {
    let parent = context.environment.nonEmpty("TMPDIR") ?? "/tmp"
    var options = DropSender.Options(folder: "\(parent)/tote-drop-\(RandomIdentifier.uuid())")
    options.name = command.name ?? machineName()
    // A signal may come while the one-time store is there.
    let folder = options.folder
    let cleanup = Cleanup.add { StoreDirectory(path: folder).removeAll() }
    defer { Cleanup.remove(cleanup) }
    return try await DropSender(files, to: ticket, options: options).run(events: teller.tell)
  }

  private func finish(_ gathering: FileGathering, _ report: DropSendReport?) throws {
    let result = DropSendResult(gathering, report)
    if result.files.count == 1, let failed = gathering.failures.first {
      // A single mistake is told as one, with its own status.
      throw CommandError(
        failed.failure.exitClass, failed.failure.code.rawValue,
        "cannot send '\(failed.label)': \(failed.failure.message)")
    }
    if context.mode == .jsonLines {
      // Each file has its line already.
      try context.emit(json: result.totals)
    } else {
      try context.emit(result)
    }
    guard result.failedCount > 0 else {
      if let stop = report?.stop { throw stop }
      return
    }
    if let stop = report?.stop as? any UserFacing, context.mode == .human {
      try context.streams.error.writeLine("tote: " + context.safeForErrors(stop.message))
    }
    let goesOn = report.map { $0.stop != nil && !$0.hasEnded } ?? false
    throw CommandError(
      .failed, "partial",
      "\(grouped(result.failedCount)) of \(counted(result.files.count, "file")) not sent",
      hint: goesOn ? "the same command goes on where this one ended" : nil,
      details: [("failed", .integer(Int64(result.failedCount)))])
  }
}

extension FileFailure {
  /// The status of a run whose only file fails.
  var exitClass: ExitClass {
    switch code {
    case .notFound: .notFound
    case .forbidden: .notPermitted
    case .io, .noSpace: .inputOutput
    case .unsupported: .invalidInput
    case .changed, .refused, .digest, .unexpected, .notSent: .failed
    }
  }
}

/// This machine's name without its domain.
func machineName() -> String {
  let name = (HostNames.machineName ?? "").prefix { $0 != "." }
  return name.isEmpty ? "tote" : String(name)
}
