/// The date form of HTTP headers, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
public enum HTTPDate {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Writes seconds since 1970, UTC.
  public static func format(_ seconds: Int64) -> String {
    let day = Int((seconds >= 0 ? seconds : seconds - 86_399) / 86_400)
    let second = Int(seconds) - day * 86_400
    let (year, month, date) = civil(day)
    let weekday = days[((day % 7) + 7) % 7]
    return "\(weekday), \(two(date)) \(months[month - 1]) \(year) "
      + "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60)) GMT"
  }

  /// Reads the preferred form; nil for the obsolete ones, which nobody sends any more.
  public static func parse(_ text: String) -> Int64? {
    let parts = text.utf8.split(whereSeparator: { $0 == 0x20 || $0 == 0x3a }).map(\.text)
    guard parts.count == 8, sameBytes(parts[7], "GMT"), parts[0].utf8.count == 4,
      let month = months.firstIndex(where: { sameBytes($0, parts[2]) }),
      let date = Int(parts[1]), let year = Int(parts[3]), (1...31).contains(date),
      (1600...9999).contains(year), let hour = Int(parts[4]), let minute = Int(parts[5]),
      let second = Int(parts[6]), (0...23).contains(hour), (0...59).contains(minute),
      (0...60).contains(second)
    else { return nil }
    return Int64(dayNumber(year, month + 1, date)) * 86_400
      + Int64(hour * 3600 + minute * 60 + second)
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// Days since 1970-01-01; years are counted from March, so that leap days come last.
  private static func dayNumber(_ year: Int, _ month: Int, _ date: Int) -> Int {
    let shifted = month > 2 ? year : year - 1
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + date - 1
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
  }

  private static func civil(_ day: Int) -> (year: Int, month: Int, date: Int) {
    var year = 1970 + Int((Double(day) / 365.2425).rounded(.down))
    if dayNumber(year, 1, 1) > day { year -= 1 }
    if dayNumber(year + 1, 1, 1) <= day { year += 1 }
    var month = 12
    while dayNumber(year, month, 1) > day { month -= 1 }
    return (year, month, day - dayNumber(year, month, 1) + 1)
  }
}
