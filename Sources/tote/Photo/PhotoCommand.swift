import ArgumentParser

/// The noun `photo`.
struct PhotoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "photo", abstract: "keep photos and share them",
    discussion: """
      A library of photos is a store: it works offline, syncs to other machines and to CouchDB, and \
      is backed up like any other. Of a file that is added nothing is kept but its pixels.
      """,
    subcommands: [PhotoServe.self])
}
