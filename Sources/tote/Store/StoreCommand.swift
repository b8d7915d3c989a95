import ArgumentParser

/// The noun `store`.
struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store", abstract: "keep documents and find them again",
    discussion: """
      A store keeps JSON documents, each under an id, with their revisions and attached files. A \
      change names the revision it replaces, so nobody's work is overwritten unseen.

      STORE is the name of a store on this machine, the URL of a database on a server that speaks \
      CouchDB's protocol, or a remote saved by 'tote sync remote add'. What works on the files of a \
      store, such as 'backup' and 'verify', refuses a server.
      """,
    groupedSubcommands: [
      CommandGroup(
        name: "Stores",
        subcommands: [
          StoreCreate.self, StoreList.self, StoreInfoCommand.self, StoreDelete.self,
        ]),
      CommandGroup(
        name: "Documents",
        subcommands: [
          StorePut.self, StoreGet.self, StoreEdit.self, StoreRemove.self, StoreDocuments.self,
          StoreFind.self, StoreIndex.self,
        ]),
      CommandGroup(
        name: "Revisions",
        subcommands: [
          StoreChanges.self, StoreHistory.self, StoreConflicts.self, StoreResolve.self,
        ]),
      CommandGroup(
        name: "Attachments",
        subcommands: [
          StoreAttach.self, StoreAttachments.self, StoreFetch.self, StoreDetach.self,
        ]),
      CommandGroup(
        name: "Encryption",
        subcommands: [
          StoreEncrypt.self, StoreDecrypt.self, StoreRekey.self, StoreUnlock.self, StoreLock.self,
        ]),
      CommandGroup(
        name: "Files and care",
        subcommands: [
          StoreImport.self, StoreExport.self, StoreBackup.self, StoreRestore.self,
          StoreCompact.self, StoreVerify.self,
        ]),
    ])
}
