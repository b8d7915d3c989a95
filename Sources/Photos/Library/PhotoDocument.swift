import Core

/// The documents that a library is made of, and how a photo is read from and written into one.
enum PhotoDocument {
  static let photoPrefix = "photo:"
  /// Above every id that begins with `photoPrefix`.
  static let photoEnd = "photo;"
  static let contentType = "image/jpeg"

  /// The id of a photo's document.
  static func id(of photo: PhotoID) -> String { photoPrefix + photo.description }

  /// The photo that a document's id names; nil for other documents.
  static func photoID(of id: String) -> PhotoID? {
    guard id.utf8.starts(with: photoPrefix.utf8) else { return nil }
    return PhotoID(String(decoding: id.utf8.dropFirst(photoPrefix.utf8.count), as: UTF8.self))
  }

  /// The id of the document that finds a user's photo by the file that was sent.
  ///
  /// A hash of user and hash: the ids of a library tell nobody who has which file.
  static func sentID(user: String, digest: [UInt8]) -> String {
    var hasher = SHA256()
    hasher.update(Array(user.utf8) + [0] + digest)
    return "sent:" + hexadecimal(hasher.finish())
  }

  /// The id of the document that finds a photo by its number.
  static func numberID(_ number: Int32) -> String { "number:\(number)" }

  /// A document that finds a photo.
  static func mapping(
    _ id: String, type: String, to photo: PhotoID, over revision: RevisionID? = nil
  ) throws -> Document {
    Document(
      id: id, revision: revision,
      body: try DocumentBody(["@datatype": .string(type), "photo": .string(photo.description)]))
  }

  /// The photo that a mapping document leads to.
  static func target(of document: Document) -> PhotoID? {
    document.body.members["photo"]?.stringValue.flatMap(PhotoID.init)
  }

  // MARK: Photos

  /// The body of a photo's document; `sent` is the id of the document that finds it.
  static func body(of photo: Photo, sent: String) throws -> DocumentBody {
    try DocumentBody([
      "@datatype": "Photo", "title": .string(photo.title), "user": .string(photo.user),
      "width": .integer(Int64(photo.width)), "height": .integer(Int64(photo.height)),
      "created": .string(photo.created), "taken": photo.taken.map { .string($0) } ?? .null,
      "placeholder": .string(base64(photo.placeholder)),
      "notes": .array(photo.notes.map { .string($0.rawValue) }),
      "number": .integer(Int64(photo.number)), "sent": .string(sent),
    ])
  }

  /// Reads a photo; nil when the document is none, or lacks a picture.
  ///
  /// Documents come by replication too, so nothing in them is trusted.
  static func photo(_ document: Document) -> Photo? {
    let members = document.body.members
    func size(_ key: String) -> Int? {
      members[key]?.integerValue.flatMap { (1...1_000_000).contains($0) ? Int($0) : nil }
    }
    guard let id = photoID(of: document.id), !document.isDeleted,
      members["@datatype"] == "Photo",
      let user = members["user"]?.stringValue, PhotoText.isUserName(user),
      let width = size("width"), let height = size("height"),
      let number = members["number"]?.integerValue.flatMap({ Int32(exactly: $0) }), number > 0
    else { return nil }
    var pictures: [PictureSize: Photo.Picture] = [:]
    for size in PictureSize.allCases {
      guard
        let file = document.attachments.first(where: { utf8Equal($0.name, size.attachmentName) }),
        utf8Equal(file.contentType, contentType), file.encoding == nil
      else { continue }
      pictures[size] = Photo.Picture(length: Int64(file.length), digest: file.digest)
    }
    guard pictures[.full] != nil, pictures[.thumb] != nil else { return nil }
    return Photo(
      id: id, number: number, title: PhotoText.shown(members["title"]?.stringValue ?? ""),
      user: user, width: width, height: height, created: timestamp(id.milliseconds),
      taken: members["taken"]?.stringValue.flatMap(localTime),
      placeholder: members["placeholder"]?.stringValue.flatMap(base64Decoded)
        .flatMap { $0.count <= 64 ? $0 : nil } ?? [],
      notes: (members["notes"]?.arrayValue ?? []).compactMap {
        $0.stringValue.flatMap(PhotoNote.init(rawValue:))
      }, pictures: pictures)
  }

  /// RFC 3339 in UTC with milliseconds.
  static func timestamp(_ milliseconds: Int64) -> String {
    let text = Instant(seconds: milliseconds / 1000).rfc3339
    return "\(text.dropLast()).\(padded(Int(milliseconds % 1000), 3))Z"
  }

  /// A time without a zone to the second; nil when the text is something else.
  static func localTime(_ text: String) -> String? {
    guard text.utf8.count == 19, let stamp = ISOStamp(text), stamp.time != nil else { return nil }
    return text
  }
}
