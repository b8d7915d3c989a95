import ArgumentParser
import Core

/// `tote store encrypt`.
struct StoreEncrypt: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "encrypt", abstract: "encrypt a store in place",
    discussion: """
      The database becomes one that SQLCipher 4 opens with the same passphrase; attachments are \
      encrypted too. The passphrase is asked for twice, or taken from '--passphrase-file', \
      '--key-file' or TOTE_PASSPHRASE. Without it nobody can read the store again.

      A copy is made, checked, and takes the store's place in one step; the disk must hold both for \
      that time, and nobody else may use the store. Interrupted, the command can be repeated, and \
      goes on where it was. The plain files are overwritten and removed afterwards; flash disks and \
      file systems that copy on write may keep what was overwritten.
      """)

  static let examples = [
    Example("tote store encrypt diary", "ask for the passphrase, and encrypt"),
    Example("tote store encrypt diary --key-file diary.key", "with a key of 32 random bytes"),
  ]

  static let outputKeys = KeyChangeResult.outputKeys
  static let exitCodes = ExitClass.documented(
    .usage, .invalidInput, .notFound, .inputOutput, .conflict)
  static let seeAlso = ["tote store decrypt", "tote store rekey", "tote store unlock"]

  @OptionGroup var global: GlobalOptions

  @Argument(help: .store, completion: .storeNames)
  var store: String

  func run(in context: Context) async throws {
    let stores = try context.stores()
    guard stores.contains(store) else { throw context.storeNotFound(store) }
    let report = try stores.encrypt(
      store, with: context.newKey(for: store), progress: context.showKeyChange)
    try KeyChangeResult(store: store, isEncrypted: true, report: report)
      .show(in: context, "encrypted store '\(store)'")
  }
}
