import Core
import Glibc

/// Reads a part of a bundle file in order.
struct BundleInput {
  private let descriptor: Int32
  private let path: String
  private let end: Int
  /// Bytes read ahead, from `position` on.
  private var buffer: ArraySlice<UInt8> = []
  /// Where the next byte lies in the file.
  private(set) var position: Int

  /// The line before a frame's content.
  struct Frame {
    var kind: BundleFormat.Kind
    var length: Int
  }

  init(_ descriptor: Int32, path: String, from start: Int, to end: Int) {
    self.descriptor = descriptor
    self.path = path
    self.end = end
    position = start
  }

  /// The next frame; nil at the end of the part.
  mutating func nextFrame() throws(BundleError) -> Frame? {
    guard position < end else { return nil }
    let words = try line().split(separator: " ")
    guard words.count == 2, let kind = BundleFormat.Kind(rawValue: String(words[0])),
      let length = Int(words[1]), length >= 0
    else { throw damaged("a frame has no name") }
    guard length < end - position else { throw .incomplete(path: path) }
    return Frame(kind: kind, length: length)
  }

  /// The content of a frame of JSON, and its end.
  mutating func json(of frame: Frame) throws(BundleError) -> JSON {
    let content = try bytes(frame.length)
    try finishFrame()
    guard let json = try? JSON(parsing: content) else { throw damaged("a frame is not JSON") }
    return json
  }

  /// Reads the line feed behind a frame's content.
  mutating func finishFrame() throws(BundleError) {
    guard try bytes(1) == [UInt8(ascii: "\n")] else { throw damaged("a frame does not end") }
  }

  /// Hands the content of a frame over in pieces, and reads its end.
  mutating func stream(_ frame: Frame, _ body: ([UInt8]) throws -> Void) throws {
    var rest = frame.length
    while rest > 0 {
      let piece = try bytes(min(rest, BundleFormat.pieceSize))
      rest -= piece.count
      try body(piece)
    }
    try finishFrame()
  }

  /// Passes over the content of a frame.
  mutating func skip(_ frame: Frame) throws(BundleError) {
    let ahead = min(frame.length, buffer.count)
    buffer = buffer.dropFirst(ahead)
    position += frame.length
    if ahead < frame.length { buffer = [] }
    try finishFrame()
  }

  /// The next line without its line feed.
  mutating func line() throws(BundleError) -> String {
    var text: [UInt8] = []
    while text.count < BundleFormat.lineLimit {
      let byte = try bytes(1)[0]
      if byte == UInt8(ascii: "\n") { return String(decoding: text, as: UTF8.self) }
      text.append(byte)
    }
    throw damaged("a line is too long")
  }

  /// The next bytes, exactly so many.
  mutating func bytes(_ count: Int) throws(BundleError) -> [UInt8] {
    guard count <= end - position else { throw .incomplete(path: path) }
    if buffer.isEmpty, count >= Self.readAhead {
      let result = try read(count, at: position)
      position += count
      return result
    }
    if buffer.count < count {
      let missing = max(count, Self.readAhead) - buffer.count
      let next = position + buffer.count
      buffer = (Array(buffer) + (try read(min(missing, end - next), at: next)))[...]
    }
    let result = Array(buffer.prefix(count))
    buffer = buffer.dropFirst(count)
    position += count
    return result
  }

  /// Larger reads go straight to the file.
  private static let readAhead = 64 << 10

  private func read(_ count: Int, at offset: Int) throws(BundleError) -> [UInt8] {
    var failure: Int32?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { target, filled in
      while filled < count {
        let got = pread(
          descriptor, target.baseAddress.map { $0 + filled }, count - filled,
          off_t(offset + filled))
        if got < 0 && errno == EINTR { continue }
        guard got > 0 else {
          failure = got < 0 ? errno : 0
          return
        }
        filled += got
      }
    }
    switch failure {
    case nil: return bytes
    // It was longer when it was opened.
    case 0?: throw .incomplete(path: path)
    case let code?: throw .io(operation: "read", path: path, code: code)
    }
  }

  func damaged(_ detail: String) -> BundleError { .damaged(path: path, detail: detail) }
}
