import Core
import HTTP
import Sync

extension PhotoLibrary {
  /// Small pictures up to so many bytes are kept in memory.
  private static let cachedLength = 512 << 10

  /// Reads a picture; nil when there is no such photo.
  ///
  /// Thumbnails are kept in memory; a photo that was removed elsewhere is noticed within a second in
  /// a store of this machine and within five on a server.
  ///
  /// - Parameters:
  ///   - size: which one; ``PictureSize/view`` gives the full picture where there is no view.
  ///   - id: the photo.
  /// - Returns: the bytes.
  /// - Throws: `StoreError`, `RemoteError`.
  public func picture(_ size: PictureSize, of id: PhotoID) async throws -> PictureBytes? {
    let key = PictureCache.Key(id: id, size: size)
    let now = clock.read()
    if let (bytes, checked) = cache.picture(key) {
      if abs(now - checked) < (store is LocalStore ? 1000 : 5000) { return bytes }
      if try await exists(id) {
        cache.confirm(key, now: now)
        return bytes
      }
      cache.remove(id)
      return nil
    }
    guard let reader = try await reader(size, of: id) else { return nil }
    return try bytes(reader, size, key, now)
  }

  private func bytes(
    _ reader: consuming AttachmentReader, _ size: PictureSize, _ key: PictureCache.Key,
    _ now: Int64
  ) throws -> PictureBytes? {
    let attachment = reader.attachment
    guard attachment.encoding == nil else { return nil }
    let picture = Photo.Picture(length: Int64(attachment.length), digest: attachment.digest)
    // The file of a local view is as fast; from a server it came a long way.
    let isCached =
      attachment.length <= Self.cachedLength && size != .full
      && (size == .thumb || !(store is LocalStore))
    if isCached {
      let bytes = try reader.bytes()
      cache.keep(key, bytes, picture, now: now)
      return PictureBytes(picture: picture, content: .memory(bytes))
    }
    let source = AttachmentBytes(reader)
    if let file = try source.file() { return PictureBytes(picture: picture, content: .file(file)) }
    return PictureBytes(picture: picture, content: .stream { source.body($0) })
  }

  private func exists(_ id: PhotoID) async throws -> Bool {
    var request = ListRequest()
    request.ids = [PhotoDocument.id(of: id)]
    request.countsRows = false
    return try await store.allDocuments(request).rows.contains {
      $0.revision != nil && !$0.isDeleted
    }
  }

  private func reader(_ size: PictureSize, of id: PhotoID) async throws -> AttachmentReader? {
    guard let local = store as? LocalStore else { return try await fetched(size, of: id) }
    for name in Self.names(size) {
      do {
        return try local.attachment(named: name, of: PhotoDocument.id(of: id))
      } catch StoreError.attachmentNotFound {
        continue
      } catch StoreError.documentNotFound {
        return nil
      }
    }
    return nil
  }

  /// Fetches one picture from a server, checked against its digest.
  private func fetched(_ size: PictureSize, of id: PhotoID) async throws -> AttachmentReader? {
    guard var document = try await document(id) else { return nil }
    let all = document.attachments
    guard
      let wanted = Self.names(size).lazy.compactMap({ name in
        all.first { utf8Equal($0.name, name) }
      }).first
    else { return nil }
    document.attachments = [wanted]
    let filled = try await store.withAttachments(document, since: [])
    guard
      let staged = filled.attachments.first(where: { utf8Equal($0.name, wanted.name) })
    else { return nil }
    return try AttachmentReader(staged: staged)
  }

  private static func names(_ size: PictureSize) -> [String] {
    size == .view
      ? [size.attachmentName, PictureSize.full.attachmentName] : [size.attachmentName]
  }
}
