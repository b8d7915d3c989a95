import ArgumentParser
import Core

/// `tote store info`; `StoreInfo` itself is what it shows.
struct StoreInfoCommand: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "show facts about a store")

  static let examples = [
    Example("tote store info notes", "documents, size and settings of a store"),
    Example("tote store info notes --json", "the same for a script"),
  ]

  static let outputKeys = [
    OutputKey("db_name", "string", "the store's name"),
    OutputKey("doc_count", "integer", "documents that are not deleted"),
    OutputKey("doc_del_count", "integer", "deleted documents"),
    OutputKey("conflict_count", "integer", "documents in conflict; null on a server"),
    OutputKey("update_seq", "integer", "sequence of the last change"),
    OutputKey("purge_seq", "integer", "number of purges"),
    OutputKey("sizes.file", "integer", "bytes on disk, without attachments"),
    OutputKey("disk_format_version", "integer", "version of the layout on disk"),
    OutputKey("collation", "string", "how strings are ordered: 'codepoint' or 'unicode'"),
    OutputKey("revs_limit", "integer", "revisions kept along each branch; null on a server"),
    OutputKey("cipher", "string or null", "how the store is encrypted; null for a plain one"),
    OutputKey(
      "key_source", "string or null",
      "where its key came from: 'prompt', 'passphrase-file', 'key-file', 'environment', 'keyring'"),
    OutputKey("uuid", "string", "32 hexadecimal digits, the store's own"),
    OutputKey("path", "string", "the store's folder; null on a server"),
    OutputKey("url", "string", "the database's URL; null for a store of this machine"),
  ]

  static let exitCodes = ExitClass.documented(.notFound, .inputOutput)
  static let seeAlso = ["tote store list", "tote store verify"]

  @OptionGroup var global: GlobalOptions

  @Argument(help: .store, completion: .storeNames)
  var store: String

  func run(in context: Context) async throws {
    let opened = try context.anyStore(store)
    let info = try await opened.info()
    let isLocal = opened is LocalStore
    try context.emit(
      StoreFacts(
        info: info, path: isLocal ? try context.stores().folder(of: store).path : nil,
        url: isLocal ? nil : opened.name))
  }
}

/// The facts about a store, close to CouchDB's `GET /db`.
struct StoreFacts: CommandResult {
  let info: StoreInfo
  let path: String?
  let url: String?

  var json: JSON {
    [
      "db_name": .string(info.name),
      "doc_count": .integer(Int64(info.documentCount)),
      "doc_del_count": .integer(Int64(info.deletedCount)),
      "conflict_count": url == nil ? .integer(Int64(info.conflictCount)) : .null,
      "update_seq": .integer(Int64(info.lastSequence)),
      "purge_seq": .integer(Int64(info.purgeSequence)),
      "sizes": ["file": .integer(Int64(info.fileSize))],
      "disk_format_version": .integer(Int64(info.formatVersion)),
      "collation": .string(info.collation.rawValue),
      "revs_limit": url == nil ? .integer(Int64(info.revisionsLimit)) : .null,
      "cipher": info.cipher.map { .string($0) } ?? .null,
      "key_source": info.keySource.map { .string($0.rawValue) } ?? .null,
      "uuid": .string(info.uuid),
      "path": path.map { .string($0) } ?? .null,
      "url": url.map { .string($0) } ?? .null,
    ]
  }

  private var encryption: String {
    guard let cipher = info.cipher, let source = info.keySource else { return "none" }
    return "\(cipher); key from \(source.words)"
  }

  func show(on screen: Screen) throws(OutputError) {
    let size = screen.isTerminal ? humanSize(info.fileSize) : String(info.fileSize)
    if let url {
      return try screen.pairs([
        ("name", info.name), ("documents", String(info.documentCount)),
        ("deleted", String(info.deletedCount)), ("last change", String(info.lastSequence)),
        ("size", size), ("url", url),
      ])
    }
    try screen.pairs([
      ("name", info.name), ("documents", String(info.documentCount)),
      ("deleted", String(info.deletedCount)), ("in conflict", String(info.conflictCount)),
      ("last change", String(info.lastSequence)), ("size", size),
      ("collation", info.collation.rawValue), ("revisions kept", String(info.revisionsLimit)),
      ("format", String(info.formatVersion)), ("encryption", encryption), ("uuid", info.uuid),
      ("folder", path ?? ""),
    ])
  }
}

extension StoreKey.Source {
  /// The source in a sentence.
  fileprivate var words: String {
    switch self {
    case .prompt: "the terminal"
    case .passphraseFile: "--passphrase-file"
    case .keyFile: "--key-file"
    case .environment: "TOTE_PASSPHRASE"
    case .keyring: "the kernel's keyring"
    case .caller: "the program"
    }
  }
}
