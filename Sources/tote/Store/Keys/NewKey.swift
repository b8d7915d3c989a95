import ArgumentParser
import Core

extension Context {
  /// The key that a store is to be encrypted with: from files, or typed twice by the person.
  ///
  /// - Parameters:
  ///   - passphraseFile: a file that holds the passphrase.
  ///   - keyFile: a file that holds the key.
  ///   - store: named in the question.
  /// - Returns: the key.
  /// - Throws: `CommandError` when nobody can be asked, or what was typed differs.
  func newKey(passphraseFile: String?, keyFile: String?, for store: String) throws -> StoreKey {
    let files = KeyFiles(input: streams.input)
    if let keyFile { return try files.key(keyFile) }
    if let passphraseFile { return try files.passphrase(passphraseFile) }
    return try askForNewKey(
      store, instead: "pass --new-passphrase-file FILE or --new-key-file FILE")
  }

  /// The key that a plain store is to be encrypted with: what opens stores, else typed by the person.
  func newKey(for store: String) throws -> StoreKey {
    try keys.given()
      ?? askForNewKey(store, instead: "pass --passphrase-file FILE or --key-file FILE")
  }

  private func askForNewKey(_ store: String, instead hint: String) throws -> StoreKey {
    guard prompt.canAsk else {
      throw CommandError.usage(
        "a passphrase is needed, and "
          + (prompt.isForbidden ? "'--no-input' forbids asking" : "there is no terminal to ask at"),
        hint: hint)
    }
    try note("without this passphrase nobody can read the store, and nobody can restore it")
    guard let first = try prompt.passphrase("new passphrase of store '\(store)': "),
      first.count > 0
    else { throw CommandError.invalidInput("an empty passphrase protects nothing") }
    guard let second = try prompt.passphrase("once more: "), second.equals(first) else {
      throw CommandError.invalidInput("the two passphrases differ", hint: "nothing was changed")
    }
    return StoreKey(passphrase: first, from: .prompt)
  }

  /// Shows how far a change of a key is.
  func showKeyChange(_ step: KeyChangeProgress) {
    progress.update {
      switch step.step {
      case .database: "copying the database"
      case .verification: "checking the copy"
      case .attachments: "attachments: \(step.done) of \(step.total)"
      case .cleaning: "removing the old files: \(step.done) of \(step.total)"
      }
    }
  }
}

/// What `encrypt`, `decrypt` and `rekey` did.
struct KeyChangeResult {
  let store: String
  let isEncrypted: Bool
  let report: KeyChangeReport

  static let outputKeys = [
    OutputKey("ok", "boolean", "true"), OutputKey("name", "string", "the store"),
    OutputKey("encrypted", "boolean", "whether the store is encrypted now"),
    OutputKey("attachments", "integer", "attachments written, or given their key, anew"),
    OutputKey("resumed", "integer", "those that an interrupted run had done"),
  ]

  /// Prints the result, and says it to a person.
  func show(in context: Context, _ note: String) throws {
    context.progress.clear()
    if context.mode != .human {
      try context.emit(
        json: [
          "ok": true, "name": .string(store), "encrypted": .bool(isEncrypted),
          "attachments": .integer(Int64(report.blobs)),
          "resumed": .integer(Int64(report.resumed)),
        ])
    }
    try context.note(
      report.onlyCleaned ? "removed what an interrupted run had left of '\(store)'" : note)
  }
}

extension KeyringError: UserFacing {
  var code: String { "keyring" }
  var message: String { "cannot \(operation) the kernel's keyring: \(systemMessage(errorNumber))" }
  var hint: String? {
    "give the key with each command instead: --passphrase-file, --key-file or TOTE_PASSPHRASE"
  }
  var exitClass: ExitClass { .configuration }
}
