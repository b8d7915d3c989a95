import Glibc
import Synchronization

/// Counts wrong passwords by the address they come from.
///
/// Each may try some, then one every few seconds. A right password costs nothing, and sets nothing
/// back either: who has an account could otherwise guess another's between two logins.
package final class AddressThrottle: Sendable {
  private let buckets = Mutex<[[UInt8]: Bucket]>([:])

  package init() {}

  private struct Bucket {
    var tries: Int
    var since: ContinuousClock.Instant
  }

  /// Wrong passwords at once.
  static let burst = 10
  /// After that one try comes back in this time.
  package static let interval = Duration.seconds(6)
  /// Addresses remembered.
  private static let capacity = 10_000

  /// How many addresses are remembered.
  var count: Int { buckets.withLock { $0.count } }

  /// Takes a try; false when there is none left.
  package func take(_ address: String, at now: ContinuousClock.Instant) -> Bool {
    let key = Self.key(address)
    return buckets.withLock { buckets in
      var bucket = buckets[key] ?? Bucket(tries: Self.burst, since: now)
      Self.refill(&bucket, now)
      guard bucket.tries > 0 else {
        buckets[key] = bucket
        return false
      }
      bucket.tries -= 1
      if buckets.count >= Self.capacity, buckets[key] == nil { Self.forget(&buckets, now) }
      buckets[key] = bucket
      return true
    }
  }

  /// Gives a try back: the password was right.
  package func giveBack(_ address: String, at now: ContinuousClock.Instant) {
    let key = Self.key(address)
    buckets.withLock { buckets in
      guard var bucket = buckets[key] else { return }
      Self.refill(&bucket, now)
      bucket.tries = min(bucket.tries + 1, Self.burst)
      buckets[key] = bucket.tries < Self.burst ? bucket : nil
    }
  }

  private static func refill(_ bucket: inout Bucket, _ now: ContinuousClock.Instant) {
    let intervals = Int((now - bucket.since) / interval)
    guard intervals > 0 else { return }
    bucket.tries = min(bucket.tries + intervals, burst)
    bucket.since = bucket.tries == burst ? now : bucket.since + interval * intervals
  }

  /// Makes room: who has all tries again is as if never seen; failing that, anybody.
  private static func forget(
    _ buckets: inout [[UInt8]: Bucket], _ now: ContinuousClock.Instant
  ) {
    buckets = buckets.filter { _, bucket in
      var bucket = bucket
      refill(&bucket, now)
      return bucket.tries < burst
    }
    while buckets.count >= capacity, let key = buckets.keys.first { buckets[key] = nil }
  }

  /// What counts as one address: an IPv4 address, or the /64 of an IPv6 one, which a single customer
  /// has all of.
  package static func key(_ address: String) -> [UInt8] {
    let plain = String(address.prefix { $0 != "%" })
    var four = in_addr()
    if inet_pton(AF_INET, plain, &four) == 1 { return withUnsafeBytes(of: four) { Array($0) } }
    var six = in6_addr()
    guard inet_pton(AF_INET6, plain, &six) == 1 else { return Array(address.utf8) }
    let bytes = withUnsafeBytes(of: six) { Array($0) }
    let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
    return bytes.starts(with: mapped) ? Array(bytes.suffix(4)) : Array(bytes.prefix(8))
  }
}
