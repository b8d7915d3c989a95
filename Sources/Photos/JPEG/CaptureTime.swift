public import Core

/// When a photo was taken, as the camera's clock showed it.
public struct CaptureTime: Sendable, Hashable {
  /// The reading of the camera's clock.
  public var local: CivilDateTime
  /// Minutes east of UTC of that clock, if the camera wrote them.
  public var offset: Int?

  /// Creates a time from its parts.
  public init(local: CivilDateTime, offset: Int? = nil) {
    self.local = local
    self.offset = offset
  }

  /// Reads the text of Exif's `DateTimeOriginal`, such as `2024:05:17 09:30:00`.
  ///
  /// - Returns: nil when the text is of another form, or not a time that exists.
  init?(exif text: [UInt8]) {
    let separators: [(Int, UInt8)] = [(4, 0x3A), (7, 0x3A), (10, 0x20), (13, 0x3A), (16, 0x3A)]
    guard text.count >= 19, separators.allSatisfy({ text[$0.0] == $0.1 }),
      text.dropFirst(19).allSatisfy({ $0 == 0 }),
      let year = decimal(text[0..<4]), let month = decimal(text[5..<7]),
      let day = decimal(text[8..<10]), let hour = decimal(text[11..<13]),
      let minute = decimal(text[14..<16]), let second = decimal(text[17..<19]),
      let date = CivilDate(year: year, month: month, day: day), hour < 24, minute < 60, second < 60
    else { return nil }
    local = CivilDateTime(date: date, secondOfDay: (hour * 60 + minute) * 60 + second)
  }

  /// Reads the text of Exif's `OffsetTimeOriginal`, such as `+02:00`, to minutes east of UTC.
  static func offset(exif text: [UInt8]) -> Int? {
    guard text.count >= 6, text[0] == 0x2B || text[0] == 0x2D, text[3] == 0x3A,
      text.dropFirst(6).allSatisfy({ $0 == 0 }),
      let hours = decimal(text[1..<3]), let minutes = decimal(text[4..<6]),
      hours <= 14, minutes < 60
    else { return nil }
    return (text[0] == 0x2D ? -1 : 1) * (hours * 60 + minutes)
  }
}

extension CaptureTime: CustomStringConvertible {
  /// ISO 8601, with the offset if it is known.
  public var description: String {
    let time = [local.hour, local.minute, local.second].map { padded($0, 2) }
    let text = "\(local.date)T\(time.joined(separator: ":"))"
    guard let offset else { return text }
    let size = abs(offset)
    return "\(text)\(offset < 0 ? "-" : "+")\(padded(size / 60, 2)):\(padded(size % 60, 2))"
  }
}
