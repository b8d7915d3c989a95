import Glibc

/// Takes a document's JSON text apart for bulk work: its reserved members are found, the rest is
/// written in canonical form, and no tree and no string is made.
///
/// One scanner is made per thread. ``scan(_:)`` parses a text; the other methods then take the same
/// bytes again, since the scanner keeps no pointer to them.
public struct DocumentScanner: ~Copyable {
  /// The reserved members that CouchDB knows.
  public struct Members: OptionSet, Sendable {
    /// One bit a member.
    public let rawValue: UInt16

    /// The members whose bits are set.
    public init(rawValue: UInt16) {
      self.rawValue = rawValue
    }

    /// The document id, `_id`.
    public static let id = Members(rawValue: 1 << 0)
    /// The revision, `_rev`.
    public static let revision = Members(rawValue: 1 << 1)
    /// `_deleted`, whether true or false.
    public static let deleted = Members(rawValue: 1 << 2)
    /// The attachments, `_attachments`.
    public static let attachments = Members(rawValue: 1 << 3)
    /// The revision history, `_revisions`.
    public static let revisions = Members(rawValue: 1 << 4)
    /// Members a server adds to what it answers and ignores in what it takes: `_revs_info`,
    /// `_conflicts`, `_deleted_conflicts`, `_local_seq`.
    public static let informative = Members(rawValue: 1 << 5)
  }

  /// Why a text is no document.
  public enum Fault: Error, Sendable, Hashable {
    /// The text is not JSON.
    case json(JSONError)
    /// The JSON is no object.
    case notAnObject
    /// A reserved member has a value of the wrong type.
    case wrongType(member: String, expected: String)
    /// A member begins with `_` and is none that CouchDB knows.
    case unknownReserved(member: String)
  }

  /// The tape of the text scanned last.
  public private(set) var tape = JSONTape()
  private var writer = CanonicalWriter()
  /// The reserved members the document has.
  public private(set) var members: Members = []
  /// Whether `_deleted` is true.
  public private(set) var isDeleted = false
  /// The tokens of the values, valid for the ``members`` that are there.
  private var idToken = 0
  private var revisionToken = 0
  private var attachmentsToken = 0
  private var revisionsToken = 0

  /// A scanner with its own tape.
  public init() {}

  /// Parses a document and finds its reserved members; of equal ones the last counts.
  ///
  /// - Parameter bytes: the JSON text of one document.
  /// - Throws: ``Fault``.
  public mutating func scan(_ bytes: UnsafeRawBufferPointer) throws(Fault) {
    do throws(JSONError) {
      try tape.parse(bytes)
    } catch {
      throw .json(error)
    }
    try findMembers(ofObject: 0, in: bytes)
  }

  /// Finds the reserved members of one object of a larger text that was parsed by ``tape``.
  private mutating func findMembers(
    ofObject root: Int, in bytes: UnsafeRawBufferPointer
  ) throws(Fault) {
    members = []
    isDeleted = false
    let tokens = tape.tokens
    guard tokens[root].kind == .object,
      let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    else { throw .notAnObject }
    var child = root + 1
    let end = Int(tokens[root].next)
    while child < end {
      let key = tokens[child]
      if key.length > 0 {
        let lead = base[Int(key.offset)]
        // An escaped key may be a reserved one in disguise: `\u005fid`.
        if lead == UInt8(ascii: "_") || (key.hasEscapes && lead == UInt8(ascii: "\\")) {
          try note(child, base, bytes)
        }
      }
      child = Int(tokens[child + 1].next)
    }
  }

  private mutating func note(
    _ key: Int, _ base: UnsafePointer<UInt8>, _ bytes: UnsafeRawBufferPointer
  ) throws(Fault) {
    let token = tape.tokens[key]
    let value = key + 1
    let kind = tape.tokens[value].kind
    if token.hasEscapes {
      let name = tape.string(at: key, in: bytes)
      guard name.utf8.first == UInt8(ascii: "_") else { return }
      guard let member = Self.member(named: name) else { throw .unknownReserved(member: name) }
      return try note(member, value: value, kind: kind)
    }
    let name = UnsafeRawBufferPointer(start: base + Int(token.offset), count: Int(token.length))
    guard let member = Self.member(named: name) else {
      throw .unknownReserved(member: tape.string(at: key, in: bytes))
    }
    try note(member, value: value, kind: kind)
  }

  private mutating func note(
    _ member: Members, value: Int, kind: JSONToken.Kind
  ) throws(Fault) {
    switch member {
    case .id:
      guard kind == .string else { throw .wrongType(member: "_id", expected: "a string") }
      idToken = value
    case .revision:
      guard kind == .string else { throw .wrongType(member: "_rev", expected: "a string") }
      revisionToken = value
    case .deleted:
      guard kind == .true || kind == .false else {
        throw .wrongType(member: "_deleted", expected: "true or false")
      }
      isDeleted = kind == .true
    case .attachments:
      guard kind == .object else {
        throw .wrongType(member: "_attachments", expected: "an object")
      }
      attachmentsToken = value
    case .revisions:
      guard kind == .object else {
        throw .wrongType(member: "_revisions", expected: "an object")
      }
      revisionsToken = value
    default: break
    }
    members.insert(member)
  }

  // MARK: Parts

  /// Appends the text of `_id`, its escapes decoded; nothing when there is none.
  ///
  /// - Parameters:
  ///   - bytes: the text that was scanned.
  ///   - output: where the id is appended.
  public func appendID(in bytes: UnsafeRawBufferPointer, to output: inout ByteBuffer) {
    guard members.contains(.id) else { return }
    tape.appendText(at: idToken, in: bytes, to: &output)
  }

  /// Appends the text of `_rev`, its escapes decoded; nothing when there is none.
  ///
  /// - Parameters:
  ///   - bytes: the text that was scanned.
  ///   - output: where the revision is appended.
  public func appendRevision(in bytes: UnsafeRawBufferPointer, to output: inout ByteBuffer) {
    guard members.contains(.revision) else { return }
    tape.appendText(at: revisionToken, in: bytes, to: &output)
  }

  /// Appends the canonical form of the document without its reserved members.
  ///
  /// - Parameters:
  ///   - bytes: the text that was scanned.
  ///   - output: where the body is appended.
  public mutating func appendBody(
    in bytes: UnsafeRawBufferPointer, to output: inout ByteBuffer
  ) {
    writer.writeBody(0, of: tape, in: bytes, to: &output)
  }

  /// The tree of `_attachments`; `nil` when there is none.
  ///
  /// - Parameter bytes: the text that was scanned.
  /// - Returns: the object, names to attachments.
  public func attachments(in bytes: UnsafeRawBufferPointer) -> JSON? {
    guard members.contains(.attachments) else { return nil }
    return tape.value(at: attachmentsToken, in: bytes)
  }

  /// The tree of `_revisions`; `nil` when there is none.
  ///
  /// - Parameter bytes: the text that was scanned.
  /// - Returns: the object with `start` and `ids`.
  public func revisions(in bytes: UnsafeRawBufferPointer) -> JSON? {
    guard members.contains(.revisions) else { return nil }
    return tape.value(at: revisionsToken, in: bytes)
  }
}

extension DocumentScanner {
  /// The names CouchDB reserves, each with its bit.
  private static let names: [(StaticString, Members)] = [
    ("_id", .id), ("_rev", .revision), ("_deleted", .deleted), ("_attachments", .attachments),
    ("_revisions", .revisions), ("_revs_info", .informative), ("_conflicts", .informative),
    ("_deleted_conflicts", .informative), ("_local_seq", .informative),
  ]

  private static func member(named name: String) -> Members? {
    var name = name
    return name.withUTF8 { member(named: UnsafeRawBufferPointer($0)) }
  }

  private static func member(named name: UnsafeRawBufferPointer) -> Members? {
    guard let base = name.baseAddress else { return nil }
    for (text, member) in names
    where text.utf8CodeUnitCount == name.count && memcmp(text.utf8Start, base, name.count) == 0 {
      return member
    }
    return nil
  }
}

extension JSONTape {
  /// Appends the text of a string or key, its escapes decoded.
  ///
  /// - Parameters:
  ///   - index: the token, which must be a string or a key.
  ///   - bytes: the text that was parsed.
  ///   - output: where the text is appended.
  public func appendText(
    at index: Int, in bytes: UnsafeRawBufferPointer, to output: inout ByteBuffer
  ) {
    precondition(index >= 0 && index < count, "token index out of range")
    guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    let token = tokens[index]
    let length = Int(token.length)
    let place = base + Int(token.offset)
    if token.hasEscapes {
      let written = decodeJSONEscapes(place, count: length, into: output.reserve(length))
      output.advance(by: written)
    } else {
      output.append(place, count: length)
    }
  }
}
