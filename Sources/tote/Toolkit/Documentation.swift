import ArgumentParser
import Core
import Glibc

/// Writes the manual and the completion scripts from the commands' declarations.
enum Documentation {
  /// Writes `FOLDER/man` and `FOLDER/completions`.
  ///
  /// - Parameter folder: an existing folder.
  /// - Throws: `CommandError` when a file cannot be written.
  static func write(to folder: String) throws {
    for below in ["man", "completions"] {
      let path = folder + "/" + below
      guard mkdir(path, 0o777) == 0 || errno == EEXIST else {
        throw CommandError(
          .cannotCreate, "cannot_create", "cannot create '\(path)': \(systemMessage(errno))")
      }
    }
    for file in pages() { try write(file.text, to: "\(folder)/man/\(file.name)") }
    for shell in CompletionShell.allCases {
      let name = shell.fileName(program: "tote")
      try write(shell.script(program: "tote"), to: "\(folder)/completions/\(name)")
    }
  }

  /// The pages of the manual.
  static func pages() -> [ManualFile] {
    let tree = CommandTree(ToteRoot.self)
    return tree.manualFiles(settings)
      + [JSONPage.document(tree).file(settings), ServerPage.document.file(settings)]
  }

  private static let settings = ManualSettings(
    date: Version.manualDate, system: "tote \(Version.number)",
    environment: EnvironmentGuide.variables.map {
      ManualDocument.Entry($0.name, $0.meaning, kind: .variable)
    },
    files: [
      ManualDocument.Entry(
        "~/.local/share/tote/NAME.store", "A store: a database and the attachments beside it.",
        kind: .path),
      ManualDocument.Entry(
        "~/.local/share/tote/admins.json",
        "The administrators that 'tote perms user add --admin' made, with hashes of their "
          + "passwords.", kind: .path),
    ],
    exitCodes: ExitClass.allCases.map { ExitStatus($0.rawValue, $0.meaning) },
    seeAlso: ["tote-json(5)"])

  private static func write(_ text: String, to path: String) throws {
    let file = try OutputFile(path: path)
    try file.write(text.utf8)
    try file.commit()
  }
}

/// The page `tote-json(5)`: what scripts may rely on.
enum JSONPage {
  /// The page, its keys taken from the commands' declarations.
  static func document(_ tree: CommandTree) -> ManualDocument {
    ManualDocument(
      name: "tote-json", section: 5, abstract: "the JSON that tote prints",
      sections: [ManualDocument.Section("DESCRIPTION", [.text(HelpTexts.json)])]
        + tree.outputSections
        + [ManualDocument.Section("SEE ALSO", [.references(["tote(1)"])])])
  }
}

/// The page `tote-server(7)`: what `sync serve` answers.
enum ServerPage {
  static var document: ManualDocument {
    ManualDocument(
      name: "tote-server", section: 7, abstract: ServerTopic.abstract,
      sections: [
        ManualDocument.Section("DESCRIPTION", [.text(ServerTopic.text)]),
        ManualDocument.Section("SEE ALSO", [.references(["tote(1)", "tote sync serve"])]),
      ])
  }
}
