import Drop
import Glibc
import Photos

/// Takes the location out of files on their way, without changing the files.
enum LocationFilter {
  /// Formats of pictures and films that may tell a location, which only JPEG loses here.
  private static let mayTell: Set<FileFormat> = [
    .heic, .avif, .jpeg2000, .jpegXL, .tiff, .png, .webP, .photoshop, .film,
  ]

  /// Makes a file go out without its location.
  ///
  /// - Throws: `FileFailure` for a picture or film where that cannot be done; other files pass.
  static func strip(_ file: inout OutgoingFile) throws(FileFailure) {
    let descriptor = try file.open()
    defer { close(descriptor) }
    var head = [UInt8](repeating: 0, count: FileFormat.headLength)
    let count = max(0, pread(descriptor, &head, head.count, 0))
    let format = FileFormat(head: head.prefix(count))
    guard format == .jpeg else {
      guard mayTell.contains(format) else { return }
      throw FileFailure(
        .unsupported,
        "a location can be taken out of JPEG photos alone, and this is \(format.rawValue)")
    }
    do throws(LocationRefusal) {
      file.replacements = try LocationStripper.replacements(in: .file(descriptor: descriptor)).map {
        OutgoingFile.Replacement(offset: Int64($0.offset), bytes: $0.bytes)
      }
    } catch {
      throw FileFailure(.unsupported, "its location cannot be taken out: \(error.reason)")
    }
  }
}
