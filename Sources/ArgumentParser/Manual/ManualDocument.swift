/// A manual page as data, from which `MdocWriter` makes its source.
public struct ManualDocument: Sendable {
  /// A section with its heading.
  public struct Section: Sendable {
    /// The heading, upper case by custom: `ENVIRONMENT`.
    public var title: String

    /// What stands below it.
    public var content: [Content]

    /// A section.
    public init(_ title: String, _ content: [Content]) {
      self.title = title
      self.content = content
    }
  }

  /// A piece of a section.
  public enum Content: Sendable {
    /// Paragraphs, list items and literal lines, as in a command's discussion.
    case text(String)
    /// A heading of the second order.
    case subsection(String)
    /// Terms with their explanations, each a text of its own.
    case entries([Entry])
    /// References to other pages: `tote todo list`, `tote-json(5)`.
    case references([String])
    /// Usage lines.
    case synopses([String])
  }

  /// A term and what it means.
  public struct Entry: Sendable {
    /// What kind of word the term is, which decides how it is set.
    public enum Kind: Sendable {
      /// A variable of the environment.
      case variable
      /// A file or folder.
      case path
      /// Options and their values, or an operand: `-d, --due WHEN`.
      case argument
      /// A page: `tote todo add`.
      case page
      /// A key, number or other literal word.
      case literal
      /// A command line.
      case commandLine
    }

    /// The term.
    public let term: String

    /// What it means; may be empty.
    public let text: String

    /// How the term is set.
    public let kind: Kind

    /// A term with its explanation.
    public init(_ term: String, _ text: String, kind: Kind = .literal) {
      self.term = term
      self.text = text
      self.kind = kind
    }
  }

  /// The page's name: `tote-todo-add`; no spaces, so that `whatis` can find it.
  public var name: String

  /// The manual's section: 1 for commands, 5 for formats.
  public var section: Int

  /// One line, lower case, without a final period.
  public var abstract: String

  /// The sections after NAME, in order.
  public var sections: [Section]

  /// A page.
  public init(name: String, section: Int, abstract: String, sections: [Section]) {
    self.name = name
    self.section = section
    self.abstract = abstract
    self.sections = sections
  }

  /// The name of the page's file: `tote-todo-add.1`.
  public var fileName: String { "\(name).\(section)" }
}
