import Core
import Glibc
import HTTP
import Photos

/// Writes pictures into a folder, each under its photo's id and as a whole or not at all.
final class PhotoSaver {
  private let folder: String
  private let photos: any PhotoReading
  private var written = 0
  private var present = 0

  /// - Parameters:
  ///   - folder: made when it is not there.
  ///   - photos: where the pictures come from.
  /// - Throws: `CommandError` when there can be no such folder.
  init(folder: String, photos: any PhotoReading) throws {
    self.folder = folder
    self.photos = photos
    guard mkdir(folder, 0o777) == 0 || errno == EEXIST else {
      throw CommandError(
        .cannotCreate, "cannot_create", "cannot create '\(folder)': \(systemMessage(errno))")
    }
  }

  /// Writes the full picture, unless it is there.
  ///
  /// - Parameter photo: the photo.
  /// - Returns: the file's path, or nil when the photo is gone meanwhile.
  /// - Throws: what reading and writing meet.
  func save(_ photo: Photo) async throws -> String? {
    // Ids are letters and digits: nothing in them names another folder.
    let path = (folder.hasSuffix("/") ? folder : folder + "/") + "\(photo.id).jpg"
    var status = stat()
    if stat(path, &status) == 0, Int64(status.st_size) == photo.picture(.full)?.length {
      present += 1
      return path
    }
    guard let body = try await photos.pictureBody(.full, of: photo.id) else { return nil }
    let file = try OutputFile(path: path)
    for try await chunk in body { try file.write(chunk) }
    try file.commit()
    written += 1
    return path
  }

  /// Tells how many were written.
  func finish(_ context: Context) throws {
    let rest = present == 0 ? "" : ", \(present) were there already"
    try context.note("saved \(counted(written, "picture")) in '\(folder)'\(rest)")
  }
}
