/// An interactive shell on a terminal of its own, in which a test types a line and presses Tab.
///
/// ```swift
/// let shell = try ShellCompletion(.bash, script: path, binaries: folder, home: temporary)
/// #expect(try shell.line(after: "tote sto\t") == "tote store ")
/// ```
/// No start-up files of the machine are read. After the keys of each test the line is dumped to a
/// file by a key binding, so what is compared is the shell's own idea of it, not its drawing.
public final class ShellCompletion {
  /// The shells that can be driven.
  public enum Shell: String, CaseIterable, Sendable { case bash, zsh, fish }

  private let terminal: PseudoTerminal
  private let dumpPath: String
  private let shell: Shell

  /// Starts a shell and loads a completion script.
  ///
  /// - Parameters:
  ///   - shell: which one; it must be installed.
  ///   - script: the path of the completion script.
  ///   - binaries: a folder put in front of PATH, which holds the program.
  ///   - home: an empty folder for the shell's own files.
  ///   - directory: the working folder; `home` by default.
  ///   - environment: more variables.
  ///   - setup: lines the shell reads before the script, such as `set -u`.
  /// - Throws: ``SupportError`` if the shell does not start.
  public init(
    _ shell: Shell, script: String, binaries: String, home: String, directory: String? = nil,
    environment: [String: String] = [:], setup: [String] = []
  ) throws {
    self.shell = shell
    dumpPath = "\(home)/line"
    let startUp = "\(home)/\(shell == .zsh ? ".zshrc" : "start")"
    try writeText(
      shell.startUp(setup: setup, script: script, dump: dumpPath), to: startUp)
    var variables = [
      "PATH": "\(binaries):/usr/local/bin:/usr/bin:/bin", "HOME": home, "ZDOTDIR": home,
      "XDG_DATA_HOME": home, "XDG_CONFIG_HOME": home, "XDG_CACHE_HOME": home, "LC_ALL": "C.UTF-8",
      "TERM": "xterm", "HISTFILE": "", "fish_history": "",
    ]
    variables.merge(environment) { $1 }
    var launch = Launch(
      "/usr/bin/env", [shell.rawValue] + shell.options(startUp: startUp), environment: variables)
    launch.directory = directory ?? home
    terminal = try PseudoTerminal(launch, size: .init(columns: 200, rows: 60))
    try terminal.waitFor("shell-is-ready")
  }

  /// Types keys on an empty line and reads the line they leave, which is then thrown away.
  ///
  /// - Parameter keys: what to type; `\t` is Tab.
  /// - Returns: the line as the shell holds it.
  /// - Throws: ``SupportError`` if the shell does not answer.
  public func line(after keys: String) throws -> String {
    _ = try screen(after: keys)
    return try readText(dumpPath)
  }

  /// Types keys on an empty line and reads what the terminal shows meanwhile, such as a list of
  /// candidates; the line is then thrown away.
  ///
  /// - Parameter keys: what to type; `\t` is Tab.
  /// - Returns: the text shown, without control sequences.
  /// - Throws: ``SupportError`` if the shell does not answer.
  public func screen(after keys: String) throws -> String {
    terminal.type(keys)
    terminal.type("\u{18}p")
    let shown = try terminal.waitFor("line-is-dumped")
    // The shell may lend the terminal to the binding: keys before its next prompt could be lost.
    if shell != .zsh { try terminal.waitFor("type> ") }
    return shown.withoutEscapes
  }
}

extension ShellCompletion.Shell {
  fileprivate func options(startUp: String) -> [String] {
    switch self {
    case .bash: ["--noprofile", "--rcfile", startUp, "-i"]
    case .zsh: ["-d", "-i"]
    case .fish: ["--no-config", "--init-command", "source \(startUp)", "-i"]
    }
  }

  /// The shell's start-up file: no fancy prompt, the script, and Ctrl-X P to dump the line.
  fileprivate func startUp(setup: [String], script: String, dump: String) -> String {
    let lines: [String] =
      switch self {
      case .bash:
        setup + [
          "PS1='type> '", "source '\(script)'", "bind 'set bell-style none'",
          "bind 'set enable-bracketed-paste off'", "bind 'set completion-query-items 0'",
          "bind 'set page-completions off'",
          "_dump() { printf '%s' \"$READLINE_LINE\" >'\(dump)'; READLINE_LINE=''; "
            + "printf 'line-is-%s\\n' dumped; }",
          "bind -x '\"\\C-xp\": _dump'", "printf 'shell-is-%s\\n' ready",
        ]
      case .zsh:
        [
          "PS1='type> '", "unset zle_bracketed_paste", "setopt no_beep list_packed",
          "autoload -Uz compinit && compinit -u -D",
        ] + setup + [
          "source '\(script)'",
          "_dump() { print -rn -- \"$BUFFER\" >'\(dump)'; BUFFER=; print line-is-${:-dumped} }",
          "zle -N _dump", "bindkey -e", "bindkey '^Xp' _dump", "print shell-is-${:-ready}",
        ]
      case .fish:
        setup + [
          "function fish_prompt; printf 'type> '; end", "set -g fish_greeting",
          "set -g fish_autosuggestion_enabled 0", "source '\(script)'",
          "function _dump; printf '%s' (commandline | string collect) >'\(dump)'; "
            + "commandline ''; printf 'line-is-%s\\n' dumped; commandline -f repaint; end",
          "bind \\cxp _dump", "printf 'shell-is-%s\\n' ready",
        ]
      }
    return lines.joined(separator: "\n") + "\n"
  }
}
