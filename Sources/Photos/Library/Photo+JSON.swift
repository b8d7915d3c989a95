public import Core

/// The form of a photo in the API, in exports and in the output of commands.
extension Photo {
  /// The photo as the API tells it.
  ///
  /// - Parameter base: what stands before `/photos/…` in the addresses of the pictures: nothing, or
  ///   the path that the service lies under.
  /// - Returns: an object; all keys are always there.
  public func json(base: String = "") -> JSON {
    func link(_ size: PictureSize) -> JSON {
      // The full picture serves as its own view, under its own address.
      let shown = size == .view && pictures[.view] == nil ? .full : size
      return [
        "url": .string("\(base)/photos/\(id)/\(shown.attachmentName)"),
        "bytes": .integer(pictures[shown]?.length ?? 0),
      ]
    }
    return [
      "id": .string(id.description), "number": .integer(Int64(number)), "title": .string(title),
      "user": .string(user), "width": .integer(Int64(width)), "height": .integer(Int64(height)),
      "created": .string(created), "taken": taken.map { .string($0) } ?? .null,
      "placeholder": .string(base64(placeholder)),
      "notes": .array(notes.map { .string($0.rawValue) }),
      "full": link(.full), "view": link(.view), "thumb": link(.thumb),
    ]
  }

  /// Reads a photo as the API tells it; nil when it is none.
  ///
  /// The digests of the pictures are not told: they are empty.
  ///
  /// - Parameter json: the object; nothing in it is trusted.
  public init?(json: JSON) {
    func size(_ key: String) -> Int? {
      json[key]?.integerValue.flatMap { (1...1_000_000).contains($0) ? Int($0) : nil }
    }
    guard let id = json["id"]?.stringValue.flatMap(PhotoID.init),
      let number = json["number"]?.integerValue.flatMap({ Int32(exactly: $0) }),
      let user = json["user"]?.stringValue, PhotoText.isUserName(user),
      let width = size("width"), let height = size("height")
    else { return nil }
    var pictures: [PictureSize: Picture] = [:]
    for size in PictureSize.allCases {
      guard let link = json[size.rawValue], let length = link["bytes"]?.integerValue,
        link["url"]?.stringValue?.hasSuffix("/" + size.attachmentName) == true
      else { continue }
      pictures[size] = Picture(length: length, digest: "")
    }
    guard pictures[.full] != nil, pictures[.thumb] != nil else { return nil }
    self.init(
      id: id, number: number, title: PhotoText.shown(json["title"]?.stringValue ?? ""), user: user,
      width: width, height: height, created: PhotoDocument.timestamp(id.milliseconds),
      taken: json["taken"]?.stringValue.flatMap(PhotoDocument.localTime),
      placeholder: json["placeholder"]?.stringValue.flatMap(base64Decoded) ?? [],
      notes: (json["notes"]?.arrayValue ?? []).compactMap {
        $0.stringValue.flatMap(PhotoNote.init(rawValue:))
      }, pictures: pictures)
  }
}
