import Glibc

/// The part of the input that is in memory: bytes are read behind and taken in front.
///
/// It holds one block of 256 KiB, and grows only as far as one record needs. It counts lines as bytes
/// are taken, so that every record knows where it stands in the file.
package struct InputWindow: ~Copyable {
  private(set) var base: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  /// The bytes present are `start..<end` from `base`.
  private(set) var start = 0
  private(set) var end = 0
  private(set) var isAtEnd = false
  private let source: any ByteSource
  /// The line of the first byte present, from 1.
  private(set) var line = 1
  /// Bytes of that line that were taken already and begin a character.
  private(set) var columnsTaken = 0

  static let blockSize = 256 << 10

  package init(_ source: any ByteSource) {
    self.source = source
    capacity = Self.blockSize
    base = .allocate(capacity: capacity)
  }

  deinit {
    base.deallocate()
  }

  package var count: Int { end - start }
  var bytesRead: Int { source.bytesRead }

  /// The bytes present; valid until the window reads or is moved.
  package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + start, count: count)
  }

  @inline(__always)
  subscript(index: Int) -> UInt8 { base[start + index] }

  /// Reads more bytes behind those present.
  ///
  /// - Returns: false at the end of the input.
  package mutating func fill() throws(TransferError) -> Bool {
    if isAtEnd { return false }
    if end == capacity { makeRoom() }
    let room = UnsafeMutableRawBufferPointer(start: base + end, count: capacity - end)
    let count = try source.read(into: room)
    end += count
    isAtEnd = count == 0
    return count > 0
  }

  private mutating func makeRoom() {
    if start > 0 {
      base.update(from: base + start, count: count)
    } else {
      capacity *= 2
      let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
      larger.update(from: base, count: end)
      base.deallocate()
      base = larger
    }
    end -= start
    start = 0
  }

  /// Takes `count` bytes that hold no line feed, or exactly one as the last byte.
  @inline(__always)
  package mutating func takeLine(_ count: Int) {
    start += count
    line += 1
    columnsTaken = 0
  }

  /// Takes `count` bytes in front, counting the lines in them.
  mutating func take(_ count: Int) {
    let taken = UnsafeBufferPointer(start: base + start, count: count)
    for byte in taken {
      if byte == UInt8(ascii: "\n") {
        line += 1
        columnsTaken = 0
      } else if byte & 0xC0 != 0x80 {
        columnsTaken += 1
      }
    }
    start += count
  }

  /// Takes everything present, counting the lines in it.
  mutating func takeAll() { take(count) }

  /// Takes spaces, tabs and line ends, reading on as needed.
  ///
  /// - Returns: the next byte, which is not taken; `nil` at the end of the input.
  mutating func skipWhitespace() throws(TransferError) -> UInt8? {
    while true {
      var index = 0
      while index < count {
        switch self[index] {
        case 0x20, 0x09, 0x0A, 0x0D: index += 1
        case let byte:
          take(index)
          return byte
        }
      }
      takeAll()
      if try !fill() { return nil }
    }
  }

  /// Where the first line feed at or after `from` stands; `nil` when none is present.
  package func lineFeed(from index: Int) -> Int? {
    guard index < count,
      let found = memchr(base + start + index, Int32(UInt8(ascii: "\n")), count - index)
    else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base + start)
  }
}

/// One record of the input: bytes in the window, and where they stand in the file.
struct InputRecord {
  /// Valid until the reader is asked for the next record.
  var bytes: UnsafeRawBufferPointer
  /// The line and the column of the first byte, from 1.
  var line: Int
  var column: Int
}
