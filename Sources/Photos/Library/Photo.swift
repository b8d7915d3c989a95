/// A photo of a library: what is told of it, without its pictures.
public struct Photo: Sendable, Hashable {
  /// Its id.
  public var id: PhotoID
  /// A number for clients that know only 32 bits: never 0, and no two photos have the same.
  public var number: Int32
  /// What its user wrote; may be empty, at most ``PhotoText/titleLimit`` characters.
  public var title: String
  /// Who added it.
  public var user: String
  /// Pixels of the full picture from left to right.
  public var width: Int
  /// Pixels of the full picture from top to bottom.
  public var height: Int
  /// When it was added: RFC 3339 in UTC with milliseconds.
  public var created: String
  /// When it was taken by the camera's clock (`2026-11-30T12:00:00`); nil unless that was wanted.
  public var taken: String?
  /// A ThumbHash to show while the picture loads.
  public var placeholder: [UInt8]
  /// What was remarkable about the file that was sent.
  public var notes: [PhotoNote]
  /// The pictures; always with ``PictureSize/full`` and ``PictureSize/thumb``.
  public var pictures: [PictureSize: Picture]

  /// One picture of a photo.
  public struct Picture: Sendable, Hashable {
    /// Bytes.
    public var length: Int64
    /// Tells these bytes from all others: `md5-` and base 64, as CouchDB writes it.
    public var digest: String

    /// Describes a picture.
    public init(length: Int64, digest: String) {
      self.length = length
      self.digest = digest
    }
  }

  /// Describes a photo.
  public init(
    id: PhotoID, number: Int32, title: String, user: String, width: Int, height: Int,
    created: String, taken: String? = nil, placeholder: [UInt8] = [], notes: [PhotoNote] = [],
    pictures: [PictureSize: Picture] = [:]
  ) {
    self.id = id
    self.number = number
    self.title = title
    self.user = user
    self.width = width
    self.height = height
    self.created = created
    self.taken = taken
    self.placeholder = placeholder
    self.notes = notes
    self.pictures = pictures
  }

  /// The picture that serves a size: the full one where there is no view.
  public func picture(_ size: PictureSize) -> Picture? {
    pictures[size] ?? (size == .view ? pictures[.full] : nil)
  }
}

/// A part of a stream, newest first.
public struct PhotoPage: Sendable, Hashable {
  /// The photos.
  public var photos: [Photo]
  /// Where the next page begins: give it as `before`; nil when there is none.
  public var next: PhotoID?

  /// A page with its parts.
  public init(photos: [Photo], next: PhotoID?) {
    self.photos = photos
    self.next = next
  }
}

/// What came of adding a photo.
public struct AddedPhoto: Sendable, Hashable {
  /// The photo, perhaps an older one.
  public var photo: Photo
  /// Whether the user had added the same file before.
  public var isDuplicate: Bool
  /// What the sender should know.
  public var notes: [PhotoNote] { photo.notes }

  /// A result with its parts.
  public init(photo: Photo, isDuplicate: Bool) {
    self.photo = photo
    self.isDuplicate = isDuplicate
  }
}

/// Something that happened in a library.
public enum PhotoEvent: Sendable, Hashable {
  /// A photo was added.
  case added(Photo)
  /// A photo is gone.
  case removed(PhotoID)
}
