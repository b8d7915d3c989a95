/// What the pages of a program say beyond its commands.
public struct ManualSettings: Sendable {
  /// The date of the pages as mdoc writes it, such as `November 30, 2026`; the release's, never
  /// today's, so that the same sources give the same pages.
  public var date: String

  /// What the footer names: `tote 1.4.0`.
  public var system: String

  /// The variables the program reads, for the program's own page.
  public var environment: [ManualDocument.Entry]

  /// The files it reads and writes, for the program's own page.
  public var files: [ManualDocument.Entry]

  /// Every exit status, for the program's own page.
  public var exitCodes: [ExitStatus]

  /// Further references of the program's own page: `tote-json(5)`.
  public var seeAlso: [String]

  /// Settings for a program.
  public init(
    date: String, system: String, environment: [ManualDocument.Entry] = [],
    files: [ManualDocument.Entry] = [], exitCodes: [ExitStatus] = [], seeAlso: [String] = []
  ) {
    self.date = date
    self.system = system
    self.environment = environment
    self.files = files
    self.exitCodes = exitCodes
    self.seeAlso = seeAlso
  }
}

/// A page's file.
public struct ManualFile: Sendable {
  /// Its name: `tote-todo-add.1`.
  public let name: String

  /// Its mdoc source, which ends in a line break.
  public let text: String
}

extension CommandTree {
  /// The manual pages of the program and of every command that is mentioned to people.
  public func manualFiles(_ settings: ManualSettings) -> [ManualFile] {
    func visible(_ node: Node) -> [Node] {
      node.description.isVisible ? [node] + node.children.flatMap(visible) : []
    }
    return visible(root).map { node in
      CommandPage(node: node, root: root.description, settings: settings).document.file(settings)
    }
  }
}

extension ManualDocument {
  /// The page's file, with date and system from the settings.
  public func file(_ settings: ManualSettings) -> ManualFile {
    var writer = MdocWriter()
    return ManualFile(
      name: fileName, text: writer.page(self, date: settings.date, system: settings.system))
  }
}
