import ArgumentParser

/// The options every command accepts, before or after the subcommand's name.
struct GlobalOptions: InheritedOptions, EnvironmentDefaults, Sendable {
  static var environment: [String: String] { ["home": "TOTE_HOME"] }

  @Option(
    help: ArgumentHelp("the folder that holds the stores", valueName: "DIR"),
    completion: .directory)
  var home: String?

  @Option(
    help: ArgumentHelp(
      "read the passphrase of encrypted stores from FILE ('-': standard input)", valueName: "FILE"),
    completion: .file())
  var passphraseFile: String?

  @Option(
    help: ArgumentHelp(
      "read the key of encrypted stores from FILE: 32 bytes, or 64 hexadecimal digits",
      valueName: "FILE"),
    completion: .file())
  var keyFile: String?

  @Flag(name: .shortAndLong, help: "print the result as one JSON document")
  var json = false

  @Flag(name: .customLong("jsonl"), help: "print the result as one JSON object a line")
  var jsonLines = false

  @Flag(name: .shortAndLong, help: "leave out notes and progress")
  var quiet = false

  @Flag(name: .shortAndLong, help: "tell more on standard error; may be repeated")
  var verbose: Int

  @Option(help: ArgumentHelp("when to use colour", valueName: "WHEN"))
  var color: ColorChoice = .auto

  @Flag(name: .customLong("no-input"), help: "never ask; fail where a question would be needed")
  var noInput = false

  init() {}

  mutating func validate() throws {
    if json && jsonLines { throw ValidationError.exclusive("--json", "--jsonl") }
    if passphraseFile != nil && keyFile != nil {
      throw ValidationError.exclusive("--passphrase-file", "--key-file")
    }
  }
}

extension ColorChoice: ExpressibleByArgument {}
