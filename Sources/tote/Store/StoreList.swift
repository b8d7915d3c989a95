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
    OutputKey("doc_count", "integer", "documents that are not deleted"),
    OutputKey("size", "integer", "bytes on disk, without attachments"),
  ]

  static let exitCodes = ExitClass.documented(.failed, .inputOutput, .configuration)
  static let seeAlso = ["tote store info", "tote store create"]

  @OptionGroup var global: GlobalOptions

  func run(in context: Context) async throws {
    let stores = try context.stores()
    let names = try stores.names()
    let list = ListWriter<StoreRow>(context)
    var failures = PartialFailure()
    for name in names {
      do {
        try list.add(StoreRow(info: try stores.open(name).info()))
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
  let info: StoreInfo

  static let columns = [
    Column("NAME", .identifier), Column("DOCUMENTS", .number),
    Column("SIZE", .number, dropOrder: 1),
  ]

  var json: JSON {
    [
      "name": .string(info.name), "doc_count": .integer(Int64(info.documentCount)),
      "size": .integer(Int64(info.fileSize)),
    ]
  }

  func cells(on screen: Screen) -> [Cell] {
    [
      Cell(info.name), Cell(String(info.documentCount)),
      Cell(humanSize(info.fileSize), plain: String(info.fileSize)),
    ]
  }
}
