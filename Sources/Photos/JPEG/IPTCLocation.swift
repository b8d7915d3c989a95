/// Blanks what names a place in IPTC data (IIM 4.2), which Photoshop's resources hold; lengths stay.
enum IPTCLocation {
  /// Datasets of record 2: content location, city, sublocation, province, country and its code.
  private static let datasets: Set<UInt8> = [26, 27, 90, 92, 95, 100, 101]

  private enum Resource {
    static let iptc = 0x0404
    static let exif = [0x0422, 0x0423]
    static let xmp = 0x0424
  }

  private static let strange = LocationRefusal("its IPTC data is damaged, or unusual")

  /// Takes the location out of Photoshop's image resources.
  ///
  /// - Throws: `LocationRefusal` when they are not understood.
  static func stripResources(_ bytes: inout [UInt8]) throws(LocationRefusal) {
    var place = 0
    while place < bytes.count {
      // A byte or two of padding may follow the last resource.
      if bytes[place...].allSatisfy({ $0 == 0 }) { return }
      // A signature, a number, a name of Pascal's kind padded to an even length, and a length.
      guard place + 7 <= bytes.count,
        bytes[place..<place + 4].allSatisfy({ $0 >= 0x20 && $0 < 0x7F })
      else { throw strange }
      let id = Int(bytes[place + 4]) << 8 | Int(bytes[place + 5])
      let sizePlace = place + 6 + (Int(bytes[place + 6]) + 2) / 2 * 2
      guard sizePlace + 4 <= bytes.count else { throw strange }
      let size = bytes[sizePlace..<sizePlace + 4].reduce(0) { $0 << 8 | Int($1) }
      let start = sizePlace + 4
      guard size <= bytes.count - start else { throw strange }
      try strip(&bytes, start..<start + size, id)
      place = start + size + size % 2
    }
  }

  private static func strip(
    _ bytes: inout [UInt8], _ range: Range<Int>, _ id: Int
  ) throws(LocationRefusal) {
    var content = Array(bytes[range])
    switch id {
    case Resource.iptc: try strip(&content)
    case Resource.xmp: try XMPLocation.strip(&content)
    case _ where Resource.exif.contains(id): try ExifLocation.strip(&content)
    default: return
    }
    bytes.replaceSubrange(range, with: content)
  }

  /// Takes the location out of IPTC's own datasets.
  ///
  /// - Throws: `LocationRefusal` when they are not understood.
  static func strip(_ bytes: inout [UInt8]) throws(LocationRefusal) {
    var place = 0
    while place < bytes.count {
      if bytes[place...].allSatisfy({ $0 == 0 }) { return }
      guard place + 5 <= bytes.count, bytes[place] == 0x1C else { throw strange }
      let (record, dataset) = (bytes[place + 1], bytes[place + 2])
      let size = Int(bytes[place + 3]) << 8 | Int(bytes[place + 4])
      // A set high bit announces lengths of more than two bytes, which no place's name has.
      guard size < 0x8000, place + 5 + size <= bytes.count else { throw strange }
      if record == 2, datasets.contains(dataset) {
        for byte in place + 5..<place + 5 + size { bytes[byte] = 0x20 }
      }
      place += 5 + size
    }
  }
}
