import ArgumentParser
import Core

/// `tote store decrypt`.
struct StoreDecrypt: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "decrypt", abstract: "make an encrypted store a plain one",
    discussion: """
      Everything in the store lies unencrypted on the disk afterwards. The way is that of 'tote \
      store encrypt': a copy, checked, takes the store's place in one step.
      """)

  static let examples = [Example("tote store decrypt diary", "ask for the passphrase, and decrypt")]

  static let outputKeys = KeyChangeResult.outputKeys
  static let exitCodes = ExitClass.documented(
    .usage, .invalidInput, .notFound, .inputOutput, .conflict, .notPermitted)
  static let seeAlso = ["tote store encrypt"]

  @OptionGroup var global: GlobalOptions

  @Argument(help: .store, completion: .storeNames)
  var store: String

  func run(in context: Context) async throws {
    let stores = try context.stores()
    guard stores.contains(store) else { throw context.storeNotFound(store) }
    let report = try stores.decrypt(store, progress: context.showKeyChange)
    try KeyChangeResult(store: store, isEncrypted: false, report: report)
      .show(in: context, "decrypted store '\(store)'")
  }
}
