import Core

/// Failures of some of several inputs: each is reported with its input, the rest go on, and the exit
/// status is the gravest.
struct PartialFailure: Sendable {
  private(set) var errors: [any UserFacing] = []

  /// Whether something failed.
  var isEmpty: Bool { errors.isEmpty }

  /// Takes note of a failure; what is no `UserFacing` error, or no reason to go on, is thrown again.
  mutating func add(_ error: any Error) throws {
    guard let known = error as? any UserFacing, !(error is OutputError) else { throw error }
    errors.append(known)
  }

  /// Throws what was noted: a single failure of a single input as it is, else all of them.
  ///
  /// - Parameter inputs: how many inputs there were.
  /// - Throws: the failure, or `SeveralErrors`.
  func finish(inputs: Int) throws {
    guard let first = errors.first else { return }
    if inputs == 1 { throw first }
    throw SeveralErrors(errors: errors, inputs: inputs)
  }
}

/// The failures of a run with several inputs.
struct SeveralErrors: Error, Sendable {
  let errors: [any UserFacing]
  let inputs: Int

  /// 1 when something was done, else the gravest of the failures.
  var exitClass: ExitClass {
    guard errors.count >= inputs else { return .failed }
    return errors.reduce(ExitClass.success) { $0.merged(with: $1.exitClass) }
  }

  /// What is said after the single failures: that only a part was done, or nothing more.
  var summary: CommandError? {
    guard errors.count < inputs else { return nil }
    return CommandError(.failed, "partial", "\(errors.count) of \(inputs) failed")
  }
}
