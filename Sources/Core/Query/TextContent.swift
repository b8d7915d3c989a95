/// The words of a document for a text index: the strings of some fields, also within arrays and
/// objects there.
final class TextContent {
  private let names: [(first: Int, count: Int)]
  private let storage: MatcherStorage
  private let program: MatcherProgram
  /// Which documents have text; nil for all.
  private let filter: ByteMatcher?

  /// Nil when the definition's filter looks at what is not in the body.
  init?(_ definition: IndexDefinition, _ collation: Collation) {
    filter =
      definition.partialFilter == .everything
      ? nil : ByteMatcher(definition.partialFilter, collation: collation)
    if filter == nil, definition.partialFilter != .everything { return nil }
    var compiler = MatcherCompiler(collation: .codePoint)
    names = definition.fields.map { compiler.addNames(of: $0.path) }
    storage = compiler.finish()
    program = storage.program(root: 0, collation: .codePoint)
  }

  /// The text of each field; nil when all are empty, or the filter refuses the document.
  func texts(
    of body: UnsafeRawBufferPointer, id: UnsafeRawBufferPointer, revision: () -> String
  ) -> [[UInt8]]? {
    if let filter, !filter.matches(body, id: id, revision: revision) { return nil }
    guard let base = body.baseAddress?.assumingMemoryBound(to: UInt8.self), !body.isEmpty else {
      return nil
    }
    let end = base + body.count
    let run = MatcherRun(program: program, end: end, id: id)
    let texts = names.map { name in
      var text: [UInt8] = []
      if let value = run.value(at: name.first, name.count, from: base) {
        Self.append(value, CanonicalText.skipValue(value, end), to: &text)
      }
      return text
    }
    return texts.allSatisfy(\.isEmpty) ? nil : texts
  }

  /// Appends every string of a value but the keys, a line each.
  private static func append(
    _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, to text: inout [UInt8]
  ) {
    var place = start
    while place < end {
      guard place.pointee == UInt8(ascii: "\"") else {
        place += 1
        continue
      }
      let after = CanonicalText.skipString(place, end)
      // A key is followed by a colon.
      if after >= end || after.pointee != UInt8(ascii: ":") {
        if !text.isEmpty { text.append(UInt8(ascii: "\n")) }
        CanonicalText.withDecoded(place + 1, after - place - 2) { text.append(contentsOf: $0) }
      }
      place = after
    }
  }
}
