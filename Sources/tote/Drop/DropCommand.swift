import ArgumentParser

/// The noun `drop`.
struct DropCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drop", abstract: "hand photos and files to the machine or phone beside you",
    discussion: """
      One side shows a code, the other one scans it: the code holds the address, a one-time secret \
      and the receiver's key. Nothing else is needed: no account, no server, no internet.
      """,
    subcommands: [DropReceive.self, DropSend.self])
}
