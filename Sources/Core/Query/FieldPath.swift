/// Where in a document a field lies, as selectors, sorts and indexes write it: names joined by dots.
///
/// `address.city` is the member `city` of the object `address`. In a name a backslash takes the next
/// character as it is: `a\.b` is one name. A name that is a whole number also counts, in an array, from
/// its first element (0).
public struct FieldPath: Sendable {
  /// The path as it is written, with backslashes.
  public let text: String
  /// The names, without backslashes; empty for the value itself.
  public let names: [String]

  /// The path to the value itself, within `$elemMatch` and its kind.
  static let itself = FieldPath(text: "", names: [])

  /// Reads a path.
  ///
  /// - Parameter text: names joined by dots.
  /// - Throws: ``QueryError`` `invalid_field_name` when a name is empty.
  public init(_ text: String) throws(QueryError) {
    var names: [String] = []
    var name: [UInt8] = []
    var isEscaped = false
    for byte in text.utf8 {
      if isEscaped {
        name.append(byte)
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: ".") {
        names.append(String(decoding: name, as: UTF8.self))
        name = []
      } else {
        name.append(byte)
      }
    }
    names.append(String(decoding: name, as: UTF8.self))
    if names.contains(where: \.isEmpty) { throw .invalidFieldName(text) }
    self.init(text: text, names: names)
  }

  /// A path of names, escaped where they need it.
  ///
  /// - Parameter names: the names; none may be empty.
  public init(names: [String]) {
    var escaped: [String] = []
    for name in names {
      var bytes: [UInt8] = []
      for (index, byte) in name.utf8.enumerated() {
        let needsEscape =
          byte == UInt8(ascii: ".") || byte == UInt8(ascii: "\\")
          || (index == 0 && byte == UInt8(ascii: "$"))
        if needsEscape { bytes.append(UInt8(ascii: "\\")) }
        bytes.append(byte)
      }
      escaped.append(String(decoding: bytes, as: UTF8.self))
    }
    self.init(text: escaped.joined(separator: "."), names: names)
  }

  private init(text: String, names: [String]) {
    self.text = text
    self.names = names
  }

  /// Whether this is exactly `_id`, which is compared as bytes whatever the collation.
  package var isID: Bool { names.count == 1 && names[0] == "_id" }

  /// Whether this is `_id` or `_rev`, which every document has though its body has not.
  var isImplicit: Bool { names.count == 1 && (names[0] == "_id" || names[0] == "_rev") }

  /// The path of a document's id.
  static let identifier = FieldPath(names: ["_id"])

  /// The outcome of looking for a path.
  enum Lookup {
    /// The value that is there.
    case found(JSON)
    /// The last object on the way has no such member.
    case missing
    /// Something on the way is no object, or has no such element.
    case unreachable
  }

  /// Looks for the path in a value.
  func lookup(in value: JSON) -> Lookup {
    var value = value
    for name in names {
      switch value {
      case .object(let members):
        guard let member = members[name] else { return .missing }
        value = member
      case .array(let elements):
        guard let index = Int(name), elements.indices.contains(index) else { return .unreachable }
        value = elements[index]
      default: return .unreachable
      }
    }
    return .found(value)
  }
}

extension FieldPath: Hashable {
  /// Whether both name the same place.
  public static func == (a: FieldPath, b: FieldPath) -> Bool {
    a.names.count == b.names.count && zip(a.names, b.names).allSatisfy { utf8Equal($0, $1) }
  }

  /// Hashes the names.
  public func hash(into hasher: inout Hasher) {
    for name in names { hashUTF8(of: name, into: &hasher) }
  }
}
