import Core
import Synchronization

/// Names a photo: 36 characters that sort by the time of adding and cannot be guessed.
///
/// Ten characters are the time in milliseconds since 1970, 26 are 130 random bits, all in the
/// lower-case digits of Crockford's base 32 (`0-9a-z` without `i`, `l`, `o`, `u`).
public struct PhotoID: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The 36 characters.
  public let description: String

  /// Reads an id; nil when the text is none.
  public init?(_ text: String) {
    let bytes = text.utf8
    guard bytes.count == Self.length, bytes.allSatisfy({ Self.isDigit[Int($0)] }) else {
      return nil
    }
    description = text
  }

  private init(digits: [UInt8]) { description = String(decoding: digits, as: UTF8.self) }

  /// Makes a new id.
  ///
  /// - Parameter milliseconds: the time of adding, in milliseconds since 1970.
  /// - Returns: an id that nobody else makes.
  public static func make(at milliseconds: Int64) -> PhotoID {
    var digits = [UInt8](repeating: 0, count: length)
    var time = UInt64(max(0, milliseconds))
    for place in stride(from: timeLength - 1, through: 0, by: -1) {
      digits[place] = alphabet[Int(time & 31)]
      time >>= 5
    }
    // The system's generator is the kernel's: its numbers cannot be foreseen.
    var generator = SystemRandomNumberGenerator()
    for start in stride(from: timeLength, to: length, by: 12) {
      var bits: UInt64 = generator.next()
      for place in start..<min(start + 12, length) {
        digits[place] = alphabet[Int(bits & 31)]
        bits >>= 5
      }
    }
    return PhotoID(digits: digits)
  }

  /// When the photo was added, in milliseconds since 1970.
  public var milliseconds: Int64 {
    description.utf8.prefix(Self.timeLength).reduce(0) {
      $0 << 5 | Int64(Self.alphabet.firstIndex(of: $1) ?? 0)
    }
  }

  /// Characters of an id.
  public static let length = 36
  private static let timeLength = 10
  private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
  private static let isDigit: [Bool] = (0..<256).map { alphabet.contains(UInt8($0)) }

  /// Tells whether both are the same id.
  public static func == (left: PhotoID, right: PhotoID) -> Bool {
    utf8Equal(left.description, right.description)
  }

  /// Sorts by the time of adding.
  public static func < (left: PhotoID, right: PhotoID) -> Bool {
    utf8Less(left.description, right.description)
  }

  /// Hashes the characters.
  public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

/// Gives every photo of one library a time of its own, so that ids sort as the photos came.
final class PhotoClock: Sendable {
  private let now: @Sendable () -> Int64
  private let last = Mutex<Int64>(0)

  init(_ now: @escaping @Sendable () -> Int64) { self.now = now }

  /// Milliseconds since 1970, more than ever before.
  func next() -> Int64 {
    last.withLock { last in
      last = max(last + 1, now())
      return last
    }
  }

  /// Milliseconds since 1970.
  func read() -> Int64 { now() }
}
