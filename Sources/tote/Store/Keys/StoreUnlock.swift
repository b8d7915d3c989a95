import ArgumentParser
import Core

/// `tote store unlock`.
struct StoreUnlock: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock", abstract: "let the kernel keep a store's key for a while",
    discussion: """
      Every command and server of yours then opens the store without its passphrase, and at once: \
      deriving the key takes a fifth of a second or more. The key lies in the kernel's keyring, \
      readable by your processes only; it is gone after the time given, with 'tote store lock', and \
      when the machine is turned off. It never lies on a disk.
      """)

  static let examples = [
    Example("tote store unlock diary", "for eight hours"),
    Example("tote store unlock diary --for 30m", "for half an hour"),
  ]

  static let outputKeys = [
    OutputKey("ok", "boolean", "true"), OutputKey("name", "string", "the store"),
    OutputKey("seconds", "integer", "how long the key is kept"),
  ]

  static let exitCodes = ExitClass.documented(
    .usage, .invalidInput, .notFound, .inputOutput, .notPermitted, .configuration)
  static let seeAlso = ["tote store lock", "tote store encrypt"]

  @OptionGroup var global: GlobalOptions

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("how long: a number with s, m, h or d", valueName: "TIME"))
  var time = KeyTime(seconds: 8 * 3_600)

  @Argument(help: .store, completion: .storeNames)
  var store: String

  func run(in context: Context) async throws {
    let stores = try context.stores()
    guard stores.contains(store) else { throw context.storeNotFound(store) }
    try stores.unlock(store, seconds: time.seconds)
    if context.mode != .human {
      try context.emit(
        json: ["ok": true, "name": .string(store), "seconds": .integer(Int64(time.seconds))])
    }
    try context.note("unlocked store '\(store)' for \(time.defaultValueDescription)")
  }
}

/// How long a key is kept: `90s`, `30m`, `8h`, `2d`.
struct KeyTime: ExpressibleByArgument, ExpectedValue, Sendable {
  let seconds: Int

  private static let units: [(letter: Character, seconds: Int)] = [
    ("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1),
  ]

  init(seconds: Int) { self.seconds = seconds }

  init?(argument: String) {
    guard let unit = Self.units.first(where: { $0.letter == argument.last }),
      let number = Int(argument.dropLast()), number > 0, number <= 365 * 86_400 / unit.seconds
    else { return nil }
    seconds = number * unit.seconds
  }

  var defaultValueDescription: String {
    let unit = Self.units.first { seconds % $0.seconds == 0 } ?? ("s", 1)
    return "\(seconds / unit.seconds)\(unit.letter)"
  }

  static var expectedValue: String { "a time such as 30m, 8h or 2d, at most a year" }
}
