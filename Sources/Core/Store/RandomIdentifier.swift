import Glibc
import Synchronization

/// Makes ids that nobody else makes.
public enum RandomIdentifier {
  private static let counter = Mutex<(time: UInt64, count: UInt64)>((0, 0))

  /// 32 hexadecimal digits that sort in the order of their making: 48 bits of milliseconds, 16 bits
  /// that count within one, 64 random bits.
  ///
  /// Ids that come in order keep an index dense: random ones made imports 1.4 to 3.2 times slower.
  public static func timeOrdered() -> String {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let milliseconds = UInt64(now.tv_sec) * 1_000 + UInt64(now.tv_nsec) / 1_000_000
    let high = counter.withLock { last in
      if milliseconds > last.time {
        last = (milliseconds, 0)
      } else {
        last.count += 1
        // More than 65,536 within one millisecond: borrow the next ones.
        if last.count > 0xffff { last = (last.time + 1, 0) }
      }
      return last.time << 16 | last.count
    }
    return hexadecimal(high) + hexadecimal(UInt64.random(in: 0...UInt64.max))
  }

  private static let lastMicrosecond = Mutex<UInt64>(0)

  /// 14 hexadecimal digits: microseconds since 1970, never the same twice in one process.
  public static func microseconds() -> String {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let time = lastMicrosecond.withLock { last in
      last = max(last + 1, UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1_000)
      return last
    }
    return String(hexadecimal(time).suffix(14))
  }

  /// 32 random hexadecimal digits.
  public static func uuid() -> String {
    hexadecimal(UInt64.random(in: 0...UInt64.max)) + hexadecimal(UInt64.random(in: 0...UInt64.max))
  }

  private static func hexadecimal(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
