import Core
import Glibc

/// The list of an earlier export, read line by line.
struct PhotoExportList {
  /// A line that tells what a file is.
  struct Entry {
    var id: String
    /// The file's name in the folder.
    var file: String
    var line: [UInt8]
  }

  private let descriptor: Descriptor?
  private var buffer: [UInt8] = []
  private var position = 0
  private var waiting: Entry?

  /// Closes the file with the last copy of the list.
  private final class Descriptor {
    let file: OpenFile
    init?(_ path: String) {
      guard let file = try? OpenFile(path, O_RDONLY) else { return nil }
      self.file = file
    }
  }

  /// Bytes of a line; a longer one is none of ours.
  private static let lineLimit = 1 << 20
  private static let piece = 64 << 10

  /// Opens a list; one that is not there has no lines.
  init(_ path: String) { descriptor = Descriptor(path) }

  /// The next line, unless it is of an older photo.
  ///
  /// - Parameter id: the photo; nil takes every line.
  /// - Returns: nil at the end, and while the next line has to wait.
  /// - Throws: `StoreError` when the list cannot be read.
  mutating func next(notOlderThan id: PhotoID?) throws(StoreError) -> Entry? {
    if waiting == nil { waiting = try read() }
    // Ids begin with their time.
    guard let entry = waiting, id.map({ entry.id >= $0.description }) ?? true else { return nil }
    waiting = nil
    return entry
  }

  private mutating func read() throws(StoreError) -> Entry? {
    while let line = try line() {
      guard let json = try? JSON(parsing: line), let id = json["id"]?.stringValue,
        let file = json["file"]?.stringValue, !file.utf8.contains(UInt8(ascii: "/"))
      else { continue }
      return Entry(id: id, file: file, line: line)
    }
    return nil
  }

  private mutating func line() throws(StoreError) -> [UInt8]? {
    var searched = position
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { position = end + 1 }
        return Array(buffer[position..<end])
      }
      searched = buffer.count
      guard searched - position <= Self.lineLimit, try fill(&searched) else { return nil }
    }
  }

  /// Reads more; false at the end.
  private mutating func fill(_ searched: inout Int) throws(StoreError) -> Bool {
    guard let descriptor else { return false }
    buffer.removeFirst(position)
    searched -= position
    position = 0
    let start = buffer.count
    buffer += [UInt8](repeating: 0, count: Self.piece)
    let result = buffer.withUnsafeMutableBytes { raw in
      Result { () throws(StoreError) in
        try descriptor.file.read(into: UnsafeMutableRawBufferPointer(rebasing: raw[start...]))
      }
    }
    let count = (try? result.get()) ?? 0
    buffer.removeLast(Self.piece - count)
    return try result.get() > 0
  }
}
