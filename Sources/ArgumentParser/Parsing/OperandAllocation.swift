/// Decides which operand goes to which positional argument.
enum OperandAllocation {
  /// How many operands each slot takes, in order; what is left over is unexpected.
  ///
  /// Every required slot gets its one first; optional ones then take what remains from the left, and
  /// the repeated one the rest. So `[TICKET] FILE…` gives a lone word to FILE.
  static func counts(_ slots: [ArgumentDefinition], operands: Int) -> [Int] {
    var counts = slots.map { $0.isRequired ? 1 : 0 }
    var spare = operands - counts.reduce(0, +)
    guard spare > 0 else { return short(counts, operands: operands) }
    for (index, slot) in slots.enumerated() where !slot.isRequired && !slot.isRepeating {
      guard spare > 0 else { break }
      counts[index] = 1
      spare -= 1
    }
    if let repeated = slots.firstIndex(where: \.isRepeating) { counts[repeated] += max(0, spare) }
    return counts
  }

  /// Too few operands: the first required slots get them.
  private static func short(_ counts: [Int], operands: Int) -> [Int] {
    var left = operands
    return counts.map { wanted in
      let taken = min(wanted, left)
      left -= taken
      return taken
    }
  }
}
