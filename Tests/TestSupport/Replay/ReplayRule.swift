/// Why a recorded case is not replayed, or in what the store deliberately differs from its answer.
public struct ReplayRule {
  /// What becomes of the cases that the rule is about.
  public enum Action {
    /// The case is not replayed.
    case skip
    /// The status is this one instead; the body is not compared.
    case status(Int)
    /// Members of these names are not compared, wherever they stand.
    case ignoring([String])
  }

  /// The difference, in words.
  public let reason: String
  /// What becomes of the cases.
  public let action: Action
  /// Which cases.
  public let matches: (ReplayCase) -> Bool

  /// Makes a rule for the cases that `matches` picks.
  public init(reason: String, action: Action, matches: @escaping (ReplayCase) -> Bool) {
    self.reason = reason
    self.action = action
    self.matches = matches
  }

  /// Leaves out cases by their names.
  public static func skip(_ names: String..., because reason: String) -> ReplayRule {
    ReplayRule(reason: reason, action: .skip) { names.contains($0.name) }
  }

  /// Leaves out the cases that `matches` picks.
  public static func skip(
    because reason: String, where matches: @escaping (ReplayCase) -> Bool
  ) -> ReplayRule {
    ReplayRule(reason: reason, action: .skip, matches: matches)
  }

  /// Wants another status of the cases named.
  public static func status(_ status: Int, _ names: String..., because reason: String) -> ReplayRule
  {
    ReplayRule(reason: reason, action: .status(status)) { names.contains($0.name) }
  }

  /// Does not compare some members in the answers of the cases named.
  public static func ignoring(
    _ members: String..., in names: [String], because reason: String
  ) -> ReplayRule {
    ReplayRule(reason: reason, action: .ignoring(members)) { names.contains($0.name) }
  }
}
