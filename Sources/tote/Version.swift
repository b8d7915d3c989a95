import Core

/// The version of the program.
enum Version {
  /// The number, after semantic versioning.
  static let number = "0.1.0"
  /// The day of the release, for the manual: never "today", so that builds are reproducible.
  static let manualDate = "November 30, 2026"
}

/// What `--version` says.
struct VersionReport: CommandResult {
  /// From 1 the libraries are listed too.
  let verbosity: Int

  var json: JSON {
    let libraries = Libraries.versions.map { ($0.name, JSON.string($0.version)) }
    return [
      "name": "tote", "version": .string(Version.number),
      "libraries": .object(JSONObject(libraries)),
    ]
  }

  func show(on screen: Screen) throws(OutputError) {
    try screen.line("tote \(Version.number)")
    guard verbosity > 0 else { return }
    for library in Libraries.versions { try screen.line("\(library.name) \(library.version)") }
  }
}
