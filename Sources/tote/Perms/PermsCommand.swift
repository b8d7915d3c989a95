import ArgumentParser

/// The noun `perms`.
struct PermsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "perms", abstract: "say who may read and write which store",
    discussion: """
      Permissions belong to a store and count when it is served: readers read, members read and \
      write, administrators do everything within the store. Whoever can read the files of a store \
      on this machine may do everything with it.

      A store is named as everywhere: a local store, a URL, or a saved remote; on CouchDB and \
      Cloudant the same commands edit the database's security object in the server's own terms.
      """,
    groupedSubcommands: [
      CommandGroup(
        name: "A store's permissions",
        subcommands: [
          PermsShow.self, PermsSet.self, PermsGrant.self, PermsRevoke.self, PermsCheck.self,
        ]),
      CommandGroup(
        name: "Permissions as text",
        subcommands: [PermsExport.self, PermsDiff.self, PermsApply.self]),
      CommandGroup(name: "People", subcommands: [PermsUser.self]),
    ])
}

/// The noun `perms user`.
struct PermsUser: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "make, list and change the people who may log in",
    discussion: """
      Users are documents of the store '_users', as CouchDB has them; administrators of the server \
      are kept beside it. With '--server' the users are those of another server.

      Passwords are asked for, read from a file, or are a line of standard input; they never stand \
      on the command line.
      """,
    subcommands: [
      PermsUserAdd.self, PermsUserRemove.self, PermsUserList.self, PermsUserPassword.self,
      PermsUserRoles.self,
    ])
}
