/// Dates of Foundation in JSON: RFC 3339 text in UTC.
///
/// Core does not import Foundation, which would cost each run of the program size and start-up time;
/// the type is recognised by its name, and by the seconds since 2001 that it encodes as.
enum FoundationDate {
  /// Whether `type` is Foundation's `Date`.
  static func isDate(_ type: any Any.Type) -> Bool {
    guard !(type is String.Type || type is JSON.Type) else { return false }
    let name = String(reflecting: type)
    return name == "Foundation.Date" || name == "FoundationEssentials.Date"
  }

  /// 2001-01-01T00:00:00Z in seconds since 1970.
  private static let referenceDate = 978_307_200

  /// The text of a date, to the millisecond.
  ///
  /// - Parameter seconds: since 2001-01-01T00:00:00Z.
  /// - Returns: such as `2026-11-30T10:05:00Z` or `…:00.250Z`; `nil` outside the years 1 to 9999.
  static func text(secondsSince2001 seconds: Double) -> String? {
    guard seconds.isFinite, abs(seconds) < 1e12 else { return nil }
    let milliseconds = Int((seconds * 1000).rounded()) + referenceDate * 1000
    let (days, inDay) = floorDivide(milliseconds, 86_400_000)
    let (year, month, day) = civil(fromDays: days)
    guard (1...9999).contains(year) else { return nil }
    let fraction = inDay % 1000
    let time = inDay / 1000
    return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2) + "T"
      + padded(time / 3600, 2) + ":" + padded(time / 60 % 60, 2) + ":" + padded(time % 60, 2)
      + (fraction == 0 ? "Z" : "." + padded(fraction, 3) + "Z")
  }

  /// Reads an RFC 3339 date and time; a bare date is midnight UTC.
  ///
  /// - Parameter text: with `Z` or a numeric offset.
  /// - Returns: seconds since 2001-01-01T00:00:00Z; `nil` when the text is none.
  static func secondsSince2001(_ text: String) -> Double? {
    var reader = DigitReader(text)
    guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2),
      reader.skip("-"), let day = reader.number(2), (1...12).contains(month),
      day >= 1, day <= daysInMonth(month, year: year)
    else { return nil }
    var seconds = days(fromCivil: year, month, day) * 86_400 - referenceDate
    guard !reader.isAtEnd else { return Double(seconds) }
    guard reader.skip("T") || reader.skip("t") || reader.skip(" "), let hour = reader.number(2),
      reader.skip(":"), let minute = reader.number(2), reader.skip(":"),
      let second = reader.number(2), hour < 24, minute < 60, second <= 60
    else { return nil }
    seconds += hour * 3600 + minute * 60 + second
    let fraction = reader.skip(".") ? reader.fraction() : 0
    guard let fraction, let offset = reader.offset(), reader.isAtEnd else { return nil }
    return Double(seconds - offset) + fraction
  }

  // MARK: Calendar

  /// The Gregorian date of a day, by counting eras of 400 years that begin on 1 March.
  private static func civil(fromDays days: Int) -> (year: Int, month: Int, day: Int) {
    let (era, dayOfEra) = floorDivide(days + 719_468, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1
    )
  }

  /// The days from 1970-01-01 to a Gregorian date.
  private static func days(fromCivil year: Int, _ month: Int, _ day: Int) -> Int {
    let (era, yearOfEra) = floorDivide(month <= 2 ? year - 1 : year, 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func daysInMonth(_ month: Int, year: Int) -> Int {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  private static func floorDivide(_ value: Int, _ divisor: Int) -> (quotient: Int, rest: Int) {
    let (quotient, rest) = value.quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
  }

  private static func padded(_ value: Int, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

/// Reads the fixed fields of a date from left to right.
private struct DigitReader {
  private var rest: Substring.UTF8View

  init(_ text: String) {
    rest = Substring(text).utf8
  }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard let first = rest.first, UInt32(first) == character.value else { return false }
    rest.removeFirst()
    return true
  }

  /// Exactly `count` digits.
  mutating func number(_ count: Int) -> Int? {
    var value = 0
    for _ in 0..<count {
      guard let digit = digit() else { return nil }
      value = value * 10 + digit
    }
    return value
  }

  /// The digits after the point; `nil` when there are none.
  mutating func fraction() -> Double? {
    guard var value = digit().map(Double.init) else { return nil }
    var scale = 10.0
    while let next = digit() {
      // Digits beyond the microsecond do not survive in seconds since 2001.
      guard scale < 1e9 else { continue }
      value = value * 10 + Double(next)
      scale *= 10
    }
    return value / scale
  }

  /// `Z` or `±HH:MM`, in seconds.
  mutating func offset() -> Int? {
    if skip("Z") || skip("z") { return 0 }
    let sign = skip("-") ? -1 : skip("+") ? 1 : 0
    guard sign != 0, let hours = number(2), skip(":"), let minutes = number(2), hours < 24,
      minutes < 60
    else { return nil }
    return sign * (hours * 3600 + minutes * 60)
  }

  private mutating func digit() -> Int? {
    guard let first = rest.first, first >= 0x30, first <= 0x39 else { return nil }
    rest.removeFirst()
    return Int(first - 0x30)
  }
}
