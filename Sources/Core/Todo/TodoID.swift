/// The ids of todo documents and the short forms people type.
///
/// An id is random base-32 text without the letters `i l o u`, a letter first. Ids of documents that
/// another client made are stood in for by a hash of the same form, so nothing is written to them.
public enum TodoID {
  /// The digits in use: 22 letters, then 10 numerals.
  private static let alphabet = Array("abcdefghjkmnpqrstvwxyz0123456789".utf8)
  private static let letters = 22

  /// The length of a new id in characters (about 79 random bits).
  public static let length = 16

  /// A new random id.
  public static func random(using generator: inout some RandomNumberGenerator) -> String {
    var bytes = [alphabet[Int.random(in: 0..<letters, using: &generator)]]
    while bytes.count < length {
      bytes.append(alphabet[Int.random(in: 0..<alphabet.count, using: &generator)])
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether an id was made by `random(using:)`.
  public static func isOwn(_ id: String) -> Bool {
    let bytes = Array(id.utf8)
    return bytes.count == length && bytes.allSatisfy(alphabet.contains)
      && alphabet.prefix(letters).contains(bytes[0])
  }

  /// The text whose prefixes are the short forms of a document id: the id itself, or for a foreign
  /// id its hash (64-bit FNV-1a, twelve base-32 digits).
  public static func key(for id: String) -> String {
    guard !isOwn(id) else { return id }
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in id.utf8 {
      hash ^= UInt64(byte)
      hash = hash &* 0x100_0000_01b3
    }
    var bytes = [alphabet[Int(hash % UInt64(letters))]]
    hash /= UInt64(letters)
    for _ in 0..<11 {
      bytes.append(alphabet[Int(hash & 31)])
      hash >>= 5
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The short ids of all todos of one store, tombstones included.
///
/// A short id is the shortest prefix of at least three characters that no other item shares. When a
/// merge makes two alike, both grow; the old form then names neither, so an old listing can never
/// hit the wrong item.
public struct ShortIDs: Sendable {
  /// What a typed id names.
  public enum Resolution: Sendable, Equatable {
    /// Exactly one document, by its id.
    case found(String)
    /// Nothing.
    case unknown
    /// Several documents, by their ids, sorted.
    case ambiguous([String])
  }

  /// The fewest characters a short id has.
  public static let minimumLength = 3

  private var entries: [(key: [UInt8], id: String)]

  /// Collects the ids of a store.
  ///
  /// - Parameter documentIDs: the ids of all todos, deleted ones too, in any order.
  public init(documentIDs: some Sequence<String>) {
    entries = documentIDs.map { (Array(TodoID.key(for: $0).utf8), $0) }
      .sorted { $0.key.lexicographicallyPrecedes($1.key) }
  }

  /// Takes in one more id.
  public mutating func insert(_ documentID: String) {
    let key = Array(TodoID.key(for: documentID).utf8)
    entries.insert((key, documentID), at: lowerBound(key))
  }

  /// The short form of a document's id; the document need not be among those collected.
  public func short(for documentID: String) -> String {
    let key = Array(TodoID.key(for: documentID).utf8)
    let position = lowerBound(key)
    var length = ShortIDs.minimumLength
    // In sorted order only the neighbours can share the longest prefix.
    for index in (position - 1)...(position + 1) where entries.indices.contains(index) {
      let entry = entries[index]
      if utf8Equal(entry.id, documentID) { continue }
      length = max(length, commonPrefix(entry.key, key) + 1)
    }
    return String(decoding: key.prefix(length), as: UTF8.self)
  }

  /// Finds what a person means by an id: a whole document id, or a prefix of at least three
  /// characters, in either case of letters.
  public func resolve(_ text: String) -> Resolution {
    if let id = whole(text) { return .found(id) }
    let prefix = Array(text.lowercased().utf8)
    guard prefix.count >= ShortIDs.minimumLength else { return .unknown }
    var matches: [String] = []
    var index = lowerBound(prefix)
    while index < entries.count, entries[index].key.starts(with: prefix) {
      matches.append(entries[index].id)
      index += 1
    }
    switch matches.count {
    case 0: return .unknown
    case 1: return .found(matches[0])
    default: return .ambiguous(matches)
    }
  }

  /// A new random id whose first three characters no item has, if a few tries find one.
  public func makeID(using generator: inout some RandomNumberGenerator) -> String {
    var id = TodoID.random(using: &generator)
    for _ in 0..<64 {
      if resolve(String(id.prefix(ShortIDs.minimumLength))) == .unknown { return id }
      id = TodoID.random(using: &generator)
    }
    while case .found = resolve(id) { id = TodoID.random(using: &generator) }
    return id
  }

  /// A document whose whole id the text is.
  private func whole(_ text: String) -> String? {
    let key = Array(TodoID.key(for: text).utf8)
    var index = lowerBound(key)
    while index < entries.count, entries[index].key == key {
      if utf8Equal(entries[index].id, text) { return entries[index].id }
      index += 1
    }
    return nil
  }

  private func lowerBound(_ key: [UInt8]) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].key.lexicographicallyPrecedes(key) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  private func commonPrefix(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var count = 0
    while count < left.count, count < right.count, left[count] == right[count] { count += 1 }
    return count
  }
}
