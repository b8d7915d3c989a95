/// The members of a JSON object, in the order they were written.
///
/// Keys are unique and compare as UTF-8 bytes. Looking a key up scans the members, which beats hashing
/// for objects of the size documents have; whoever joins on thousands of keys builds an index of
/// ``UTF8Key`` of their own.
public struct JSONObject: Sendable {
  /// One member.
  public typealias Element = (key: String, value: JSON)

  private var members: [Element]

  /// An object without members.
  public init() {
    members = []
  }

  /// An object of `pairs`; of equal keys the last value wins, at the place of the first.
  public init(_ pairs: some Sequence<(String, JSON)>) {
    self.init(members: pairs.map { (key: $0.0, value: $0.1) })
  }

  /// An object of `members`, which may hold equal keys.
  init(members: [Element]) {
    self.members = members
    if members.count > Self.linearLimit {
      removeDuplicatesByHashing()
    } else {
      removeDuplicatesByScanning()
    }
  }

  /// The value of `key`.
  ///
  /// Setting `nil` removes the member; setting a value replaces it in place, or
  /// appends a member.
  public subscript(key: String) -> JSON? {
    get {
      for member in members where utf8Equal(member.key, key) { return member.value }
      return nil
    }
    set {
      guard let newValue else {
        removeValue(forKey: key)
        return
      }
      append(key: key, value: newValue)
    }
  }

  /// The keys in order.
  public var keys: [String] { members.map(\.key) }

  /// Adds a member at the end, or replaces the value in place when the key is there already.
  public mutating func append(key: String, value: JSON) {
    if let index = position(of: key) {
      members[index].value = value
    } else {
      members.append((key: key, value: value))
    }
  }

  /// Removes a member and gives its value; `nil` when there was none.
  @discardableResult
  public mutating func removeValue(forKey key: String) -> JSON? {
    guard let index = position(of: key) else { return nil }
    return members.remove(at: index).value
  }

  /// Makes room for `count` members.
  public mutating func reserveCapacity(_ count: Int) {
    members.reserveCapacity(count)
  }

  private func position(of key: String) -> Int? {
    for index in members.indices where utf8Equal(members[index].key, key) { return index }
    return nil
  }

  // MARK: Duplicate keys

  /// Up to this many members, comparing all pairs of keys is cheaper than hashing them.
  private static let linearLimit = 12

  private mutating func removeDuplicatesByScanning() {
    var index = 1
    while index < members.count {
      let key = members[index].key
      if let earlier = (0..<index).first(where: { utf8Equal(members[$0].key, key) }) {
        members[earlier].value = members.remove(at: index).value
      } else {
        index += 1
      }
    }
  }

  /// Keeps a hostile object of many members from costing quadratic time.
  private mutating func removeDuplicatesByHashing() {
    var places: [UTF8Key: Int] = [:]
    places.reserveCapacity(members.count)
    var kept = 0
    for index in members.indices {
      let key = UTF8Key(members[index].key)
      if let earlier = places[key] {
        members[earlier].value = members[index].value
      } else {
        places[key] = kept
        if kept != index { members[kept] = members[index] }
        kept += 1
      }
    }
    members.removeLast(members.count - kept)
  }
}

extension JSONObject: RandomAccessCollection {
  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of members.
  public var endIndex: Int { members.count }
  /// The member at `index`.
  public subscript(index: Int) -> Element { members[index] }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// An object, its members in the order written; of equal keys the last wins.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self.init(elements)
  }
}

extension JSONObject: Hashable {
  /// Whether both hold the same members, in any order (RFC 8259 §1: an object is unordered).
  public static func == (a: JSONObject, b: JSONObject) -> Bool {
    guard a.count == b.count else { return false }
    let sameOrder = zip(a.members, b.members).allSatisfy { utf8Equal($0.key, $1.key) }
    if sameOrder { return zip(a.members, b.members).allSatisfy { $0.value == $1.value } }
    // Keys are unique on both sides, so sorting by key pairs the members up.
    let left = a.members.sorted { utf8Less($0.key, $1.key) }
    let right = b.members.sorted { utf8Less($0.key, $1.key) }
    return zip(left, right).allSatisfy { utf8Equal($0.key, $1.key) && $0.value == $1.value }
  }

  /// Hashes the members without regard to their order.
  public func hash(into hasher: inout Hasher) {
    var sum = 0
    for member in members {
      var one = Hasher()
      hashUTF8(of: member.key, into: &one)
      one.combine(member.value)
      sum &+= one.finalize()
    }
    hasher.combine(sum)
    hasher.combine(members.count)
  }
}
