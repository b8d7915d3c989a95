import Core
import Drop
import Glibc
import HTTP

/// A run of `drop receive`: from the options to the end of the session.
struct DropReceiving {
  private let command: DropReceive
  private let context: Context
  private let addresses: ReceiveAddresses
  private let teller: ReceiveTeller

  /// How long a run that a signal ends may take to let requests end and to clean up.
  private static let drainSeconds = 8

  init(_ command: DropReceive, in context: Context) throws {
    self.command = command
    self.context = context
    if !command.yes, !context.prompt.canAsk {
      throw CommandError.usage(
        "there is nobody to ask whether files may come", hint: "give '--yes' to take them all")
    }
    addresses = try ReceiveAddresses(bind: command.bind, from: HostAddresses.all())
    teller = ReceiveTeller(context)
    if command.phone, addresses.isPublic {
      throw CommandError.usage(
        "a public address is not served without encryption",
        hint: "name a private one with '--bind', or leave out '--phone'")
    }
  }

  func run() async throws {
    try checkFolder()
    SignalWatch.allowDraining(seconds: Self.drainSeconds, endsNormally: command.keepOpen)
    let receiver = try start()
    // The hidden folder goes even when a second signal does not wait for the rest.
    let cleanup = Cleanup.add { receiver.removeHiddenFolder() }
    defer { Cleanup.remove(cleanup) }
    do {
      try announce(receiver)
    } catch {
      await receiver.stop()
      throw error
    }
    try await follow(receiver)
    try judge(teller.totals)
  }

  // MARK: Starting

  private func checkFolder() throws {
    let folder = command.into
    var status = stat()
    guard stat(folder, &status) == 0 else {
      throw CommandError(
        .notFound, "not_found", "folder '\(folder)' not found",
        hint: "make it with 'mkdir -p', or name another one with '--into'")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw CommandError(.cannotCreate, "cannot_create", "'\(folder)' is not a folder")
    }
    guard !command.force else { return }
    for special in ["/", context.environment.nonEmpty("HOME")].compactMap(\.self) {
      var other = stat()
      guard stat(special, &other) == 0, other.st_dev == status.st_dev,
        other.st_ino == status.st_ino
      else { continue }
      throw CommandError.usage(
        special == "/"
          ? "files are not received into '/' itself"
          : "files are not received into the home folder itself",
        hint: "name a folder with '--into', or give '--force'")
    }
  }

  private func start() throws -> DropReceiver {
    var options = DropReceiver.Options(folder: command.into, addresses: addresses.listening)
    options.name = machineName()
    if addresses.advertised != addresses.listening { options.advertised = addresses.advertised }
    options.port = command.port
    options.count = command.count
    options.timeout = .seconds(command.timeout.seconds)
    options.keepsOpen = command.keepOpen
    options.overwrites = command.overwrite
    options.keepsMode = command.keepMode
    options.allowsDotfiles = command.dotfiles
    options.hasPhone = command.phone
    if !command.yes {
      let teller = teller
      options.ask = { request in await Self.answer(to: request, teller) }
    }
    let receiver: DropReceiver
    do {
      receiver = try DropReceiver(options)
    } catch let error as HTTPError {
      throw CommandError.cannotListen(error, taken: "leave out '--port' for a free one") ?? error
    }
    guard receiver.freeBytes > 0 else {
      receiver.removeHiddenFolder()
      throw StoreError.diskFull(path: command.into)
    }
    return receiver
  }

  /// Asks on a thread of its own: a person may take minutes.
  private static func answer(to request: DropRequest, _ teller: ReceiveTeller) async -> DropDecision
  {
    await withCheckedContinuation { continuation in
      startThread {
        // A terminal that is gone agrees to nothing.
        let decision = try? teller.ask(request)
        continuation.resume(returning: decision ?? .refuse)
      }
    }
  }

  // MARK: Saying so

  private func announce(_ receiver: DropReceiver) throws {
    let ticket = receiver.ticket
    if let path = command.qrFile { try TicketScreen.write(ticket.text, to: path) }
    let streams = context.streams
    let screen = TicketScreen(context: context, shape: command.qr.shape, draws: !command.noQr)
    switch context.mode {
    case .jsonLines:
      streams.output.flushEachWrite()
      try context.emit(json: ReceiveOutput.waiting(ticket, into: command.into))
    case .json:
      // The one document comes at the end, and the ticket is needed now.
      try screen.show(ticket.text, on: streams.error, traits: streams.errorTraits)
    case .human:
      streams.output.flushEachWrite()
      try screen.show(ticket.text, on: streams.output, traits: streams.outputTraits) {
        try explain(ticket)
      }
      try context.note("waiting for files; Ctrl-C ends it")
    }
  }

  private func explain(_ ticket: DropTicket) throws {
    for note in addresses.notes { try context.note(note) }
    if ticket.phone != nil {
      try context.note(
        "a phone that opens this sends NOT ENCRYPTED: whoever is in this network can read along; "
          + "a tote that scans it sends encrypted")
    } else {
      try context.note(
        "a phone's browser warns once of the certificate, whose key begins with \(ticket.pin.beginning): choose to "
          + "go on")
    }
  }

  // MARK: Following

  private func follow(_ receiver: DropReceiver) async throws {
    let teller = teller
    let context = context
    let progress = Task {
      guard context.progress.isEnabled else { return }
      while !Task.isCancelled {
        teller.update(receiver.progress)
        try await Task.sleep(for: .milliseconds(100))
      }
    }
    // A task of its own: one that a signal has cancelled would not hear the last events.
    let events = Task {
      do {
        for await event in receiver.events { try teller.tell(event) }
      } catch {
        await receiver.stop()
        throw error
      }
    }
    defer {
      progress.cancel()
      context.progress.clear()
    }
    try await withTaskCancellationHandler {
      try await events.value
    } onCancel: {
      Task { await receiver.stop() }
    }
  }

  private func judge(_ totals: DropTotals) throws {
    if totals.failed > 0 {
      throw CommandError(
        .failed, "partial", "\(totals.failed) of \(totals.failed + totals.saved) were not received")
    }
    if totals.saved == 0, totals.reason == .expired {
      throw CommandError(
        .failed, "nothing_received",
        "nothing came within \(command.timeout.defaultValueDescription)")
    }
  }
}
