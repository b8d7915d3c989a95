import ArgumentParser
import Core

/// `tote store list`.
struct StoreList: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "list the stores",
    discussion: "Each store is listed with the number of its documents and its size on disk.")

  static let examples = [
    Example("tote store list", "all stores"),
    Example("tote store list --json", "all stores as one JSON array"),
  ]

  static let outputKeys = [
    OutputKey("name", "string", "the store's name"),
    OutputKey("doc_count", "integer or null", "documents that are not deleted; null if locked"),
    OutputKey("size", "integer or null", "bytes on disk, without attachments; null if locked"),
    OutputKey("locked", "boolean", "whether the store is encrypted and its key is not at hand"),
  ]

  static let exitCodes = ExitClass.documented(.failed, .inputOutput, .configuration)
  static let seeAlso = ["tote store info", "tote store create"]

  @OptionGroup var global: GlobalOptions

  func run(in context: Context) async throws {
    let stores = try context.storesWithoutAsking()
    let names = try stores.names()
    let list = ListWriter<StoreRow>(context)
    var failures = PartialFailure()
    for name in names {
      do {
        try list.add(StoreRow(name: name, info: try stores.open(name).info()))
      } catch StoreError.locked {
        try list.add(StoreRow(name: name, info: nil))
      } catch {
        // One damaged store must not hide the others.
        try failures.add(error)
      }
    }
    try list.finish()
    if names.isEmpty { try context.note("no stores yet; make one with 'tote store create NAME'") }
    try failures.finish(inputs: names.count)
  }
}

/// One line of the list of stores.
struct StoreRow: ListRow {
  let name: String
  /// Nil when the store is locked.
  let info: StoreInfo?

  static let columns = [
    Column("NAME", .identifier), Column("DOCUMENTS", .number),
    Column("SIZE", .number, dropOrder: 1),
  ]

  var json: JSON {
    [
      "name": .string(name), "doc_count": info.map { .integer(Int64($0.documentCount)) } ?? .null,
      "size": info.map { .integer(Int64($0.fileSize)) } ?? .null, "locked": .bool(info == nil),
    ]
  }

  func cells(on screen: Screen) -> [Cell] {
    guard let info else { return [Cell(name), Cell("locked"), Cell("")] }
    return [
      Cell(name), Cell(String(info.documentCount)),
      Cell(humanSize(info.fileSize), plain: String(info.fileSize)),
    ]
  }
}
