/// Why the location cannot be taken out of a file.
public struct LocationRefusal: Error, Sendable, Hashable {
  /// The reason, in lower case and without a final period.
  public var reason: String

  init(_ reason: String) { self.reason = reason }
}

/// Finds what in a JPEG file tells where it was taken, and what to put in its place.
///
/// Nothing is re-encoded and no byte moves: pixels, orientation, times, profile and thumbnail stay as
/// they are. The GPS directory of Exif is emptied and its entry removed; in XMP and IPTC what names a
/// place becomes blanks; application segments of unknown kinds, in which some cameras repeat it,
/// become zeros. The notes of the camera's maker inside of Exif are left alone. Other pictures in the
/// file are treated as the first. A file that is not understood to its last byte is refused.
public enum LocationStripper {
  /// Bytes that take the place of a file's own.
  public struct Replacement: Sendable, Hashable {
    /// Where the first one goes.
    public var offset: Int
    /// The bytes, as many as they replace.
    public var bytes: [UInt8]
  }

  /// Tells what to replace; reading is in one pass, and bounded by the file's length.
  ///
  /// - Parameter source: a JPEG file.
  /// - Returns: by offset, without overlaps; empty when nothing tells a location.
  /// - Throws: `LocationRefusal`.
  public static func replacements(
    in source: PhotoSource
  ) throws(LocationRefusal) -> [Replacement] {
    let verdict: Result<[Replacement], LocationRefusal>
    do throws(PhotoRefusal) {
      var walk = LocationWalk(source, length: try source.length())
      verdict = try walk.run()
    } catch {
      throw LocationRefusal("it cannot be read")
    }
    return try verdict.get()
  }
}

/// Bytes of a file's metadata that belong together, though they may lie apart.
struct MetadataBlock {
  private(set) var original: [UInt8] = []
  private var pieces: [(start: Int, count: Int, offset: Int)] = []

  /// Adds bytes that lie at an offset of the file.
  mutating func append(_ bytes: [UInt8], at offset: Int) {
    pieces.append((original.count, bytes.count, offset))
    original += bytes
  }

  /// What to replace in the file so that the block becomes `changed`, which is as long.
  func replacements(_ changed: [UInt8]) -> [LocationStripper.Replacement] {
    precondition(changed.count == original.count, "no byte may move")
    return pieces.compactMap { piece in
      let range = piece.start..<piece.start + piece.count
      guard let first = range.first(where: { changed[$0] != original[$0] }),
        let last = range.last(where: { changed[$0] != original[$0] })
      else { return nil }
      return LocationStripper.Replacement(
        offset: piece.offset + first - piece.start, bytes: Array(changed[first...last]))
    }
  }
}

/// One pass over the segments of all pictures of a file (ITU-T T.81 annex B).
private struct LocationWalk: ~Copyable {
  private var window: SourceWindow
  private var place = 0
  private var segments = 0
  private var metadata = 0
  private var result: [LocationStripper.Replacement] = []
  private var photoshop = MetadataBlock()
  private var extensions: [(guid: [UInt8], length: Int, start: Int, bytes: [UInt8], at: Int)] = []

  private static let maximumSegments = 20_000
  private static let maximumMetadata = 64 << 20
  private static let maximumPictures = 32

  private static let exif = Array("Exif\0\0".utf8)
  private static let xmp = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
  private static let extendedXMP = Array("http://ns.adobe.com/xmp/extension/\0".utf8)
  private static let resources = Array("Photoshop 3.0\0".utf8)

  /// Kinds of application segments that hold no place, by marker and first bytes.
  private static let harmless: [(marker: UInt8, name: [UInt8])] = [
    (0xE0, Array("JFIF\0".utf8)), (0xE0, Array("JFXX\0".utf8)),
    (0xE2, Array("ICC_PROFILE\0".utf8)), (0xE2, Array("MPF\0".utf8)), (0xEE, Array("Adobe".utf8)),
  ]

  init(_ source: PhotoSource, length: Int) { window = SourceWindow(source, length: length) }

  /// Typed throws name one kind of error, and reading throws another than refusing.
  typealias Verdict = Result<[LocationStripper.Replacement], LocationRefusal>

  mutating func run() throws(PhotoRefusal) -> Verdict {
    for _ in 0..<Self.maximumPictures {
      if let refusal = try walkPicture() { return .failure(refusal) }
      if let refusal = finishPicture() { return .failure(refusal) }
      try skipZeros()
      guard place < window.length else {
        return .success(result.sorted { $0.offset < $1.offset })
      }
      guard try window.word(at: place) == 0xFFD8 else {
        return .failure(LocationRefusal("something unknown follows the picture, such as a film"))
      }
    }
    return .failure(LocationRefusal("it holds too many pictures"))
  }

  private mutating func skipZeros() throws(PhotoRefusal) {
    while let byte = try window.byte(at: place), byte == 0 { place += 1 }
  }

  // MARK: Segments

  private static let malformed = LocationRefusal("it is not a well-formed JPEG file")

  /// Passes over a picture from its start to behind its end.
  private mutating func walkPicture() throws(PhotoRefusal) -> LocationRefusal? {
    guard try window.word(at: place) == 0xFFD8 else { return Self.malformed }
    place += 2
    while true {
      guard try window.byte(at: place) == 0xFF else { return Self.malformed }
      while let byte = try window.byte(at: place), byte == 0xFF { place += 1 }
      guard let marker = try window.byte(at: place) else { return Self.malformed }
      place += 1
      switch marker {
      case 0xD9: return nil
      case 0x00, 0xD8: return Self.malformed
      case 0x01, 0xD0...0xD7: continue
      default: break
      }
      segments += 1
      guard segments <= Self.maximumSegments, let length = try window.word(at: place), length >= 2,
        place + length <= window.length
      else { return Self.malformed }
      let body = place + 2..<place + length
      place = body.upperBound
      if (0xE0...0xEF).contains(marker) || marker == 0xFE {
        metadata += body.count
        guard metadata <= Self.maximumMetadata else {
          return LocationRefusal("it has too much metadata")
        }
        let bytes = try window.bytes(in: body)
        guard bytes.count == body.count else { return Self.malformed }
        if let refusal = take(marker, bytes, at: body.lowerBound) { return refusal }
      } else if marker == 0xDA {
        try skipData()
      }
    }
  }

  /// Moves to the marker that ends the entropy-coded data.
  private mutating func skipData() throws(PhotoRefusal) {
    while let found = try window.next(0xFF, from: place) {
      var next = found + 1
      while let byte = try window.byte(at: next), byte == 0xFF { next += 1 }
      guard let marker = try window.byte(at: next) else { break }
      if marker != 0 && !(0xD0...0xD7).contains(marker) {
        place = next - 1
        return
      }
      place = next + 1
    }
    place = window.length
  }

  private mutating func take(
    _ marker: UInt8, _ bytes: [UInt8], at offset: Int
  ) -> LocationRefusal? {
    func rest(_ name: [UInt8]) -> [UInt8]? {
      bytes.starts(with: name) ? Array(bytes.dropFirst(name.count)) : nil
    }
    if marker == 0xE1, let block = rest(Self.exif) {
      return change(block, at: offset + Self.exif.count) { (bytes) throws(LocationRefusal) in
        try ExifLocation.strip(&bytes)
      }
    }
    if marker == 0xE1, let block = rest(Self.xmp) {
      return change(block, at: offset + Self.xmp.count) { (bytes) throws(LocationRefusal) in
        try XMPLocation.strip(&bytes)
      }
    }
    if marker == 0xE1, let part = rest(Self.extendedXMP) {
      return takeExtension(part, at: offset + Self.extendedXMP.count)
    }
    if marker == 0xED, let part = rest(Self.resources) {
      photoshop.append(part, at: offset + Self.resources.count)
      return nil
    }
    if Self.harmless.contains(where: { $0.marker == marker && bytes.starts(with: $0.name) }) {
      return nil
    }
    if marker == 0xFE {
      // A comment is for people; one that speaks of GPS may tell the place.
      guard XMPLocation.contains("gps", in: bytes) else { return nil }
      return change(bytes, at: offset) { (bytes) throws(LocationRefusal) in
        bytes = Array(repeating: UInt8(ascii: " "), count: bytes.count)
      }
    }
    return change(bytes, at: offset) { (bytes) throws(LocationRefusal) in
      bytes = Array(repeating: 0, count: bytes.count)
    }
  }

  private mutating func change(
    _ bytes: [UInt8], at offset: Int,
    _ body: (inout [UInt8]) throws(LocationRefusal) -> Void
  ) -> LocationRefusal? {
    var block = MetadataBlock()
    block.append(bytes, at: offset)
    return change(block, body)
  }

  private mutating func change(
    _ block: MetadataBlock, _ body: (inout [UInt8]) throws(LocationRefusal) -> Void
  ) -> LocationRefusal? {
    var changed = block.original
    do throws(LocationRefusal) { try body(&changed) } catch { return error }
    result += block.replacements(changed)
    return nil
  }

  // MARK: What several segments hold together

  /// Adobe's XMP specification, part 3, §1.1.3.1: a GUID, the whole length, the part's offset.
  private mutating func takeExtension(_ part: [UInt8], at offset: Int) -> LocationRefusal? {
    guard part.count >= 40 else { return LocationRefusal("its XMP data is damaged") }
    func number(_ place: Int) -> Int { part[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
    extensions.append(
      (Array(part[..<32]), number(32), number(36), Array(part[40...]), offset + 40))
    return nil
  }

  private mutating func finishPicture() -> LocationRefusal? {
    defer {
      photoshop = MetadataBlock()
      extensions = []
    }
    if let refusal = change(
      photoshop,
      { (bytes) throws(LocationRefusal) in try IPTCLocation.stripResources(&bytes) })
    {
      return refusal
    }
    while let first = extensions.first {
      let parts = extensions.filter { $0.guid == first.guid }.sorted { $0.start < $1.start }
      extensions.removeAll { $0.guid == first.guid }
      var block = MetadataBlock()
      for part in parts {
        guard part.start == block.original.count, part.length == first.length else {
          return LocationRefusal("its XMP data is incomplete")
        }
        block.append(part.bytes, at: part.at)
      }
      guard block.original.count == first.length else {
        return LocationRefusal("its XMP data is incomplete")
      }
      if let refusal = change(
        block, { (bytes) throws(LocationRefusal) in try XMPLocation.strip(&bytes) })
      {
        return refusal
      }
    }
    return nil
  }
}
