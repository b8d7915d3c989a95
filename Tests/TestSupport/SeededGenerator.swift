import Glibc

/// A random number generator that a failed test can be repeated with.
///
/// ``init(for:)`` takes the seed from the environment variable `TOTE_TEST_SEED`, else a random one,
/// and prints it, so that the log of a failure holds what is needed to see it again. The generator
/// is SplitMix64: equal seeds give equal numbers on every machine and in every release.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  /// The seed that this generator started from.
  public let seed: UInt64
  private var state: UInt64

  /// Makes a generator with a fixed seed.
  ///
  /// - Parameter seed: any number; equal seeds give equal sequences.
  public init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  /// Makes the generator of one test and prints its seed.
  ///
  /// - Parameter test: the name under which the seed is printed.
  public init(for test: String) {
    let given = getenv("TOTE_TEST_SEED").flatMap { UInt64(String(cString: $0)) }
    self.init(seed: given ?? UInt64.random(in: 0...UInt64(UInt32.max)))
    // One write, so that lines of tests that run side by side do not mix.
    let line = Array("seed of \(test): TOTE_TEST_SEED=\(seed)\n".utf8)
    _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  /// The next 64 random bits.
  ///
  /// - Returns: a number of the sequence that ``seed`` fixes.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
