/// Header fields in the order they came, names compared without regard to ASCII case.
public struct HTTPHeaders: Sendable, Equatable {
  /// One field line.
  public struct Field: Sendable, Equatable {
    /// The name, spelled as it came.
    public var name: String
    /// The value without the blanks around it.
    public var value: String

    /// Makes a field.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  private var fields: [Field] = []

  /// No fields.
  public init() {}

  /// The pairs, in their order; a name may repeat.
  public init(_ pairs: some Sequence<(String, String)>) {
    fields = pairs.map { Field(name: $0.0, value: $0.1) }
  }

  /// The first value under a name; setting it replaces every field of that name, nil removes them.
  public subscript(name: String) -> String? {
    get { fields.first { equalIgnoringCase($0.name, name) }?.value }
    set {
      guard let newValue else { return remove(name) }
      guard let index = fields.firstIndex(where: { equalIgnoringCase($0.name, name) }) else {
        return add(name, newValue)
      }
      fields[index] = Field(name: name, value: newValue)
      var kept = 0
      fields.removeAll { field in
        guard equalIgnoringCase(field.name, name) else { return false }
        kept += 1
        return kept > 1
      }
    }
  }

  /// Every value under a name, in order.
  public func values(of name: String) -> [String] {
    fields.filter { equalIgnoringCase($0.name, name) }.map(\.value)
  }

  /// Whether there is a field of that name.
  public func contains(_ name: String) -> Bool {
    fields.contains { equalIgnoringCase($0.name, name) }
  }

  /// Appends a field, keeping those of the same name.
  public mutating func add(_ name: String, _ value: String) {
    fields.append(Field(name: name, value: value))
  }

  /// Removes every field of that name.
  public mutating func remove(_ name: String) {
    fields.removeAll { equalIgnoringCase($0.name, name) }
  }

  /// The members of a comma-separated list over all fields of a name, trimmed and in lower case.
  ///
  /// For lists of tokens such as `Connection` and `Accept-Encoding`; quoted commas are not known.
  public func tokens(of name: String) -> [String] {
    values(of: name).flatMap { value in
      value.utf8.split(separator: UInt8(ascii: ","))
        .map { asciiLowercased(trimmingBlanks($0)) }
        .filter { !$0.isEmpty }
    }
  }
}

extension HTTPHeaders: RandomAccessCollection {
  /// The index of the first field.
  public var startIndex: Int { fields.startIndex }
  /// One past the last field.
  public var endIndex: Int { fields.endIndex }
  /// The field at an index.
  public subscript(position: Int) -> Field { fields[position] }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  /// The pairs of a literal, in order.
  public init(dictionaryLiteral elements: (String, String)...) {
    self.init(elements)
  }
}
