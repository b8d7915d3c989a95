/// Maps Swift values to documents and back, as IMFData's `CDTDataObjectMapper` maps objects.
///
/// Each type that is registered has a datatype name, which stands in the document's `@datatype`
/// member; queries and indexes can be restricted to it. A document's id and revision are not part of
/// the value: they travel beside it in ``Mapped``.
///
/// ```swift
/// var mapper = DocumentMapper()
/// mapper.register(TodoItem.self, as: "TodoItem")
/// let document = try mapper.document(for: Mapped(TodoItem(name: "Buy milk")))
/// let again = try mapper.mapped(TodoItem.self, from: document)
/// ```
public struct DocumentMapper: Sendable {
  /// The member that names a document's type.
  public static let datatypeMember = "@datatype"

  private var datatypes: [ObjectIdentifier: String] = [:]
  private var typeNames: [UTF8Key: String] = [:]

  /// A mapper that knows no type yet.
  public init() {}

  /// Gives a type its datatype name, replacing an earlier one.
  ///
  /// - Parameters:
  ///   - type: the Swift type.
  ///   - datatype: what `@datatype` says in its documents; not empty.
  public mutating func register(_ type: any Any.Type, as datatype: String) {
    precondition(!datatype.isEmpty, "a datatype has a name")
    if let earlier = datatypes[ObjectIdentifier(type)] { typeNames[UTF8Key(earlier)] = nil }
    datatypes[ObjectIdentifier(type)] = datatype
    typeNames[UTF8Key(datatype)] = String(describing: type)
  }

  /// The datatype name of a type; `nil` when it is not registered.
  ///
  /// - Parameter type: the Swift type.
  /// - Returns: the name given to ``register(_:as:)``.
  public func datatype(of type: any Any.Type) -> String? {
    datatypes[ObjectIdentifier(type)]
  }

  /// The name of the Swift type that was registered under a datatype; `nil` when none was.
  ///
  /// - Parameter datatype: what `@datatype` says.
  /// - Returns: the type's name without its module.
  public func typeName(ofDatatype datatype: String) -> String? {
    typeNames[UTF8Key(datatype)]
  }

  /// The document of a value, with `@datatype` in its body.
  ///
  /// - Parameter mapped: the value with its id (a time-ordered one is made when it has none) and the
  ///   revision it replaces.
  /// - Returns: a document ready to be put.
  /// - Throws: ``DocumentMappingError``, `EncodingError`, or `StoreError.invalidDocument` when the
  ///   value has a member that begins with `_`.
  public func document<Value: Encodable>(for mapped: Mapped<Value>) throws -> Document {
    let datatype = try requiredDatatype(of: Value.self)
    guard case .object(var members) = try JSON(encoding: mapped.value) else {
      throw DocumentMappingError.notAnObject(type: String(describing: Value.self))
    }
    members[Self.datatypeMember] = .string(datatype)
    return Document(
      id: mapped.id ?? RandomIdentifier.timeOrdered(), revision: mapped.revision,
      body: try DocumentBody(members))
  }

  /// The value of a document.
  ///
  /// - Parameters:
  ///   - type: a registered type.
  ///   - document: a document whose `@datatype` is the type's.
  /// - Returns: the value with the document's id and revision.
  /// - Throws: ``DocumentMappingError`` when the type is not registered or the document is of another
  ///   one, `DecodingError` when a member does not fit.
  public func mapped<Value: Decodable>(
    _ type: Value.Type = Value.self, from document: Document
  ) throws -> Mapped<Value> {
    let expected = try requiredDatatype(of: type)
    let members = document.body.members
    let found = members[Self.datatypeMember]?.stringValue
    guard let found, utf8Equal(found, expected) else {
      throw DocumentMappingError.wrongDatatype(
        document: document.id, expected: expected, found: found)
    }
    let value = try JSON.object(members).decode(type)
    return Mapped(value, id: document.id, revision: document.revision)
  }

  private func requiredDatatype(of type: any Any.Type) throws -> String {
    guard let datatype = datatype(of: type) else {
      throw DocumentMappingError.unregistered(type: String(describing: type))
    }
    return datatype
  }
}

/// A value that comes from a document, or goes into one, with the document's metadata.
public struct Mapped<Value> {
  /// The value itself.
  public var value: Value
  /// The document's id; `nil` for a document that is not stored yet.
  public var id: String?
  /// The revision that was read, which an update replaces; `nil` for a new document.
  public var revision: RevisionID?

  /// A value with its metadata.
  public init(_ value: Value, id: String? = nil, revision: RevisionID? = nil) {
    self.value = value
    self.id = id
    self.revision = revision
  }
}

extension Mapped: Sendable where Value: Sendable {}
extension Mapped: Equatable where Value: Equatable {}

/// Why a value cannot be mapped to a document or back.
public enum DocumentMappingError: Error, Sendable, Hashable {
  /// The type has no datatype name.
  case unregistered(type: String)
  /// The document is of another datatype, or of none.
  case wrongDatatype(document: String, expected: String, found: String?)
  /// The type encodes as something else than an object.
  case notAnObject(type: String)

  /// One sentence for people, such as `document 'a' is of datatype 'Note', not 'TodoItem'`.
  public var message: String {
    switch self {
    case .unregistered(let type): "type '\(type)' has no datatype"
    case .wrongDatatype(let document, let expected, let found?):
      "document '\(document)' is of datatype '\(found)', not '\(expected)'"
    case .wrongDatatype(let document, let expected, nil):
      "document '\(document)' has no datatype, '\(expected)' is expected"
    case .notAnObject(let type): "type '\(type)' does not encode as a JSON object"
    }
  }
}
