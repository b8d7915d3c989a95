import Glibc

/// The bytes of one upload or file.
public enum PhotoSource: Sendable {
  /// Bytes in memory.
  case bytes([UInt8])
  /// A file that can be read at any place, from its start to its end; its position is left alone.
  /// The descriptor stays open, and stays the caller's.
  case file(descriptor: Int32)

  /// The number of bytes.
  ///
  /// - Throws: ``PhotoRefusal`` `.unreadable` when the descriptor is not one of a regular file.
  func length() throws(PhotoRefusal) -> Int {
    switch self {
    case .bytes(let bytes): return bytes.count
    case .file(let descriptor):
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw .unreadable(errno) }
      guard status.st_mode & S_IFMT == S_IFREG else { throw .unreadable(EINVAL) }
      return Int(status.st_size)
    }
  }
}

/// A window that moves over a source, for looking at headers without reading the whole.
struct SourceWindow: ~Copyable {
  private let source: PhotoSource
  /// The source's bytes.
  let length: Int
  private var buffer: [UInt8] = []
  /// Where in the source the buffer begins.
  private var start = 0

  private static let size = 65_536

  init(_ source: PhotoSource, length: Int) {
    self.source = source
    self.length = length
    if case .bytes(let bytes) = source { buffer = bytes }
  }

  /// The byte at a place, or nil past the end.
  mutating func byte(at place: Int) throws(PhotoRefusal) -> UInt8? {
    guard try load(place) else { return nil }
    return buffer[place - start]
  }

  /// A number of two bytes, the upper one first; nil when the source ends before.
  mutating func word(at place: Int) throws(PhotoRefusal) -> Int? {
    guard let high = try byte(at: place), let low = try byte(at: place + 1) else { return nil }
    return Int(high) << 8 | Int(low)
  }

  /// The bytes of a range, fewer when the source ends before.
  mutating func bytes(in range: Range<Int>) throws(PhotoRefusal) -> [UInt8] {
    var result: [UInt8] = []
    var place = range.lowerBound
    while place < range.upperBound, try load(place) {
      let end = min(range.upperBound, start + buffer.count)
      result += buffer[place - start..<end - start]
      place = end
    }
    return result
  }

  /// The place of the next byte of a value, from `place` on; nil when there is none.
  mutating func next(_ value: UInt8, from place: Int) throws(PhotoRefusal) -> Int? {
    var place = place
    while try load(place) {
      let found = buffer.withUnsafeBytes { bytes -> Int? in
        guard let base = bytes.baseAddress else { return nil }
        let from = base + (place - start)
        guard let hit = memchr(from, Int32(value), bytes.count - (place - start)) else {
          return nil
        }
        return UnsafeRawPointer(hit) - base
      }
      if let found { return start + found }
      place = start + buffer.count
    }
    return nil
  }

  /// Makes the byte at `place` part of the buffer; false past the end.
  private mutating func load(_ place: Int) throws(PhotoRefusal) -> Bool {
    if place >= start && place < start + buffer.count { return true }
    guard case .file(let descriptor) = source, place >= 0, place < length else { return false }
    let wanted = min(Self.size, length - place)
    var got = 0
    var code: Int32 = 0
    buffer = [UInt8](unsafeUninitializedCapacity: wanted) { bytes, count in
      repeat {
        got = pread(descriptor, bytes.baseAddress, wanted, off_t(place))
        code = errno
      } while got < 0 && code == EINTR
      count = max(got, 0)
    }
    start = place
    guard got >= 0 else { throw .unreadable(code) }
    return got > 0
  }
}
