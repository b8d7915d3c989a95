import ArgumentParser

/// The noun `sync`; alone it pulls, then pushes.
struct SyncCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "keep stores in step with others, here and on servers",
    discussion: """
      Moves what changed between a store and another one: on this machine, on a server that speaks \
      CouchDB's protocol, or in a bundle file. Revisions keep their names and histories, so changes \
      on both sides meet as conflicts and nothing is overwritten. Each run goes on where the last \
      one ended. 'serve' lets others do the same with the stores of this machine.
      """,
    subcommands: [
      SyncRun.self, SyncPull.self, SyncPush.self, SyncStatus.self, SyncRemoteCommand.self,
      SyncServe.self,
    ],
    defaultSubcommand: SyncRun.self)
}
