/// A type whose cases are each a flag: `--inline`, `--dir`, `--none`.
public protocol EnumerableFlag: CaseIterable, Equatable, SendableMetatype {
  /// The spelling of one case; its own name with two dashes by default.
  static func name(for value: Self) -> NameSpecification

  /// The help of one case; the property's help by default.
  static func help(for value: Self) -> ArgumentHelp?
}

extension EnumerableFlag {
  /// The case's own name with two dashes.
  public static func name(for value: Self) -> NameSpecification { .long }

  /// No help of its own.
  public static func help(for value: Self) -> ArgumentHelp? { nil }
}

/// How the opposite of a flag is spelled.
public struct FlagInversion: Hashable, Sendable {
  enum Form: Hashable, Sendable { case prefixedNo, prefixedEnableDisable }
  let form: Form

  /// `--name` and `--no-name`.
  public static let prefixedNo = FlagInversion(form: .prefixedNo)

  /// `--enable-name` and `--disable-name`.
  public static let prefixedEnableDisable = FlagInversion(form: .prefixedEnableDisable)
}

/// What happens when two spellings of one flag meet.
public struct FlagExclusivity: Hashable, Sendable {
  enum Rule: Hashable, Sendable { case exclusive, chooseFirst, chooseLast }
  let rule: Rule

  /// Two different spellings are an error; the same one twice is not.
  public static let exclusive = FlagExclusivity(rule: .exclusive)

  /// The first one counts.
  public static let chooseFirst = FlagExclusivity(rule: .chooseFirst)

  /// The last one counts.
  public static let chooseLast = FlagExclusivity(rule: .chooseLast)
}
