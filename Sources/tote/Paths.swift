/// The folders of a person's files, after the flag, the environment and the XDG rules.
struct Paths: Sendable {
  private let home: String?
  private let environment: Environment

  /// - Parameters:
  ///   - home: what `--home` or `TOTE_HOME` says, or `nil`.
  ///   - environment: where the XDG folders and `HOME` are named.
  init(home: String?, environment: Environment) {
    self.home = home.flatMap { $0.isEmpty ? nil : $0 }
    self.environment = environment
  }

  /// The folder that holds the stores.
  ///
  /// - Throws: `CommandError` with status 78 when nothing says where it is.
  func stores() throws(CommandError) -> String {
    if let home { return home }
    return try folder("XDG_DATA_HOME", ".local/share")
  }

  /// A variable of the XDG base directory specification counts only when its path is absolute.
  private func folder(_ variable: String, _ below: String) throws(CommandError) -> String {
    if let path = environment.nonEmpty(variable), path.hasPrefix("/") { return path + "/tote" }
    guard let home = environment.nonEmpty("HOME") else {
      throw CommandError(
        .configuration, "config", "there is no home directory: HOME is not set",
        hint: "set TOTE_HOME, or pass --home DIR")
    }
    return home + "/" + below + "/tote"
  }
}
