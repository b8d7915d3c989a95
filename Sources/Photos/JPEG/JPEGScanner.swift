/// Walks over the segments of a JPEG file and finds its outline, without decoding.
///
/// ITU-T T.81 annex B has the markers and their lengths. Reading is in one pass and bounded by the
/// file's length and a number of segments.
struct JPEGScanner: ~Copyable {
  private var window: SourceWindow
  private var place = 2
  private var structure = JPEGStructure()
  private var segments = 0
  private var hasFrame = false
  private var profileParts: [UInt8: [UInt8]] = [:]
  private var profileCount: UInt8 = 0
  private let maximumScans: Int

  private static let maximumSegments = 20_000
  private static let maximumProfile = 4_000_000

  private enum Marker {
    static let temporary: UInt8 = 0x01
    static let huffmanTables: UInt8 = 0xC4
    static let arithmeticTables: UInt8 = 0xCC
    static let restarts = UInt8(0xD0)...UInt8(0xD7)
    static let start: UInt8 = 0xD8
    static let end: UInt8 = 0xD9
    static let scan: UInt8 = 0xDA
    static let tables = UInt8(0xDB)...UInt8(0xDF)
    static let numberOfLines: UInt8 = 0xDC
    static let hierarchical: UInt8 = 0xDE
    static let expansion: UInt8 = 0xDF
    static let applications = UInt8(0xE0)...UInt8(0xEF)
    static let comment: UInt8 = 0xFE
  }

  private init(_ source: PhotoSource, length: Int, maximumScans: Int) {
    window = SourceWindow(source, length: length)
    self.maximumScans = maximumScans
  }

  /// Reads the outline of a file whose first bytes are those of a JPEG.
  ///
  /// - Throws: `.corrupt` or `.unsupported` when no picture can come of it, `.tooManyScans`, and
  ///   `.unreadable`.
  static func structure(
    of source: PhotoSource, length: Int, maximumScans: Int
  ) throws(PhotoRefusal) -> JPEGStructure {
    var scanner = JPEGScanner(source, length: length, maximumScans: maximumScans)
    try scanner.readHeader()
    try scanner.readScans()
    try scanner.readTrailer()
    scanner.joinProfile()
    return scanner.structure
  }

  // MARK: - Up to the first scan

  private mutating func readHeader() throws(PhotoRefusal) {
    while let marker = try nextHeaderMarker() {
      switch marker {
      case Marker.start: throw .corrupt("a second start inside the header")
      case Marker.end: throw .corrupt("it ends before the picture's data")
      case Marker.temporary, Marker.restarts: continue
      case Marker.hierarchical, Marker.expansion: throw .unsupported("hierarchical")
      case Marker.scan:
        guard hasFrame else { throw .corrupt("picture data before the frame's header") }
        place -= 2
        return
      default: break
      }
      guard let body = try segment() else { throw .corrupt("it ends inside its header") }
      switch marker {
      case 0xC0...0xCF where marker != Marker.huffmanTables && marker != Marker.arithmeticTables:
        try readFrame(marker, body)
      case Marker.applications: try readApplication(marker, body)
      default: break
      }
    }
    throw .corrupt("it ends inside its header")
  }

  /// The next marker of the header, and moves behind it; nil at the end of the file.
  private mutating func nextHeaderMarker() throws(PhotoRefusal) -> UInt8? {
    segments += 1
    guard segments <= Self.maximumSegments else { throw .corrupt("its header has no end") }
    // Bytes between segments are not legal, but every decoder skips them.
    while let found = try window.next(0xFF, from: place) {
      place = found + 1
      while let byte = try window.byte(at: place), byte == 0xFF { place += 1 }
      guard let marker = try window.byte(at: place) else { return nil }
      place += 1
      if marker != 0 { return marker }
    }
    return nil
  }

  /// The range of the segment's content behind its length, and moves behind it; nil when the file
  /// ends before.
  private mutating func segment() throws(PhotoRefusal) -> Range<Int>? {
    guard let length = try window.word(at: place) else { return nil }
    guard length >= 2 else { throw .corrupt("a segment shorter than its own length") }
    let body = place + 2..<place + length
    guard body.upperBound <= window.length else { return nil }
    place = body.upperBound
    return body
  }

  private mutating func readFrame(_ marker: UInt8, _ range: Range<Int>) throws(PhotoRefusal) {
    guard !hasFrame else { throw .corrupt("two frame headers") }
    let body = try window.bytes(in: range)
    guard body.count >= 6, body.count == 6 + 3 * Int(body[5]) else {
      throw .corrupt("the frame's header has a wrong length")
    }
    try Self.checkKind(marker, precision: body[0], components: body[5])
    structure.frame.height = Int(body[1]) << 8 | Int(body[2])
    structure.frame.width = Int(body[3]) << 8 | Int(body[4])
    structure.frame.isProgressive = marker & 0x03 == 2
    structure.frame.isArithmetic = marker >= 0xC9
    for index in 0..<Int(body[5]) {
      let sampling = body[7 + 3 * index]
      let component = JPEGStructure.Frame.Component(
        id: body[6 + 3 * index], horizontal: Int(sampling >> 4), vertical: Int(sampling & 15))
      guard 1...4 ~= component.horizontal, 1...4 ~= component.vertical else {
        throw .corrupt("a sampling factor of \(component.horizontal)x\(component.vertical)")
      }
      structure.frame.components.append(component)
    }
    guard structure.frame.width > 0, structure.frame.height > 0 else {
      throw .corrupt("it is \(structure.frame.width) × \(structure.frame.height) pixels")
    }
    hasFrame = true
  }

  /// T.81 table B.1 names the kinds of frames.
  private static func checkKind(
    _ marker: UInt8, precision: UInt8, components: UInt8
  ) throws(PhotoRefusal) {
    switch marker {
    case 0xC0, 0xC1, 0xC2, 0xC9, 0xCA: break
    case 0xC3, 0xCB: throw .unsupported("lossless")
    case 0xC8: throw .corrupt("a reserved kind of frame")
    default: throw .unsupported("hierarchical")
    }
    switch precision {
    case 8: break
    case 12, 16: throw .unsupported("\(precision) bits per sample")
    default: throw .corrupt("\(precision) bits per sample")
    }
    switch components {
    case 1, 3, 4: break
    case 0: throw .corrupt("no components")
    default: throw .unsupported("\(components) components")
    }
  }

  private mutating func readApplication(_ marker: UInt8, _ range: Range<Int>) throws(PhotoRefusal) {
    let head = try window.bytes(in: range.prefix(14))
    switch marker {
    case 0xE1 where structure.exif == nil && head.starts(with: Array("Exif\0\0".utf8)):
      structure.exif = try window.bytes(in: range.dropFirst(6))
    case 0xE2 where head.count == 14 && head.starts(with: Array("ICC_PROFILE\0".utf8)):
      let (number, count) = (head[12], head[13])
      if profileParts[number] == nil, profileCount == 0 || profileCount == count {
        profileParts[number] = try window.bytes(in: range.dropFirst(14))
      } else {
        structure.hasBrokenProfile = true
      }
      profileCount = count
    case 0xE2 where head.starts(with: Array("MPF\0".utf8)): structure.hasExtraPictures = true
    case 0xEE where head.starts(with: Array("Adobe".utf8)): structure.hasAdobeMarker = true
    default: break
    }
  }

  /// ICC.1 annex B.4: the parts are numbered from 1, and each says how many there are.
  private mutating func joinProfile() {
    guard profileCount > 0 || !profileParts.isEmpty else { return }
    let parts = (1...max(1, Int(profileCount))).map { profileParts[UInt8($0)] }
    let size = parts.reduce(0) { $0 + ($1?.count ?? 0) }
    guard !structure.hasBrokenProfile, parts.allSatisfy({ $0 != nil }),
      parts.count == profileParts.count, size <= Self.maximumProfile
    else {
      structure.hasBrokenProfile = true
      return
    }
    structure.profile = parts.flatMap { $0 ?? [] }
  }

  // MARK: - Scans

  private mutating func readScans() throws(PhotoRefusal) {
    while try readScan() {}
  }

  /// Reads a scan's header and passes over its data and what stands before the next scan.
  ///
  /// - Returns: whether there is a next scan.
  private mutating func readScan() throws(PhotoRefusal) -> Bool {
    structure.scans += 1
    guard structure.scans <= maximumScans else { throw .tooManyScans(limit: maximumScans) }
    place += 2
    guard let body = try segment() else {
      if structure.scans == 1 { throw .corrupt("it ends inside its header") }
      structure.end = window.length
      return false
    }
    let isWhole = try noteComponents(body)
    if structure.scans == 1 {
      structure.isBuffered = structure.frame.isProgressive || !isWhole
    }
    let start = place
    try skipData()
    structure.dataLength += place - start
    structure.end = place
    // A file whose one scan has all components ends here, whatever follows.
    if !structure.isBuffered {
      structure.hasEOI = try window.word(at: place) == 0xFFD9
      return false
    }
    return try findScan()
  }

  /// - Returns: whether the scan has all components of the frame.
  private mutating func noteComponents(_ range: Range<Int>) throws(PhotoRefusal) -> Bool {
    let body = try window.bytes(in: range)
    guard let count = body.first, body.count == 4 + 2 * Int(count), 1...4 ~= count else {
      throw .corrupt("a scan's header has a wrong length")
    }
    let ids = (0..<Int(count)).map { body[1 + 2 * $0] }
    // Later scans of a progressive picture add detail; the first brings the coarse picture.
    if !structure.frame.isProgressive || body[1 + 2 * Int(count)] == 0 {
      structure.componentsSeen.formUnion(ids)
    }
    return ids.count == structure.frame.components.count
  }

  /// Moves to the marker that ends the entropy-coded data, or to the end of the file.
  private mutating func skipData() throws(PhotoRefusal) {
    while let found = try window.next(0xFF, from: place) {
      var next = found + 1
      while let byte = try window.byte(at: next), byte == 0xFF { next += 1 }
      guard let marker = try window.byte(at: next) else { break }
      if marker != 0 && !Marker.restarts.contains(marker) {
        place = next - 1
        return
      }
      place = next + 1
    }
    place = window.length
  }

  /// Passes over tables and notes between scans.
  ///
  /// - Returns: true with `place` at the next scan, false at the picture's end.
  private mutating func findScan() throws(PhotoRefusal) -> Bool {
    while let word = try window.word(at: place) {
      segments += 1
      guard segments <= Self.maximumSegments else { throw .corrupt("its header has no end") }
      switch UInt8(truncatingIfNeeded: word) {
      case Marker.end where word >= 0xFF00:
        structure.end = place
        structure.hasEOI = true
        return false
      case Marker.scan where word >= 0xFF00: return true
      case 0xFF where word >= 0xFF00: place += 1
      case let marker where word >= 0xFF00 && Self.mayStandBetweenScans(marker):
        place += 2
        guard let length = try window.word(at: place), length >= 2,
          place + length <= window.length
        else { return false }
        place += length
      default: return false
      }
    }
    return false
  }

  private static func mayStandBetweenScans(_ marker: UInt8) -> Bool {
    switch marker {
    case Marker.huffmanTables, Marker.arithmeticTables, Marker.tables, Marker.applications,
      Marker.comment:
      true
    default: false
    }
  }

  // MARK: - What follows

  private mutating func readTrailer() throws(PhotoRefusal) {
    let rest = structure.end + (structure.hasEOI ? 2 : 0)
    structure.trailing = max(0, window.length - rest)
    if try window.word(at: rest) == 0xFFD8 { structure.hasExtraPictures = true }
  }
}
