public import Core
import Glibc
import Sync
import Synchronization

/// A library of photos: documents of a store, with their pictures as attachments.
///
/// ```swift
/// let library = try await PhotoLibrary(store, users: PhotoUsers(in: stores))
/// let page = try await library.newest(50, before: nil, by: nil)
/// ```
///
/// The store may be one of this machine or a database on a server; several libraries, in this or other
/// processes, may work on the same one. Nothing is kept of a file that was sent but its pixels.
public final class PhotoLibrary: Sendable {
  /// How a library works.
  public struct Options: Sendable {
    /// Photos that are decoded at once.
    public var decodersAtOnce = 2
    /// Photos that may wait for that; more are refused as ``PhotoLibraryError/busy``.
    public var waitingPhotos = 64
    /// Bytes of small pictures that are kept in memory.
    public var cachedBytes = 16 << 20
    /// Milliseconds since 1970, for tests.
    public var now: @Sendable () -> Int64 = {
      var now = timespec()
      clock_gettime(CLOCK_REALTIME, &now)
      return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }

    /// What fits a small machine.
    public init() {}
  }

  /// Where the photos are.
  public let store: any DocumentStore
  /// Who may add photos.
  public let users: PhotoUsers
  /// Who is logged in.
  public let sessions: PhotoSessions
  let options: Options
  let clock: PhotoClock
  let numbers: PhotoNumbers
  /// Decodes photos on threads of its own.
  let decoding: WorkQueue
  /// One upload at a time of one file by one user.
  let uploads = KeyedLock()
  let cache: PictureCache
  let feed: PhotoFeed
  let tidier: BlobTidier?

  /// Opens the library that a store holds; an empty store is one without photos.
  ///
  /// Clears up what processes left behind that ended in the middle of adding or removing.
  ///
  /// - Parameters:
  ///   - store: the photos.
  ///   - users: who may add them.
  ///   - options: how it works.
  /// - Throws: `StoreError`, `RemoteError`.
  public init(
    _ store: any DocumentStore, users: PhotoUsers, options: Options = Options()
  ) async throws {
    self.store = store
    self.users = users
    self.options = options
    clock = PhotoClock(options.now)
    sessions = PhotoSessions(store, users: users, now: options.now)
    numbers = PhotoNumbers(store)
    decoding = WorkQueue(atOnce: options.decodersAtOnce, waiting: options.waitingPhotos)
    cache = PictureCache(capacity: options.cachedBytes)
    let cache = cache
    feed = PhotoFeed(store) { cache.remove($0) }
    tidier = (store as? LocalStore).map(BlobTidier.init)
    do {
      try await tidier?.sweep()
      try await store.createIndex(try Self.userIndex)
    } catch StoreError.readOnly, StoreError.forbidden {
      // A library that cannot be written can still be looked at.
    } catch RemoteError.status(let status, _, _, _) where status == 401 || status == 403 {
      // Nor need everybody who may read be allowed to make an index.
    }
  }

  /// Ends what runs in the background; the library is not used afterwards.
  public func close() async {
    feed.close()
    await tidier?.finish()
  }

  // MARK: Reading

  private static var userIndex: IndexDefinition {
    get throws {
      try IndexDefinition(
        fields: ["user", "_id"].map { SortField(try FieldPath($0)) }, name: "user-id",
        designDocument: "photos")
    }
  }

  /// Reads a part of the stream, newest first.
  ///
  /// The cost does not grow with the number of photos: the place is found by an index.
  ///
  /// - Parameters:
  ///   - limit: photos at most; 1 to 200.
  ///   - cursor: only photos older than this one; nil for the newest.
  ///   - user: only photos of this user; nil for those of all.
  /// - Returns: the photos. There may be fewer than `limit` although more follow.
  /// - Throws: `StoreError`, `RemoteError`.
  public func newest(
    _ limit: Int, before cursor: PhotoID? = nil, by user: String? = nil
  ) async throws -> PhotoPage {
    let limit = min(max(limit, 1), 200)
    // One more tells whether there is a next page.
    let documents =
      if let user {
        try await found(limit + 1, before: cursor, by: user)
      } else { try await listed(limit + 1, before: cursor) }
    let photos = documents.prefix(limit).compactMap(PhotoDocument.photo)
    var next: PhotoID?
    if documents.count > limit { next = PhotoDocument.photoID(of: documents[limit - 1].id) }
    return PhotoPage(photos: photos, next: next)
  }

  private func listed(_ count: Int, before cursor: PhotoID?) async throws -> [Document] {
    var request = ListRequest()
    request.descending = true
    request.start = cursor.map(PhotoDocument.id) ?? PhotoDocument.photoEnd
    request.end = PhotoDocument.photoPrefix
    // The cursor's own row is left out here: not every server can leave it out.
    request.limit = count + (cursor == nil ? 0 : 1)
    request.documents = ReadOptions()
    request.countsRows = false
    let rows = try await store.allDocuments(request).rows.compactMap(\.document)
    guard let cursor else { return rows }
    let id = PhotoDocument.id(of: cursor)
    return Array(rows.drop { utf8Equal($0.id, id) }.prefix(count))
  }

  private func found(
    _ count: Int, before cursor: PhotoID?, by user: String
  ) async throws -> [Document] {
    let end = cursor.map(PhotoDocument.id) ?? PhotoDocument.photoEnd
    var request = FindRequest(
      selector: try Selector([
        "user": .string(user),
        "_id": ["$gt": .string(PhotoDocument.photoPrefix), "$lt": .string(end)],
      ]))
    request.sort = try ["user", "_id"].map { SortField(try FieldPath($0), isDescending: true) }
    request.limit = count
    request.useIndex = FindRequest.IndexChoice(designDocument: "photos", name: "user-id")
    var documents: [Document] = []
    _ = try await store.find(request) { found in
      documents.append(found.document)
      return true
    }
    return documents
  }

  /// Reads one photo; nil when there is none.
  public func photo(_ id: PhotoID) async throws -> Photo? {
    try await document(id).flatMap(PhotoDocument.photo)
  }

  /// Reads the photo of a number; nil when there is none.
  public func photo(number: Int32) async throws -> Photo? {
    guard let mapping = try await document(PhotoDocument.numberID(number)),
      let id = PhotoDocument.target(of: mapping), let photo = try await photo(id),
      photo.number == number
    else { return nil }
    return photo
  }

  /// Finds the photo that a user made of the same file.
  ///
  /// Ask it before a file is sent: what other users have is not told.
  ///
  /// - Parameters:
  ///   - digest: the SHA-256 of the file, 32 bytes.
  ///   - user: the user.
  /// - Returns: the photo; nil when there is none.
  /// - Throws: `StoreError`, `RemoteError`.
  public func upload(sentDigest digest: [UInt8], by user: String) async throws -> Photo? {
    let sent = PhotoDocument.sentID(user: user, digest: digest)
    guard let mapping = try await document(sent) else { return nil }
    return try await photo(of: mapping, by: user)
  }

  /// The photo that a mapping leads to, if it is there and this user's.
  func photo(of mapping: Document, by user: String) async throws -> Photo? {
    guard let id = PhotoDocument.target(of: mapping), let photo = try await photo(id),
      utf8Equal(photo.user, user)
    else { return nil }
    return photo
  }

  /// The small number of a user, for the tutorial's `IdUser`; given when it is first asked for.
  public func number(ofUser name: String) async throws -> Int32 {
    try await numbers.number(ofUser: name)
  }

  func document(_ id: PhotoID) async throws -> Document? {
    try await document(PhotoDocument.id(of: id))
  }

  /// A document; nil when it is not there.
  func document(_ id: String) async throws -> Document? {
    do {
      return try await store.document(id, ReadOptions())
    } catch StoreError.documentNotFound {
      return nil
    }
  }
}
