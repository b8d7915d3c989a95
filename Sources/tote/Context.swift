import Core
import Glibc
import Sync

/// Everything a command may know of the world: streams, clock, zone, environment, folders, and how to
/// answer.
///
/// Nothing is global: tests make a context of buffers and a clock that stands.
struct Context: Sendable {
  /// The standard streams.
  let streams: Streams
  /// The environment variables.
  let environment: Environment
  /// The zone of the person's clock.
  let zone: LocalZone
  /// The form results are printed in.
  let mode: OutputMode
  /// Whether notes and progress are left out.
  let isQuiet: Bool
  /// How much is told on stderr: 0 nothing, 1 steps, 2 requests, 3 SQL.
  let verbosity: Int
  /// The folders of the person's files.
  let paths: Paths
  /// Questions to the person.
  let prompt: Prompt
  /// The line that says how far long work is.
  let progress: ProgressLine
  /// Opens databases on servers.
  let opener: RemoteOpener
  /// The keys of encrypted stores.
  let keys: PersonalKeys

  fileprivate let clock: @Sendable () -> Instant

  init(
    streams: Streams, environment: Environment, options: GlobalOptions,
    zone: LocalZone = .system, clock: @escaping @Sendable () -> Instant
  ) {
    self.streams = streams
    self.environment = environment
    self.zone = zone
    self.clock = clock
    opener = RemoteOpener(
      environment: environment.proxies,
      temporaryFolder: environment.nonEmpty("TMPDIR") ?? "/tmp")
    mode = OutputMode(options)
    isQuiet = options.quiet
    verbosity = options.verbose
    paths = Paths(home: options.home, environment: environment)
    prompt = Prompt(streams: streams, isForbidden: options.noInput)
    keys = PersonalKeys(
      options: options, environment: environment, streams: streams, prompt: prompt)
    progress = ProgressLine(
      descriptor: STDERR_FILENO, width: streams.errorTraits.width,
      isEnabled: streams.errorTraits.isTerminal && !options.quiet && mode == .human)
    streams.output.clears(progress)
    streams.error.clears(progress)
  }

  /// The context of the running process.
  static func process(options: GlobalOptions, environment: Environment = .process) -> Context {
    Context(
      streams: .process(environment: environment, color: options.color), environment: environment,
      options: options, clock: { systemNow(environment) })
  }

  /// The present moment.
  var now: Instant { clock() }

  /// The dates people write.
  var whenParser: WhenParser { WhenParser(now: now, zone: zone) }

  /// The folder of the person's stores.
  ///
  /// - Throws: `CommandError` with status 78 when nothing says where it is.
  func stores() throws -> StoreDirectory {
    StoreDirectory(path: try paths.stores(), keys: keys)
  }

  /// The folder of the person's stores, with the keys that nobody need be asked for: for what looks
  /// at every store, and for servers.
  func storesWithoutAsking() throws -> StoreDirectory {
    StoreDirectory(path: try paths.stores(), keys: SilentKeys(keys: keys))
  }

  /// Opens a store by the name a person gave.
  ///
  /// - Parameter name: a local store's name.
  /// - Returns: the open store.
  /// - Throws: `StoreError`, or `CommandError` when the name is a server's address.
  func openStore(_ name: String) throws -> LocalStore {
    if isURL(name) {
      throw CommandError.usage(
        "this works on the files of a store, and '\(name)' is on a server",
        hint: "pull it into a store of this machine: 'tote sync pull NAME URL --create'")
    }
    let store = try stores().open(name)
    try warn(about: store)
    return store
  }

  /// Tells what a person should know of an encrypted store that was opened.
  func warn(about store: LocalStore) throws {
    if store.hasInterruptedKeyChange {
      try warn(
        "interrupted",
        "a change of the key of store '\(store.name)' was interrupted; run the command again")
    }
    if let record = try store.cutLogRecord() {
      try warn(
        "cut_log",
        "the log of store '\(store.name)' ends in a record that cannot be read (\(record)); changes "
          + "after it, if there were any, are lost")
    }
  }

  /// What people see results on.
  var screen: Screen {
    Screen(
      output: streams.output, traits: streams.outputTraits,
      dates: HumanDate(now: now, zone: zone), now: now, zone: zone)
  }

  // MARK: Messages

  /// Says on stderr what was done, unless `--quiet` or a JSON mode makes that noise.
  func note(_ text: String) throws(OutputError) {
    guard !isQuiet, mode == .human else { return }
    try streams.error.writeLine(messageText(text))
  }

  /// Tells a step on stderr, if as much was asked for by `-v`.
  func step(_ text: @autoclosure () -> String, level: Int = 1) throws(OutputError) {
    guard verbosity >= level else { return }
    try streams.error.writeLine(messageText(text()))
  }

  /// Warns on stderr: a line of text, or an object in the JSON modes.
  func warn(_ code: String, _ message: String) throws(OutputError) {
    guard mode == .human else {
      let warning: JSON = ["warning": ["code": .string(code), "message": .string(message)]]
      return try streams.error.writeLine(warning.serialized(.compact.escapingSeparators))
    }
    let label = streams.errorStyle.apply(.yellow, to: "warning:")
    try streams.error.writeLine("tote: \(label) \(messageText(message))")
  }

  private func messageText(_ text: String) -> String {
    streams.errorTraits.isTerminal ? Sanitizer.terminalSafe(text, keepsLines: true) : text
  }
}

/// The system's clock; `TOTE_NOW` stands in for it, so that examples and tests are reproducible.
private func systemNow(_ environment: Environment) -> Instant {
  if let text = environment.nonEmpty("TOTE_NOW"), let moment = Instant(rfc3339: text) {
    return moment
  }
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return Instant(seconds: Int64(time.tv_sec), nanoseconds: Int(time.tv_nsec))
}

extension Context {
  /// Runs `body` with a context whose human output goes through the pager when it fills more than a
  /// screen; elsewhere nothing is different.
  ///
  /// - Parameter body: prints the result; it is not shown before all of it is there.
  /// - Throws: what `body` throws, or an output error.
  func paged(_ body: (Context) async throws -> Void) async throws {
    guard mode == .human, streams.outputTraits.isTerminal,
      Pager.command(environment) != nil
    else { return try await body(self) }
    let memory = OutputWriter()
    let inner = Context(copying: self, streams: streams.with(output: memory))
    try await body(inner)
    try Pager.show(memory.written, streams: streams, environment: environment)
  }

  private init(copying other: Context, streams: Streams) {
    self.streams = streams
    environment = other.environment
    zone = other.zone
    mode = other.mode
    isQuiet = other.isQuiet
    verbosity = other.verbosity
    paths = other.paths
    prompt = other.prompt
    progress = other.progress
    opener = other.opener
    keys = other.keys
    clock = other.clock
  }
}

extension Context {
  /// The IANA name of the person's zone, or `nil` when the system does not tell one.
  var zoneName: String? {
    if let identifier = zone.identifier { return LocalZone(named: identifier)?.identifier }
    if let variable = environment.nonEmpty("TZ") {
      let name = variable.hasPrefix(":") ? String(variable.dropFirst()) : variable
      return name.contains("/") && LocalZone(named: name) != nil ? name : nil
    }
    guard let link = realpath("/etc/localtime", nil) else { return nil }
    defer { free(link) }
    let path = String(cString: link)
    guard let range = path.firstRange(of: "/zoneinfo/") else { return nil }
    return String(path[range.upperBound...])
  }
}
