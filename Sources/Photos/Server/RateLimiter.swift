import Sync
import Synchronization

/// Lets each sender have so much a minute, with as much at once.
///
/// What is taken may be more than is left, once: a file larger than the whole allowance still goes
/// through, and its sender waits afterwards.
final class RateLimiter: Sendable {
  private struct Bucket {
    var left: Double
    var since: ContinuousClock.Instant
  }

  private let allowance: Double
  private let clock: @Sendable () -> ContinuousClock.Instant
  private let buckets = Mutex<[[UInt8]: Bucket]>([:])

  /// Senders remembered.
  private static let capacity = 10_000

  /// - Parameters:
  ///   - allowance: what a sender may have a minute.
  ///   - clock: tells the time, for tests.
  init(_ allowance: Int64, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
    self.allowance = Double(max(1, allowance))
    self.clock = clock
  }

  /// Takes an amount.
  ///
  /// - Returns: nil, or after how many seconds there is something left again; then nothing was
  ///   taken.
  func take(_ amount: Int64, by sender: [UInt8]) -> Int? {
    let now = clock()
    return buckets.withLock { buckets in
      var bucket = buckets[sender] ?? Bucket(left: allowance, since: now)
      refill(&bucket, now)
      guard bucket.left > 0 else {
        buckets[sender] = bucket
        return Int((-bucket.left / allowance * 60).rounded(.up)) + 1
      }
      if buckets.count >= Self.capacity, buckets[sender] == nil { forget(&buckets, now) }
      bucket.left -= Double(amount)
      buckets[sender] = bucket
      return nil
    }
  }

  /// The key of an address: an IPv6 customer has a whole /64.
  static func sender(address: String) -> [UInt8] { AddressThrottle.key(address) }

  /// The key of a user, which is no address's.
  static func sender(user: String) -> [UInt8] { Array("user \(user)".utf8) }

  private func refill(_ bucket: inout Bucket, _ now: ContinuousClock.Instant) {
    let (seconds, attoseconds) = (now - bucket.since).components
    let passed = Double(seconds) + Double(attoseconds) * 1e-18
    bucket.left = min(allowance, bucket.left + passed / 60 * allowance)
    bucket.since = now
  }

  private func forget(_ buckets: inout [[UInt8]: Bucket], _ now: ContinuousClock.Instant) {
    buckets = buckets.filter { _, bucket in
      var bucket = bucket
      refill(&bucket, now)
      return bucket.left < allowance
    }
    while buckets.count >= Self.capacity, let key = buckets.keys.first { buckets[key] = nil }
  }
}
