import Core
import Glibc

/// The list of an earlier export, read line by line.
struct PhotoExportList: ~Copyable {
  /// A line that tells what a file is.
  struct Entry {
    var id: String
    /// The file's name in the folder.
    var file: String
    var line: [UInt8]
  }

  private let descriptor: Int32
  private var window: InputWindow
  private var waiting: Entry?

  /// Bytes of a line; a longer one is none of ours.
  private static let lineLimit = 1 << 20

  /// Opens a list; one that is not there has no lines.
  init(_ path: String) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    window = InputWindow(DescriptorSource(descriptor, name: path))
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The next line, unless it is of an older photo.
  ///
  /// - Parameter id: the photo; nil takes every line.
  /// - Returns: nil at the end, and while the next line has to wait.
  /// - Throws: `TransferError` when the list cannot be read.
  mutating func next(notOlderThan id: PhotoID?) throws(TransferError) -> Entry? {
    if waiting == nil { waiting = try read() }
    // Ids begin with their time.
    guard let entry = waiting, id.map({ entry.id >= $0.description }) ?? true else { return nil }
    waiting = nil
    return entry
  }

  private mutating func read() throws(TransferError) -> Entry? {
    while let line = try line() {
      guard let json = try? JSON(parsing: line), let id = json["id"]?.stringValue,
        let file = json["file"]?.stringValue, !file.utf8.contains(UInt8(ascii: "/"))
      else { continue }
      return Entry(id: id, file: file, line: line)
    }
    return nil
  }

  private mutating func line() throws(TransferError) -> [UInt8]? {
    guard descriptor >= 0 else { return nil }
    var searched = 0
    while true {
      if let end = window.lineFeed(from: searched) {
        defer { window.takeLine(end + 1) }
        return Array(window.bytes[..<end])
      }
      searched = window.count
      guard searched <= Self.lineLimit, try window.fill() else { return nil }
    }
  }
}
