/// Makes collation keys of some fields straight from a stored body: what index tables hold and what
/// rows are sorted by.
final class FieldKeys {
  private struct Field {
    let firstName: Int
    let nameCount: Int
    let isID: Bool
    let isRevision: Bool
    /// Whether the key's bytes are complemented, so that greater values come first.
    let isReversed: Bool
  }

  private let fields: [Field]
  private let storage: MatcherStorage
  private let program: MatcherProgram
  private let collation: Collation
  /// Which documents have a key; nil for all.
  private let filter: ByteMatcher?

  /// Keys for an index: a document that lacks a field, or that the filter refuses, has none.
  ///
  /// Nil when the filter looks at what is not in the body.
  convenience init?(index definition: IndexDefinition, collation: Collation) {
    var filter: ByteMatcher?
    if definition.partialFilter != .everything {
      filter = ByteMatcher(definition.partialFilter, collation: collation)
      if filter == nil { return nil }
    }
    // Ascending: a table is read in both directions.
    self.init(
      definition.fields.map { SortField($0.path) }, collation: collation, filter: filter)
  }

  /// Keys for a sort: of a field that is missing, the mark of missing values.
  ///
  /// Fields of another
  /// direction than the first are reversed.
  convenience init(sort: [SortField], collation: Collation) {
    let first = sort.first?.isDescending ?? false
    self.init(
      sort.map { SortField($0.path, isDescending: $0.isDescending != first) },
      collation: collation, filter: nil)
  }

  private init(_ sort: [SortField], collation: Collation, filter: ByteMatcher?) {
    var compiler = MatcherCompiler(collation: collation)
    fields = sort.map { field in
      let names = compiler.addNames(of: field.path)
      return Field(
        firstName: names.first, nameCount: names.count, isID: field.path.isID,
        isRevision: field.path.isImplicit && !field.path.isID, isReversed: field.isDescending)
    }
    storage = compiler.finish()
    program = storage.program(root: 0, collation: collation)
    self.collation = collation
    self.filter = filter
  }

  /// Appends the key of a document; false, with a part of it appended, when it has none.
  func appendIndexKey(
    body: UnsafeRawBufferPointer, id: UnsafeRawBufferPointer, revision: () -> String,
    to key: inout [UInt8]
  ) -> Bool {
    if let filter, !filter.matches(body, id: id, revision: revision) { return false }
    return append(body: body, id: id, revision: revision, skippingMissing: false, to: &key)
  }

  /// Appends the sort key of a document.
  func appendSortKey(
    body: UnsafeRawBufferPointer, id: UnsafeRawBufferPointer, to key: inout [UInt8]
  ) {
    _ = append(body: body, id: id, revision: { "" }, skippingMissing: true, to: &key)
  }

  private func append(
    body: UnsafeRawBufferPointer, id: UnsafeRawBufferPointer, revision: () -> String,
    skippingMissing: Bool, to key: inout [UInt8]
  ) -> Bool {
    guard let base = body.baseAddress?.assumingMemoryBound(to: UInt8.self), !body.isEmpty else {
      return false
    }
    let end = base + body.count
    let run = MatcherRun(program: program, end: end, id: id)
    var encoder = CollationKeyEncoder(collation: collation)
    for field in fields {
      let start = key.count
      if field.isID {
        key.append(CollationKeyEncoder.string)
        CollationKeyEncoder.appendEscaped(
          UnsafeBufferPointer(
            start: id.baseAddress?.assumingMemoryBound(to: UInt8.self), count: id.count),
          to: &key)
        key.append(0)
      } else if field.isRevision, !skippingMissing {
        key += CollationKey(.string(revision()), collation).bytes
      } else if let value = run.value(at: field.firstName, field.nameCount, from: base) {
        encoder.append(value, end, to: &key)
      } else if skippingMissing {
        key.append(CollationKeyEncoder.missing)
      } else {
        return false
      }
      if field.isReversed {
        for index in start..<key.count { key[index] = ~key[index] }
      }
    }
    return true
  }
}

// SAFETY: everything is set by the initializer and read afterwards.
extension FieldKeys: @unchecked Sendable {}
