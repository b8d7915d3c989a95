import ArgumentParser
import Core

/// `tote store rekey`.
struct StoreRekey: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "rekey", abstract: "change the passphrase of an encrypted store",
    discussion: """
      The database is encrypted anew, with another salt and other keys; of the attachments only \
      their wrapped keys are written anew. The way is that of 'tote store encrypt'. Whoever has a \
      copy of the store as it was, and the old passphrase, can still read that copy.

      The present passphrase is found as for every command; the new one is asked for twice, or taken \
      from '--new-passphrase-file' or '--new-key-file'.
      """)

  static let examples = [
    Example("tote store rekey diary", "ask for the old and the new passphrase"),
    Example(
      "tote store rekey diary --key-file old.key --new-key-file new.key", "without questions"),
  ]

  static let outputKeys = KeyChangeResult.outputKeys
  static let exitCodes = ExitClass.documented(
    .usage, .invalidInput, .notFound, .inputOutput, .conflict, .notPermitted)
  static let seeAlso = ["tote store encrypt", "tote store unlock"]

  @OptionGroup var global: GlobalOptions

  @Option(
    help: ArgumentHelp("read the new passphrase from FILE", valueName: "FILE"),
    completion: .file())
  var newPassphraseFile: String?

  @Option(
    help: ArgumentHelp(
      "read the new key from FILE: 32 bytes, or 64 hexadecimal digits", valueName: "FILE"),
    completion: .file())
  var newKeyFile: String?

  @Argument(help: .store, completion: .storeNames)
  var store: String

  func validate() throws {
    if newPassphraseFile != nil && newKeyFile != nil {
      throw ValidationError.exclusive("--new-passphrase-file", "--new-key-file")
    }
  }

  func run(in context: Context) async throws {
    let stores = try context.stores()
    guard stores.contains(store) else { throw context.storeNotFound(store) }
    let key = try context.newKey(
      passphraseFile: newPassphraseFile, keyFile: newKeyFile, for: store)
    let report = try stores.changeKey(of: store, to: key, progress: context.showKeyChange)
    try KeyChangeResult(store: store, isEncrypted: true, report: report)
      .show(in: context, "changed the key of store '\(store)'")
  }
}
