/// A type whose wrapped properties are arguments; a command, or a group shared by several.
public protocol ParsableArguments: SendableMetatype {
  /// An instance with nothing parsed; made by the parser and by every introspection.
  init()

  /// Checks the parsed values against each other.
  ///
  /// - Throws: `ValidationError` with a sentence for the user, who is also shown the usage.
  mutating func validate() throws
}

extension ParsableArguments {
  /// Nothing to check.
  public mutating func validate() throws {}
}

/// A group of options that every command below the one declaring it accepts too, before or after the
/// subcommand's name; beside the mirrored API.
///
/// The deepest occurrence of an option wins (it always stands further right), counted flags add up. A
/// command reads the values through an `@OptionGroup` of this type, or from `ParseResult.inherited`.
public protocol InheritedOptions: ParsableArguments {}

/// Arguments that take their value from a variable when the command line does not give one; beside
/// the mirrored API.
///
/// An empty variable counts as unset. Flags read `1`, `true`, `yes`, `on` and their opposites.
public protocol EnvironmentDefaults: ParsableArguments {
  /// The variable of each property that has one: `["home": "TOTE_HOME"]`.
  static var environment: [String: String] { get }
}
