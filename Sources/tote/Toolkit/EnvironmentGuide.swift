/// Every variable of the environment that changes what the program does.
///
/// Help and manual are made from this list; a test compares it with the names read in the sources.
enum EnvironmentGuide {
  /// A variable and what it does.
  struct Variable: Sendable {
    let name: String
    let meaning: String
  }

  static let variables = [
    Variable(name: "TOTE_HOME", meaning: "The folder that holds the stores; --home wins over it."),
    Variable(
      name: "TOTE_PASSPHRASE",
      meaning: "The passphrase of encrypted stores; --passphrase-file and --key-file win over it."),
    Variable(
      name: "TOTE_PHOTO_TOKEN",
      meaning: "A token for the photo service of --server; --token-file wins over it."),
    Variable(
      name: "TOTE_DROP_TICKET", meaning: "The receiver's ticket for 'tote drop send'; a secret."),
    Variable(
      name: "TOTE_PAGER", meaning: "Shows long text, before PAGER; empty or cat for no pager."),
    Variable(
      name: "TOTE_NOW",
      meaning: "The moment taken for now (RFC 3339), for tests and examples."),
    Variable(
      name: "TOTE_COMPLETION_LOG", meaning: "A file that completions write what they did to."),
    Variable(name: "NO_COLOR", meaning: "If not empty, nothing is coloured."),
    Variable(
      name: "CLICOLOR_FORCE",
      meaning: "Colours output also elsewhere, unless empty or 0."),
    Variable(name: "CLICOLOR", meaning: "If 0, nothing is coloured."),
    Variable(name: "TERM", meaning: "If dumb or unset, nothing is coloured."),
    Variable(
      name: "COLORTERM",
      meaning: "If truecolor or 24bit, pictures have all colours, else those of a palette."),
    Variable(
      name: "KITTY_WINDOW_ID", meaning: "If set, pictures are drawn as kitty does, unless asked."),
    Variable(name: "TMUX", meaning: "If set, pictures are drawn as blocks of colour."),
    Variable(name: "STY", meaning: "The same, within screen."),
    Variable(name: "COLUMNS", meaning: "The width of the terminal in cells."),
    Variable(name: "PAGER", meaning: "Shows long text; less -FRX if unset."),
    Variable(name: "VISUAL", meaning: "The editor, before EDITOR."),
    Variable(name: "EDITOR", meaning: "The editor; vi if unset."),
    Variable(name: "TZ", meaning: "The time zone of dates on the screen and on the command line."),
    Variable(
      name: "LC_ALL", meaning: "Whether the terminal shows UTF-8, before LC_CTYPE and LANG."),
    Variable(name: "LC_CTYPE", meaning: "Whether the terminal shows UTF-8, before LANG."),
    Variable(name: "LANG", meaning: "Whether the terminal shows UTF-8."),
    Variable(name: "HOME", meaning: "The home folder, where the XDG folders are if not set."),
    Variable(
      name: "TMPDIR",
      meaning: "The folder for drafts and for attachments on their way; /tmp if unset."),
    Variable(name: "http_proxy", meaning: "The proxy for http URLs."),
    Variable(name: "https_proxy", meaning: "The proxy for https URLs; also HTTPS_PROXY."),
    Variable(name: "HTTPS_PROXY", meaning: "The proxy for https URLs, after https_proxy."),
    Variable(name: "all_proxy", meaning: "The proxy for all URLs, after those; also ALL_PROXY."),
    Variable(name: "ALL_PROXY", meaning: "The proxy for all URLs, after all_proxy."),
    Variable(
      name: "no_proxy", meaning: "Hosts reached without a proxy, separated by commas."),
    Variable(name: "NO_PROXY", meaning: "The same, after no_proxy."),
    Variable(
      name: "XDG_DATA_HOME", meaning: "Stores are in its folder tote; ~/.local/share if unset."),
  ]
}
