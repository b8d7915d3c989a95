import Glibc
import Synchronization

/// A time zone whose rules come from the C library's database.
///
/// `FoundationEssentials` knows no zones, so local time goes through glibc's `localtime_r`, which
/// honours every form of `TZ` (a name, `:name`, a POSIX rule). glibc keeps one zone for the whole
/// process; another than the system's is set for the length of one call, under a lock.
public struct LocalZone: Hashable, Sendable {
  /// The value `TZ` takes while this zone is asked, or `nil` for the system's own.
  public let identifier: String?

  /// The zone the process was started with.
  public static let system = LocalZone(identifier: nil)
  /// Coordinated Universal Time.
  public static let utc = LocalZone(identifier: "UTC0")

  /// A zone by its `TZ` value (`Europe/Berlin`, `EST5EDT`).
  ///
  /// Unknown names behave like UTC, as in glibc; use `init?(named:)` to be told.
  public init(identifier: String?) { self.identifier = identifier }

  /// A zone of the installed database by its IANA name, or `nil` when there is none.
  public init?(named name: String) {
    if name == "UTC" || name == "GMT" {
      self.init(identifier: "UTC0")
      return
    }
    guard !name.isEmpty, !name.hasPrefix("/"), !name.contains(".."),
      access("/usr/share/zoneinfo/" + name, R_OK) == 0
    else { return nil }
    self.init(identifier: name)
  }

  /// Seconds east of UTC at an instant.
  public func offset(at instant: Instant) -> Int { offset(atSecond: instant.seconds) }

  /// What a clock on the wall shows at an instant.
  public func reading(at instant: Instant) -> CivilDateTime {
    CivilDateTime(secondsAsUTC: instant.seconds + Int64(offset(atSecond: instant.seconds)))
  }

  /// The instant at which the clock shows `reading`.
  ///
  /// A time that does not exist (spring) moves forward by the gap; one that exists twice (autumn)
  /// is its first occurrence.
  public func instant(of reading: CivilDateTime) -> Instant {
    let asUTC = reading.secondsAsUTC
    // No zone changes twice within two days, so the offsets a day before and after are the two
    // that can apply.
    let before = offset(atSecond: asUTC - 86_400)
    let after = offset(atSecond: asUTC + 86_400)
    let candidates = [asUTC - Int64(before), asUTC - Int64(after)]
    let valid = candidates.filter { offset(atSecond: $0) == Int(asUTC - $0) }
    return Instant(seconds: valid.min() ?? candidates[0])
  }

  private func offset(atSecond second: Int64) -> Int {
    ZoneSwitch.shared.withLock { current in
      current.select(identifier)
      var time = time_t(second)
      var parts = tm()
      guard localtime_r(&time, &parts) != nil else { return 0 }
      return Int(parts.tm_gmtoff)
    }
  }
}

/// The process-wide `TZ`, changed only while its lock is held.
private struct ZoneSwitch {
  static let shared = Mutex(ZoneSwitch())

  /// `TZ` as found at the first call; the outer `nil` means not looked yet.
  private var original: String?
  private var selected: String?
  private var isReady = false

  mutating func select(_ identifier: String?) {
    if !isReady {
      original = getenv("TZ").map { String(cString: $0) }
      selected = nil
      tzset()
      isReady = true
    }
    guard selected != identifier else { return }
    if let value = identifier ?? original { setenv("TZ", value, 1) } else { unsetenv("TZ") }
    tzset()
    selected = identifier
  }
}
