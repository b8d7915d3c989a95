/// Empties the GPS directory of an Exif block (Exif 2.32 §4.6.6, a TIFF 6.0 file), in place.
struct ExifLocation {
  private var bytes: [UInt8]
  private let isBigEndian: Bool
  private var visited: Set<Int> = []
  /// What must stay: directories, and values they point to.
  private var kept: [Range<Int>] = [0..<8]
  private var wiped: [Range<Int>] = []
  /// Entries to take out: their directories and numbers.
  private var removed: [(directory: Int, index: Int)] = []
  private var texts: [(range: Range<Int>, tag: Int)] = []

  private enum Tag {
    static let subDirectories = 0x014A
    static let xmp = 0x02BC
    static let iptc = 0x83BB
    static let photoshop = 0x8649
    static let exif = 0x8769
    static let gps = 0x8825
  }

  private static let maximumEntries = 1_000
  private static let maximumDirectories = 32

  private struct Entry {
    var tag: Int
    var kind: Int
    var count: Int
    /// Where the value is, wherever that is.
    var value: Range<Int>
    var isInside: Bool
  }

  private static let strange = LocationRefusal("its Exif data is damaged, or unusual")

  /// Takes the location out of a block, which keeps its length.
  ///
  /// - Parameter bytes: the block behind `Exif\0\0`.
  /// - Throws: `LocationRefusal` when it is not understood.
  static func strip(_ bytes: inout [UInt8]) throws(LocationRefusal) {
    // Some programs leave the segment and nothing in it.
    guard !bytes.allSatisfy({ $0 == 0 }) else { return }
    var block = try ExifLocation(bytes)
    try block.strip()
    bytes = block.bytes
  }

  private init(_ bytes: [UInt8]) throws(LocationRefusal) {
    guard bytes.count >= 8 else { throw Self.strange }
    switch (bytes[0], bytes[1]) {
    case (0x49, 0x49): isBigEndian = false
    case (0x4D, 0x4D): isBigEndian = true
    default: throw Self.strange
    }
    self.bytes = bytes
    guard short(at: 2) == 42 else { throw Self.strange }
  }

  private mutating func strip() throws(LocationRefusal) {
    var next = long(at: 4)
    while next != 0 { next = try walk(next) }
    for wipe in wiped {
      // A value that is shared, or that lies in a directory, cannot be emptied for one of its users.
      guard !kept.contains(where: { $0.overlaps(wipe) }) else { throw Self.strange }
    }
    for range in wiped { for place in range { bytes[place] = 0 } }
    for text in texts { try change(text.range, text.tag) }
    // From the last entry of a directory to its first, so that numbers stay right.
    for entry in removed.sorted(by: { $0.index > $1.index }) { remove(entry) }
  }

  private mutating func change(_ range: Range<Int>, _ tag: Int) throws(LocationRefusal) {
    var text = Array(bytes[range])
    switch tag {
    case Tag.xmp: try XMPLocation.strip(&text)
    case Tag.photoshop: try IPTCLocation.stripResources(&text)
    default: try IPTCLocation.strip(&text)
    }
    bytes.replaceSubrange(range, with: text)
  }

  /// Moves what follows an entry over it, and with it the offset of the next directory.
  private mutating func remove(_ entry: (directory: Int, index: Int)) {
    let count = short(at: entry.directory)
    let start = entry.directory + 2 + 12 * entry.index
    let end = entry.directory + 2 + 12 * count + 4
    let moved = Array(bytes[start + 12..<end])
    bytes.replaceSubrange(start..<end, with: moved + [UInt8](repeating: 0, count: 12))
    let (high, low) = (UInt8((count - 1) >> 8), UInt8((count - 1) & 255))
    bytes[entry.directory] = isBigEndian ? high : low
    bytes[entry.directory + 1] = isBigEndian ? low : high
  }

  // MARK: Directories

  /// Walks over a directory and those below it.
  ///
  /// - Returns: where the next one of its chain is, 0 for none.
  private mutating func walk(_ directory: Int) throws(LocationRefusal) -> Int {
    let entries = try open(directory)
    kept.append(directory..<directory + 6 + 12 * entries.count)
    for (index, entry) in entries.enumerated() {
      switch entry.tag {
      case Tag.gps:
        let target = try pointer(entry)
        removed.append((directory, index))
        try wipe(target)
      case Tag.exif:
        // Its own chain has no other directories.
        _ = try walk(try pointer(entry))
      case Tag.subDirectories:
        guard entry.count <= Self.maximumDirectories else { throw Self.strange }
        for number in 0..<entry.count {
          _ = try walk(long(at: entry.value.lowerBound + 4 * number))
        }
      case Tag.xmp, Tag.iptc, Tag.photoshop: texts.append((entry.value, entry.tag))
      default: break
      }
      if !entry.isInside { kept.append(entry.value) }
    }
    return long(at: directory + 2 + 12 * entries.count)
  }

  private mutating func wipe(_ directory: Int) throws(LocationRefusal) {
    let entries = try open(directory)
    wiped.append(directory..<directory + 6 + 12 * entries.count)
    for entry in entries where !entry.isInside && !entry.value.isEmpty {
      wiped.append(entry.value)
    }
  }

  private mutating func open(_ directory: Int) throws(LocationRefusal) -> [Entry] {
    guard visited.insert(directory).inserted, visited.count <= Self.maximumDirectories,
      directory >= 8, directory <= bytes.count - 2
    else { throw Self.strange }
    let count = short(at: directory)
    guard count <= Self.maximumEntries, directory + 6 + 12 * count <= bytes.count else {
      throw Self.strange
    }
    var entries: [Entry] = []
    for index in 0..<count {
      entries.append(try entry(at: directory + 2 + 12 * index))
    }
    return entries
  }

  /// TIFF 6.0 §2: the bytes of a value of each type.
  private static let sizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]

  private func entry(at place: Int) throws(LocationRefusal) -> Entry {
    let kind = short(at: place + 2)
    let count = long(at: place + 4)
    guard kind < Self.sizes.count, count <= bytes.count else { throw Self.strange }
    let size = Self.sizes[kind] * count
    let start = size <= 4 ? place + 8 : long(at: place + 8)
    guard start <= bytes.count, size <= bytes.count - start else { throw Self.strange }
    return Entry(
      tag: short(at: place), kind: kind, count: count, value: start..<start + size,
      isInside: size <= 4)
  }

  private func pointer(_ entry: Entry) throws(LocationRefusal) -> Int {
    // LONG, or the type for directories of the supplements to TIFF.
    guard entry.count == 1, entry.kind == 4 || entry.kind == 13 else { throw Self.strange }
    return long(at: entry.value.lowerBound)
  }

  // MARK: Numbers

  private func short(at place: Int) -> Int {
    guard place >= 0, place <= bytes.count - 2 else { return 0 }
    let (first, second) = (Int(bytes[place]), Int(bytes[place + 1]))
    return isBigEndian ? first << 8 | second : second << 8 | first
  }

  private func long(at place: Int) -> Int {
    let (first, second) = (short(at: place), short(at: place + 2))
    return isBigEndian ? first << 16 | second : second << 16 | first
  }
}
