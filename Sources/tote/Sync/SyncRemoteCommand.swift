import ArgumentParser

/// The saved remotes.
struct SyncRemoteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remote", abstract: "keep addresses of databases under short names",
    discussion: """
      A saved remote may stand wherever a command takes a URL. Its file can be read by nobody else, \
      and no command prints its secrets.
      """,
    subcommands: [
      SyncRemoteAdd.self, SyncRemoteList.self, SyncRemoteShow.self, SyncRemoteRemove.self,
    ])
}
