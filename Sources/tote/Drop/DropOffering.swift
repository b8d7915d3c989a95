import Core
import Drop
import HTTP

/// A run of `drop send --offer`: shows a code, and serves the files until it ends.
struct DropOffering {
  private let command: DropSend
  private let context: Context

  private static let drainSeconds = 8

  init(_ command: DropSend, in context: Context) {
    self.command = command
    self.context = context
  }

  func run() async throws {
    SignalWatch.allowDraining(seconds: Self.drainSeconds, endsNormally: true)
    let gathering = try DropSending.gather(command.inputs, stripping: command.stripLocation)
    let teller = DropSendTeller(context)
    try teller.tell(gathering)
    guard !gathering.files.isEmpty else {
      throw CommandError(.notFound, "not_found", "none of the files can be offered")
    }
    let (offer, notes) = try start(gathering.files)
    do {
      try announce(offer, gathering, notes)
    } catch {
      await offer.stop()
      throw error
    }
    try await follow(offer)
    try finish(offer, gathering)
  }

  // MARK: Starting

  private func start(_ files: [OutgoingFile]) throws -> (DropOffer, [String]) {
    let all = HostAddresses.all()
    // Without encryption nothing is offered to the whole internet.
    let usable = command.phone ? all.filter { $0.reach != .global } : all
    let addresses = try ReceiveAddresses(bind: command.bind, from: usable)
    var options = DropOffer.Options(addresses: addresses.listening)
    options.advertised = addresses.advertised
    options.port = command.port
    options.isPlain = command.phone
    options.count = command.count
    options.timeout = .seconds(command.timeout.seconds)
    options.name = command.name ?? machineName()
    do throws(HTTPError) {
      let offer = try DropOffer(files, options)
      return (offer, addresses.notes)
    } catch {
      throw CommandError.cannotListen(error, taken: "leave out '--port' for a free one") ?? error
    }
  }

  // MARK: Saying so

  private func announce(
    _ offer: DropOffer, _ gathering: FileGathering, _ notes: [String]
  ) throws {
    let streams = context.streams
    let screen = TicketScreen(context: context, shape: .half, draws: !command.noQr)
    switch context.mode {
    case .jsonLines:
      streams.output.flushEachWrite()
      try context.emit(json: [
        "event": "offering", "url": .string(offer.url),
        "files": .integer(Int64(gathering.files.count)),
        "bytes": .integer(gathering.files.reduce(0) { $0 + $1.size }),
        "pin": offer.pin.map { .string($0.description) } ?? .null,
      ])
    case .json: try screen.show(offer.url, on: streams.error, traits: streams.errorTraits)
    case .human:
      streams.output.flushEachWrite()
      try screen.show(offer.url, on: streams.output, traits: streams.outputTraits) {
        try explain(offer, notes)
      }
      try context.note("offering \(counted(gathering.files.count, "file")); Ctrl-C ends it")
    }
  }

  private func explain(_ offer: DropOffer, _ notes: [String]) throws {
    for note in notes { try context.note(note) }
    if let pin = offer.pin {
      try context.note(
        "the browser warns once of the certificate, whose key begins with \(pin.beginning): choose to go "
          + "on")
    } else {
      try context.note(
        "what is fetched goes NOT ENCRYPTED: whoever is in this network can read along")
    }
  }

  // MARK: Following

  private func follow(_ offer: DropOffer) async throws {
    let context = context
    // A task of its own: one that a signal has cancelled would not hear the last events.
    let events = Task {
      do {
        for await event in offer.events { try Self.tell(event, context) }
      } catch {
        await offer.stop()
        throw error
      }
    }
    try await withTaskCancellationHandler {
      try await events.value
    } onCancel: {
      Task { await offer.stop() }
    }
    await Task { await offer.stop() }.value
  }

  private static func tell(_ event: DropOffer.Event, _ context: Context) throws {
    let (word, file, address, failure): (String, OutgoingFile?, String?, FileFailure?) =
      switch event {
      case .started(let file, let address): ("fetching", file, address, nil)
      case .downloaded(let file, let address): ("fetched", file, address, nil)
      case .failed(let file, let failure): ("failed", file, nil, failure)
      case .cutOff(let address): ("cut_off", nil, address, nil)
      }
    guard context.mode == .human else {
      guard context.mode == .jsonLines else { return }
      return try context.emit(json: [
        "event": .string(word), "file": file.map { .string($0.label) } ?? .null,
        "address": address.map { .string($0) } ?? .null,
        "code": failure.map { .string($0.code.rawValue) } ?? .null,
        "reason": failure.map { .string($0.message) } ?? .null,
      ])
    }
    let name = file.map { "'\($0.label)'" } ?? ""
    switch event {
    case .started: try context.step("\(address ?? "") fetches \(name)")
    case .downloaded: try context.note("\(address ?? "") has fetched \(name)")
    case .failed:
      try context.streams.error.writeLine(
        "tote: " + context.safeForErrors("\(name) cannot be fetched: \(failure?.message ?? "")"))
    case .cutOff:
      try context.note("\(address ?? "") guessed at the address and is not listened to any more")
    }
  }

  // MARK: The end

  private func finish(_ offer: DropOffer, _ gathering: FileGathering) throws {
    let downloads = offer.downloads
    if context.mode == .human {
      try context.note("\(counted(downloads, "file")) fetched")
    } else {
      var result: JSONObject = [
        "ok": .bool(gathering.failures.isEmpty), "url": .string(offer.url),
        "downloads": .integer(Int64(downloads)),
        "files": .array(
          gathering.files.map { ["file": .string($0.label), "size": .integer($0.size)] }),
        "skipped": .array(
          gathering.skipped.map { ["file": .string($0.label), "reason": .string($0.reason)] }),
      ]
      if context.mode == .jsonLines { result["event"] = "done" }
      try context.emit(json: .object(result))
    }
    if downloads == 0, !Task.isCancelled {
      throw CommandError(
        .failed, "nothing_fetched",
        "nothing was fetched within \(command.timeout.defaultValueDescription)")
    }
  }
}
