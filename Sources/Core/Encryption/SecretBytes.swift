import CNettle
import CPageCipher
import Glibc

/// Bytes of a key or passphrase: kept out of swap and core files where the system allows, and wiped
/// when nothing refers to them any more.
public final class SecretBytes {
  private let memory: UnsafeMutableRawBufferPointer
  /// How many bytes there are.
  public let count: Int

  /// Makes bytes that `fill` writes; they are zeros before.
  ///
  /// - Parameters:
  ///   - count: how many; 0 is allowed.
  ///   - fill: writes them, once.
  /// - Throws: what `fill` throws.
  public init<Failure: Error>(
    count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    self.count = count
    let size = max(count, 1)
    guard let base = tote_secret_allocate(size) else {
      // Like every allocation of Swift's that fails.
      preconditionFailure("out of memory")
    }
    memory = UnsafeMutableRawBufferPointer(start: base, count: size)
    try fill(UnsafeMutableRawBufferPointer(rebasing: memory[..<count]))
  }

  /// Takes bytes over, and wipes where they were.
  public convenience init(wiping bytes: inout [UInt8]) {
    let given = bytes
    self.init(count: given.count) { $0.copyBytes(from: given) }
    wipe(&bytes)
  }

  /// Makes random bytes.
  ///
  /// - Throws: `StoreError.io` when the system has no randomness.
  public static func random(count: Int) throws(StoreError) -> SecretBytes {
    try SecretBytes(count: count) { memory throws(StoreError) in try fillRandomly(memory) }
  }

  deinit {
    tote_secret_free(memory.baseAddress, memory.count)
  }

  /// Lends the bytes for a call.
  public func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try body(UnsafeRawBufferPointer(rebasing: memory[..<count]))
  }

  /// Lends the bytes as C's functions want them.
  func withBase<Result>(_ body: (UnsafePointer<UInt8>) throws -> Result) rethrows -> Result {
    // Never empty: an allocation is at least one byte.
    guard let base = memory.baseAddress else { preconditionFailure("no memory") }
    return try body(UnsafePointer(base.assumingMemoryBound(to: UInt8.self)))
  }

  /// Compares in a time that does not depend on the content.
  public func equals(_ other: SecretBytes) -> Bool {
    count == other.count
      && nettle_memeql_sec(memory.baseAddress, other.memory.baseAddress, count) != 0
  }
}

// The bytes are written before the initializer returns, and never again.
extension SecretBytes: @unchecked Sendable {}

/// Overwrites bytes, in a way that the compiler does not leave out, and forgets them.
package func wipe(_ bytes: inout [UInt8]) {
  bytes.withUnsafeMutableBytes { tote_wipe($0.baseAddress, $0.count) }
  bytes = []
}

/// Overwrites memory, in a way that the compiler does not leave out.
func wipe(_ buffer: UnsafeMutableRawBufferPointer) { tote_wipe(buffer.baseAddress, buffer.count) }

/// Fills memory with random bytes of the system.
func fillRandomly(_ buffer: UnsafeMutableRawBufferPointer) throws(StoreError) {
  guard buffer.isEmpty || tote_random_bytes(buffer.baseAddress, buffer.count) == 0 else {
    throw StoreError.io(operation: "get randomness from", path: "/dev/urandom", code: errno)
  }
}

/// Random bytes that are no secret, such as a salt or a nonce.
func randomBytes(_ count: Int) throws(StoreError) -> [UInt8] {
  try SecretBytes.random(count: count).withUnsafeBytes { Array($0) }
}
