import ArgumentParser

/// The root command.
struct ToteRoot: ParsableCommand, DocumentedCommand, HelpTopicProvider {
  static let configuration = CommandConfiguration(
    commandName: "tote", abstract: "keep documents and todos that work offline",
    discussion: """
      Everything tote keeps is a document in a store. Stores are folders below the home folder of \
      tote, work without a network, and can be read and written by several commands at a time.

      A store is named by letters, digits and _ $ ( ) + - /. Results go to standard output, all else \
      to standard error; with --json the result is exactly one JSON document.
      """,
    version: Version.number,
    groupedSubcommands: [
      CommandGroup(name: "Documents", subcommands: [StoreCommand.self]),
      CommandGroup(name: "Lists", subcommands: [TodoCommand.self]),
      CommandGroup(name: "Photos", subcommands: [PhotoCommand.self]),
      CommandGroup(
        name: "Other machines",
        subcommands: [SyncCommand.self, DropCommand.self, PermsCommand.self]),
      CommandGroup(name: "The toolkit", subcommands: [CompletionsCommand.self, Doctor.self]),
    ])

  static let examples = [
    Example("tote store create notes", "make a store"),
    Example("tote store put notes '{\"title\": \"Milk\"}'", "keep a document"),
    Example("tote todo add \"Buy milk\" --due tomorrow", "write down what is to be done"),
    Example("tote store list --json", "list the stores for a script"),
  ]

  static let helpTopics = HelpTexts.topics

  @OptionGroup(title: "Global options") var global: GlobalOptions
}
