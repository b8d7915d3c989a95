import ArgumentParser
import Core

/// `tote completions`.
struct CompletionsCommand: ToteCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions", abstract: "print the script that completes tote in a shell",
    discussion: """
      The script asks tote itself what may follow, so it never goes stale: names of stores, ids, \
      fields and tags are read from the stores on this machine, quickly and without the network.

      For one session:

          source <(tote completions bash)
          source <(tote completions zsh)
          tote completions fish | source

      For good, put the script where the shell looks for it:

          tote completions bash > ~/.local/share/bash-completion/completions/tote
          tote completions zsh > ~/.zfunc/_tote
          tote completions fish > ~/.config/fish/completions/tote.fish
      """)

  static let examples = [
    Example("tote completions bash", "the script for bash")
  ]

  static let exitCodes = ExitClass.documented(.usage, .inputOutput)
  static let seeAlso = ["tote doctor"]

  @OptionGroup var global: GlobalOptions

  @Argument(help: ArgumentHelp("the shell: bash, zsh or fish", valueName: "SHELL"))
  var shell: CompletionShell

  func run(in context: Context) async throws {
    let script = shell.script(program: "tote")
    guard context.mode == .human else {
      return try context.emit(json: ["shell": .string(shell.rawValue), "script": .string(script)])
    }
    try context.streams.output.write(script)
  }

  static let outputKeys = [
    OutputKey("shell", "string", "the shell"), OutputKey("script", "string", "the script's text"),
  ]
}
