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

  static let exitCodes = ExitClass.documented(.inputOutput, .configuration)

  @OptionGroup var global: GlobalOptions

  func run(in context: Context) async throws {
    let stores = try context.stores()
    let list = ListWriter<StoreRow>(context)
    for name in try stores.names() {
      try list.add(StoreRow(info: try stores.open(name).info()))
    }
    try list.finish()
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
