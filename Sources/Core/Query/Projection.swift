/// What a query shows of a document: some of its fields, as CouchDB's `fields`.
package struct Projection: Sendable {
  package let fields: [FieldPath]

  package init(fields: [FieldPath]) { self.fields = fields }

  /// A new document of the fields that are there, in the order they were asked for; the elements of an
  /// array become members named by their index.
  package func apply(to document: JSON) -> JSON {
    var result = JSON.object([:])
    for field in fields {
      guard case .found(let value) = field.lookup(in: document) else { continue }
      Self.set(value, at: field.names[...], in: &result)
    }
    return result
  }

  private static func set(_ value: JSON, at names: ArraySlice<String>, in target: inout JSON) {
    guard let name = names.first else {
      target = value
      return
    }
    switch target {
    case .object:
      var member = target[name] ?? .object([:])
      set(value, at: names.dropFirst(), in: &member)
      target[name] = member
    // A field asked for before holds the value already, as a whole.
    default: return
    }
  }
}
