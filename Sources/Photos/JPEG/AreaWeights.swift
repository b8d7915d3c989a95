import CJPEG

/// How much each of `count` source lines counts in each of `outputs` lines.
///
/// It is the area of the one that lies inside the other. The weights of an output sum to
/// `TOTE_WEIGHT_ONE`, exactly.
struct AreaWeights {
  let count: Int
  let outputs: Int

  private static let one = Int(TOTE_WEIGHT_ONE)

  /// Where a line begins, in outputs times `one`.
  private func position(_ line: Int) -> Int {
    (line * outputs * Self.one + count / 2) / count
  }

  /// The share of a source line: of the output it begins in, and of the one after that.
  func share(of line: Int) -> (output: Int, here: Int, next: Int) {
    let (start, end) = (position(line), position(line + 1))
    let output = start / Self.one
    let border = (output + 1) * Self.one
    return end <= border ? (output, end - start, 0) : (output, border - start, end - border)
  }

  /// Tells whether an output is complete after a source line.
  func ends(at line: Int, _ output: Int) -> Bool { position(line + 1) >= (output + 1) * Self.one }

  /// The same for columns, as the C loop wants it.
  func columns() -> (first: [Int32], pairs: [Int32], weights: [Int16]) {
    var first = [Int32](repeating: 0, count: outputs)
    var pairs = [Int32](repeating: 0, count: outputs)
    var lists = [[Int16]](repeating: [], count: outputs)
    for line in 0..<count {
      let share = share(of: line)
      if share.output < outputs, share.here > 0 {
        if lists[share.output].isEmpty { first[share.output] = Int32(line) }
        lists[share.output].append(Int16(share.here))
      }
      if share.next > 0, share.output + 1 < outputs {
        first[share.output + 1] = Int32(line)
        lists[share.output + 1].append(Int16(share.next))
      }
    }
    var weights: [Int16] = []
    for output in 0..<outputs {
      if lists[output].count % 2 == 1 { lists[output].append(0) }
      pairs[output] = Int32(lists[output].count / 2)
      weights += lists[output]
    }
    return (first, pairs, weights)
  }
}
