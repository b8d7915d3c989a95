import ArgumentParser

/// A count as people write it: `40MB`, `100M`, `512k`, `64000000`.
///
/// Steps are of a thousand, as disks and cameras count; `Ki`, `Mi` and `Gi` of 1,024.
struct ByteSize: ExpressibleByArgument, Sendable {
  /// The count.
  let count: Int

  private static let units: [(name: String, factor: Int)] = [
    ("ki", 1 << 10), ("mi", 1 << 20), ("gi", 1 << 30), ("k", 1_000), ("m", 1_000_000),
    ("g", 1_000_000_000), ("", 1),
  ]

  /// - Parameter count: the count.
  init(_ count: Int) { self.count = count }

  init?(argument: String) {
    var text = argument.lowercased()
    if text.hasSuffix("b") { text.removeLast() }
    guard let unit = Self.units.first(where: { text.hasSuffix($0.name) }) else { return nil }
    let digits = text.dropLast(unit.name.count)
    guard let number = Int(digits), number > 0, digits.allSatisfy(\.isNumber) else { return nil }
    let (count, overflows) = number.multipliedReportingOverflow(by: unit.factor)
    guard !overflows else { return nil }
    self.count = count
  }

  var defaultValueDescription: String {
    let unit = Self.units[3...].last {
      count >= $0.factor && count % $0.factor == 0 && $0.factor > 1
    }
    guard let unit else { return "\(count)" }
    return "\(count / unit.factor)\(unit.name.uppercased())"
  }
}
