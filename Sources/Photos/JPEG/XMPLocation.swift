/// Blanks what names a place in an XMP packet, which is RDF in XML; its length stays.
struct XMPLocation {
  private var bytes: [UInt8]
  private var place = 0

  /// Properties that name a place beside those whose names begin with `GPS`: of Photoshop's schema
  /// and IPTC's Core and Extension.
  private static let properties: Set<[UInt8]> = Set(
    [
      "city", "state", "country", "countrycode", "countryname", "provincestate", "sublocation",
      "worldregion", "location", "locationcreated", "locationshown", "locationid", "locationname",
      "latitude", "longitude", "altitude",
    ].map { Array($0.utf8) })

  private static let strange = LocationRefusal("its XMP data is damaged, or unusual")

  /// Takes the location out of a packet.
  ///
  /// - Throws: `LocationRefusal` when it is not understood.
  static func strip(_ bytes: inout [UInt8]) throws(LocationRefusal) {
    // JPEG files hold it in UTF-8 alone; zeros may fill the segment's end.
    let end = bytes.lastIndex { $0 != 0 } ?? -1
    guard end >= 0 else { return }
    let text = bytes[...end]
    guard !text.contains(0) else { throw Self.strange }
    var packet = XMPLocation(bytes: Array(text))
    try packet.strip()
    bytes.replaceSubrange(...end, with: packet.bytes)
  }

  /// Whether a word in small letters stands in a text, in any letters.
  static func contains(_ word: StaticString, in bytes: [UInt8]) -> Bool {
    let wanted = word.withUTF8Buffer { Array($0) }
    guard bytes.count >= wanted.count else { return false }
    return (0...bytes.count - wanted.count).contains { start in
      wanted.indices.allSatisfy { lower(bytes[start + $0]) == wanted[$0] }
    }
  }

  private static func lower(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte + 0x20 : byte
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func strip() throws(LocationRefusal) {
    while let start = bytes[place...].firstIndex(of: UInt8(ascii: "<")) {
      place = start
      if starts("<?") {
        try skip(to: "?>")
      } else if starts("<!--") {
        try skip(to: "-->")
      } else if starts("<!") {
        // Neither declarations nor raw data belong here (XMP specification, part 1, §7).
        throw Self.strange
      } else if starts("</") {
        try skip(to: ">")
      } else {
        try takeTag(from: start)
      }
    }
  }

  private mutating func takeTag(from start: Int) throws(LocationRefusal) {
    place = start + 1
    let name = readName()
    guard !name.isEmpty else { throw Self.strange }
    let isLocation = Self.isLocation(name)
    while true {
      skipBlanks()
      guard place < bytes.count else { throw Self.strange }
      if starts("/>") {
        place += 2
        if isLocation { blank(start..<place) }
        return
      }
      if starts(">") {
        place += 1
        if isLocation { try blankElement(name, from: start) }
        return
      }
      try takeAttribute()
    }
  }

  private mutating func takeAttribute() throws(LocationRefusal) {
    let start = place
    let name = readName()
    skipBlanks()
    guard !name.isEmpty, starts("=") else { throw Self.strange }
    place += 1
    skipBlanks()
    guard place < bytes.count, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[place]),
      let end = bytes[(place + 1)...].firstIndex(of: bytes[place])
    else { throw Self.strange }
    place = end + 1
    if Self.isLocation(name) { blank(start..<place) }
  }

  /// Blanks an element with all that is in it.
  private mutating func blankElement(
    _ name: [UInt8], from start: Int
  ) throws(LocationRefusal) {
    var depth = 1
    while depth > 0 {
      guard let next = bytes[place...].firstIndex(of: UInt8(ascii: "<")) else {
        throw Self.strange
      }
      let isEnd = next + 1 < bytes.count && bytes[next + 1] == UInt8(ascii: "/")
      place = next + (isEnd ? 2 : 1)
      let isSame = readName() == name
      guard let end = bytes[place...].firstIndex(of: UInt8(ascii: ">")) else {
        throw Self.strange
      }
      let isEmpty = bytes[end - 1] == UInt8(ascii: "/")
      place = end + 1
      if isSame { depth += isEnd ? -1 : isEmpty ? 0 : 1 }
    }
    blank(start..<place)
  }

  private static func isLocation(_ name: [UInt8]) -> Bool {
    let local = name.split(separator: UInt8(ascii: ":")).last.map { $0.map(lower) } ?? []
    return local.starts(with: "gps".utf8) || properties.contains(local)
  }

  // MARK: Text

  private func starts(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { bytes[place...].starts(with: $0) }
  }

  private mutating func skip(to end: StaticString) throws(LocationRefusal) {
    while place < bytes.count {
      if starts(end) {
        place += end.utf8CodeUnitCount
        return
      }
      place += 1
    }
    throw Self.strange
  }

  private mutating func skipBlanks() {
    while place < bytes.count, Self.isBlank(bytes[place]) { place += 1 }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  private mutating func readName() -> [UInt8] {
    let start = place
    while place < bytes.count, !Self.isBlank(bytes[place]), !"=/><\"'".utf8.contains(bytes[place]) {
      place += 1
    }
    return Array(bytes[start..<place])
  }

  private mutating func blank(_ range: Range<Int>) {
    for place in range where !Self.isBlank(bytes[place]) { bytes[place] = 0x20 }
  }
}
