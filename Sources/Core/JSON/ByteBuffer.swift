/// A growing buffer of raw bytes that is written to and reused: one per thread, reset per document.
///
/// It owns its memory and never zeroes it. Growing doubles the capacity, so that appending is
/// amortised constant; ``reset()`` keeps the memory.
public struct ByteBuffer: ~Copyable {
  @usableFromInline var base: UnsafeMutablePointer<UInt8>
  /// The bytes written.
  public private(set) var count = 0
  private var capacity: Int

  /// An empty buffer with room for `capacity` bytes.
  public init(capacity: Int = 256) {
    self.capacity = max(capacity, 16)
    base = .allocate(capacity: self.capacity)
  }

  deinit {
    base.deallocate()
  }

  /// Whether nothing is written.
  public var isEmpty: Bool { count == 0 }

  /// The byte at `index`.
  @inline(__always)
  package subscript(index: Int) -> UInt8 { base[index] }

  /// The bytes from `start` on as a string.
  package func string(from start: Int) -> String {
    String(
      decoding: UnsafeRawBufferPointer(start: base + start, count: count - start), as: UTF8.self)
  }

  /// Forgets the bytes and keeps the memory.
  public mutating func reset() {
    count = 0
  }

  /// Drops bytes at the end.
  ///
  /// - Parameter count: how many bytes stay, at most ``count``.
  public mutating func truncate(to count: Int) {
    precondition(count >= 0 && count <= self.count, "a buffer cannot be truncated to more")
    self.count = count
  }

  /// Makes room for `additional` bytes and gives the place of the first; the caller writes there and
  /// tells how many with ``advance(by:)``.
  @inline(__always)
  package mutating func reserve(_ additional: Int) -> UnsafeMutablePointer<UInt8> {
    if capacity - count < additional { grow(to: count + additional) }
    return base + count
  }

  /// Counts bytes written through ``reserve(_:)``.
  @inline(__always)
  package mutating func advance(by written: Int) {
    count += written
  }

  /// Appends one byte.
  @inline(__always)
  public mutating func append(_ byte: UInt8) {
    reserve(1).pointee = byte
    count += 1
  }

  /// Appends bytes.
  @inline(__always)
  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress else { return }
    UnsafeMutableRawPointer(reserve(bytes.count)).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  /// Appends `count` bytes from `source`.
  @inline(__always)
  package mutating func append(_ source: UnsafePointer<UInt8>, count length: Int) {
    reserve(length).update(from: source, count: length)
    count += length
  }

  /// Appends bytes.
  public mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { append($0) }
  }

  /// Appends the UTF-8 bytes of `text`.
  public mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  /// Appends the UTF-8 bytes of a literal, without making a `String`.
  @inline(__always)
  package mutating func append(literal text: StaticString) {
    append(text.utf8Start, count: text.utf8CodeUnitCount)
  }

  /// Appends the decimal digits of `value`.
  public mutating func append(decimal value: Int64) {
    var place = reserve(20) + 20
    let end = place
    var rest = value.magnitude
    repeat {
      place -= 1
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      place.pointee = UInt8(truncatingIfNeeded: digit) &+ UInt8(ascii: "0")
      rest = quotient
    } while rest != 0
    if value < 0 {
      place -= 1
      place.pointee = UInt8(ascii: "-")
    }
    let length = end - place
    (base + count).update(from: place, count: length)
    count += length
  }

  /// Lends the bytes written so far.
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// The bytes written so far, for as long as nothing is written.
  package var unownedBytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base, count: count)
  }

  /// A copy of the bytes.
  public func bytes() -> [UInt8] {
    [UInt8](UnsafeRawBufferPointer(start: base, count: count))
  }

  /// The bytes as a string; bytes that are not UTF-8 become U+FFFD.
  public func string() -> String {
    String(decoding: UnsafeRawBufferPointer(start: base, count: count), as: UTF8.self)
  }

  @inline(never)
  private mutating func grow(to needed: Int) {
    capacity = max(needed, capacity * 2)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.update(from: base, count: count)
    base.deallocate()
    base = larger
  }
}
