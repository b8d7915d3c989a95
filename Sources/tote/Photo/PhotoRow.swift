import ArgumentParser
import Core
import Photos

/// One photo as it is listed.
struct PhotoRow: ListRow, CommandResult {
  let photo: Photo
  /// What stands before the addresses of its pictures.
  var base = ""
  /// Where its picture was saved.
  var file: String?

  /// The keys of a photo, each behind a prefix.
  static func outputKeys(_ prefix: String) -> [OutputKey] {
    [
      OutputKey(prefix + "id", "string", "the photo's id; ids sort by time"),
      OutputKey(prefix + "number", "integer", "its number, for clients of 32 bits"),
      OutputKey(prefix + "title", "string", "its title, perhaps empty"),
      OutputKey(prefix + "user", "string", "who added it"),
      OutputKey(prefix + "width", "integer", "pixels from left to right"),
      OutputKey(prefix + "height", "integer", "pixels from top to bottom"),
      OutputKey(prefix + "created", "string", "when it was added"),
      OutputKey(prefix + "taken", "string or null", "when it was taken, if that was to be kept"),
      OutputKey(prefix + "placeholder", "string", "a ThumbHash in base 64"),
      OutputKey(prefix + "notes", "array of strings", "what was remarkable about the file"),
      OutputKey(prefix + "full", "object", "the picture: its 'url', and its 'bytes'"),
      OutputKey(prefix + "view", "object", "it at the size of a screen, likewise"),
      OutputKey(prefix + "thumb", "object", "its middle square, small, likewise"),
      OutputKey(prefix + "file", "string or null", "where it was saved, with '--save'"),
    ]
  }

  static let columns = [
    Column("TIME", .identifier, dropOrder: 2), Column("USER"), Column("TITLE"),
    Column("SIZE", .identifier, dropOrder: 1), Column("ID", .identifier),
  ]

  var json: JSON {
    guard case .object(var members) = photo.json(base: base) else { return .null }
    members["file"] = file.map { .string($0) } ?? .null
    return .object(members)
  }

  func cells(on screen: Screen) -> [Cell] {
    [
      Cell(time(on: screen), plain: photo.created, look: .dim), Cell("@\(photo.user)", look: .cyan),
      Cell(photo.title), Cell(size(on: screen), plain: "\(photo.width)x\(photo.height)"),
      Cell(photo.id.description, look: .dim),
    ]
  }

  func show(on screen: Screen) throws(OutputError) {
    var pairs = [
      ("id", photo.id.description), ("user", photo.user), ("title", photo.title),
      ("created", screen.isTerminal ? time(on: screen) : photo.created),
    ]
    if let taken = photo.taken { pairs.append(("taken", taken)) }
    pairs.append(("pixels", size(on: screen)))
    for size in PictureSize.allCases {
      guard let picture = photo.pictures[size] else { continue }
      pairs.append(
        (
          size.rawValue,
          screen.isTerminal ? humanSize(Int(picture.length)) : String(picture.length)
        ))
    }
    if !photo.notes.isEmpty {
      pairs.append(("notes", photo.notes.map(\.phrase).joined(separator: ", ")))
    }
    if let file { pairs.append(("file", file)) }
    try screen.pairs(pairs.map { (name: $0.0, value: $0.1) })
  }

  /// The two lines below a picture that is drawn.
  func caption(on screen: Screen) throws(OutputError) {
    let user = screen.style.apply(.cyan, to: "@\(photo.user)")
    let title = photo.title.isEmpty ? "" : "  " + screen.safe(photo.title)
    try screen.line(user + title)
    let facts = "\(time(on: screen))  \(size(on: screen))  \(photo.id)"
    try screen.line(screen.style.apply(.dim, to: facts))
  }

  private func time(on screen: Screen) -> String {
    Instant(rfc3339: photo.created).map { screen.dates.short($0) } ?? photo.created
  }

  private func size(on screen: Screen) -> String {
    "\(photo.width)\(screen.isTerminal && screen.traits.isUTF8 ? "×" : "x")\(photo.height)"
  }
}

extension PhotoNote {
  /// The note for people.
  var phrase: String {
    switch self {
    case .noEOI: "the end mark is missing"
    case .damaged: "damaged"
    case .missingPixels: "a part is missing"
    case .extraPicturesDropped: "further pictures in it dropped"
    case .trailingDataDropped: "data behind it dropped"
    case .profileIgnored: "colour profile ignored"
    case .reduced: "made smaller"
    }
  }
}
