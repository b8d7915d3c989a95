import Core
import Glibc
import HTTP

/// Writes photos into a folder.
///
/// There is a JPEG file for each, `ID.jpg`, and `photos.jsonl` that tells what they are, a line each,
/// newest first. Smaller pictures are `ID-view.jpg` and `ID-thumb.jpg`.
///
/// A run that was cut short goes on where it was: files that are there with all their bytes are not
/// fetched again. Files appear under their names only when they are complete. What an earlier run
/// listed stays listed as long as its file is there, also when its photo is gone from the library.
public struct PhotoExport: Sendable {
  /// What a run did.
  public struct Summary: Sendable, Hashable {
    /// Photos that were written.
    public var written = 0
    /// Photos that were there already.
    public var skipped = 0
    /// Bytes that were written.
    public var bytes: Int64 = 0
    /// Photos that could not be written, with the reason.
    public var failures: [Failure] = []
  }

  /// A photo that could not be written.
  public struct Failure: Sendable, Hashable {
    /// The photo.
    public var id: PhotoID
    /// Why, for people.
    public var reason: String
  }

  private let source: any PhotoReading
  private let folder: Folder

  /// The list of what the files are.
  public static let listName = "photos.jsonl"
  /// What unfinished files' names begin with.
  private static let draftPrefix = ".tote-export-"
  private static let pageLength = 100

  /// Prepares an export.
  ///
  /// - Parameters:
  ///   - source: a library or a server.
  ///   - folder: the folder's path; it is made if need be, for its owner only.
  public init(_ source: any PhotoReading, to folder: String) {
    self.source = source
    self.folder = Folder(folder)
  }

  /// Writes what is not there.
  ///
  /// - Parameters:
  ///   - user: only photos of this user; nil for those of all.
  ///   - size: which picture is written.
  ///   - progress: told after every photo; may throw to stop.
  /// - Returns: what was done. A photo that was removed meanwhile is left out.
  /// - Throws: what the source says, `StoreError` when the folder cannot be written.
  public func run(
    by user: String? = nil, size: PictureSize = .full,
    progress: (Photo, Summary) throws -> Void = { _, _ in }
  ) async throws -> Summary {
    try folder.create()
    try removeDrafts()
    var summary = Summary()
    let list = try Draft(in: folder, as: Self.listName)
    var old = PhotoExportList(folder.appending(Self.listName))
    var cursor: PhotoID?
    repeat {
      let page = try await source.newest(Self.pageLength, before: cursor, by: user)
      for photo in page.photos {
        try Task.checkCancellation()
        guard try await export(photo, size, &summary) else { continue }
        let name = Self.fileName(photo.id, size)
        try keep(&old, before: photo.id, except: name, in: list)
        var line = photo.json()
        line["file"] = .string(name)
        try list.write(line.serializedBytes() + [UInt8(ascii: "\n")])
        try progress(photo, summary)
      }
      cursor = page.next
    } while cursor != nil
    try keep(&old, before: nil, except: "", in: list)
    try list.finish()
    try folder.synchronize()
    return summary
  }

  /// The file of a picture of a photo.
  public static func fileName(_ id: PhotoID, _ size: PictureSize = .full) -> String {
    size == .full ? "\(id).jpg" : "\(id)-\(size.rawValue).jpg"
  }

  /// Takes over what an earlier run listed of photos that are not older than one, nil for all the rest.
  private func keep(
    _ old: inout PhotoExportList, before id: PhotoID?, except name: String, in list: Draft
  ) throws {
    while let entry = try old.next(notOlderThan: id) {
      var status = stat()
      guard !utf8Equal(entry.file, name), lstat(folder.appending(entry.file), &status) == 0,
        status.st_mode & S_IFMT == S_IFREG
      else { continue }
      try list.write(entry.line + [UInt8(ascii: "\n")])
    }
  }

  /// Writes one photo; false when it is not in the folder afterwards.
  private func export(
    _ photo: Photo, _ size: PictureSize, _ summary: inout Summary
  ) async throws -> Bool {
    let name = Self.fileName(photo.id, size)
    let length = photo.picture(size)?.length
    var status = stat()
    if lstat(folder.appending(name), &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      Int64(status.st_size) == length
    {
      summary.skipped += 1
      return true
    }
    do {
      guard let body = try await source.pictureBody(size, of: photo.id) else { return false }
      let draft = try Draft(in: folder, as: name)
      var count: Int64 = 0
      for try await chunk in body {
        try draft.write(chunk)
        count += Int64(chunk.count)
      }
      guard length == nil || count == length else {
        throw HTTPError.connectionClosed(text: "\(count) of \(length ?? 0) bytes came")
      }
      try draft.finish()
      summary.written += 1
      summary.bytes += count
      return true
    } catch let error where Self.concernsOnePhoto(error) {
      summary.failures.append(Failure(id: photo.id, reason: "\(error)"))
      return false
    }
  }

  /// Damage of one picture; a full disk or a server that is away concerns all.
  private static func concernsOnePhoto(_ error: any Error) -> Bool {
    switch error {
    case StoreError.damagedAttachment, StoreError.attachmentNotFound, HTTPError.connectionClosed,
      HTTPError.protocolViolation:
      true
    default: false
    }
  }

  private func removeDrafts() throws {
    for name in try folder.names() where name.utf8.starts(with: Self.draftPrefix.utf8) {
      unlink(folder.appending(name))
    }
  }

  /// A file that gets its name when it is complete.
  private final class Draft {
    private let file: OpenFile
    private let target: String
    private var isFinished = false

    init(in folder: Folder, as name: String) throws {
      file = try OpenFile(
        folder.appending(draftPrefix + RandomIdentifier.uuid()), O_WRONLY | O_CREAT | O_EXCL)
      target = folder.appending(name)
    }

    deinit {
      if !isFinished { unlink(file.path) }
    }

    func write(_ bytes: [UInt8]) throws {
      let result = bytes.withUnsafeBytes { raw in
        Result { () throws(StoreError) in try file.write(raw) }
      }
      try result.get()
    }

    func finish() throws {
      try file.synchronize()
      try renameFile(file.path, to: target)
      isFinished = true
    }
  }
}
