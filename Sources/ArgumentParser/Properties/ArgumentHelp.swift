/// Whether help, man pages, completions and suggestions mention an argument.
public struct ArgumentVisibility: Hashable, Sendable {
  enum Level: Hashable, Sendable { case `default`, hidden, `private` }
  let level: Level

  /// Mentioned everywhere.
  public static let `default` = ArgumentVisibility(level: .default)

  /// Accepted, mentioned only in the dump.
  public static let hidden = ArgumentVisibility(level: .hidden)

  /// Accepted, mentioned nowhere.
  public static let `private` = ArgumentVisibility(level: .private)
}

/// The help of one argument: a line, an optional paragraph, and the name of its value.
///
/// The abstract is lower case without a final period, so that help and man pages show the same text.
public struct ArgumentHelp: ExpressibleByStringInterpolation, Sendable {
  /// One line, lower case, without a final period.
  public var abstract: String

  /// Further paragraphs for `--help` and the man page; may be empty.
  public var discussion: String

  /// What stands for the value, in upper case (`WHEN`); derived from the property when `nil`.
  public var valueName: String?

  /// Where the argument is mentioned.
  public var visibility: ArgumentVisibility

  /// Help made of an abstract and, where needed, more text and a name for the value.
  public init(
    _ abstract: String = "", discussion: String = "", valueName: String? = nil,
    visibility: ArgumentVisibility = .default
  ) {
    self.abstract = abstract
    self.discussion = discussion
    self.valueName = valueName
    self.visibility = visibility
  }

  /// Help that is just an abstract.
  public init(stringLiteral value: String) { self.init(value) }

  /// Help that marks the argument as hidden.
  public static var hidden: ArgumentHelp { ArgumentHelp(visibility: .hidden) }
}
