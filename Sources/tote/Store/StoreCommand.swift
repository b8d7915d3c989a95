import ArgumentParser

/// The noun `store`.
struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store", abstract: "keep documents and find them again",
    subcommands: [StoreList.self])
}
