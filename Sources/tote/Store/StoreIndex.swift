import ArgumentParser

/// The noun `store index`.
struct StoreIndex: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "index", abstract: "make searches fast",
    discussion: """
      An index keeps documents in the order of some of their fields, or the words in them, and is \
      kept up to date by every write. 'tote store find' uses the one that fits by itself.
      """,
    subcommands: [StoreIndexCreate.self, StoreIndexList.self, StoreIndexRemove.self])
}
