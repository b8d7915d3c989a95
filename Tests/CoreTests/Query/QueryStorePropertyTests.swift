import Core
import TestSupport
import Testing

/// However a query is answered, it is answered alike.
struct QueryStorePropertyTests {
  static func randomIndexes(using random: inout SeededGenerator) throws -> [IndexDefinition] {
    let paths = ["a", "b", "c", "a.b", "list", "_id", "a.0"]
    return try (0..<6).map { number in
      // The first is one that is often of use.
      let count = number == 0 ? 1 : Int.random(in: 1...3, using: &random)
      let fields = try (0..<count).map { _ in
        SortField(
          try FieldPath(number == 0 ? "a" : paths.randomElement(using: &random) ?? "a"))
      }
      let filter: JSON =
        number > 0 && Int.random(in: 0..<4, using: &random) == 0
        ? QuerySelectors.json(depth: 1, few: true, using: &random) : [:]
      return try IndexDefinition(
        fields: fields, partialFilter: (try? Selector(filter)) ?? .everything,
        name: "ix\(number)", designDocument: "d")
    }
  }

  static func randomSort(using random: inout SeededGenerator) throws -> [SortField] {
    guard Bool.random(using: &random) else { return [] }
    return try (0..<Int.random(in: 1...2, using: &random)).map { _ in
      SortField(
        try FieldPath(["a", "b", "c", "list", "_id", "a.b"].randomElement(using: &random) ?? "a"),
        isDescending: Bool.random(using: &random))
    }
  }

  /// The answer by the evaluator and a plain sort.
  static func expected(
    _ request: FindRequest, _ documents: [JSON], _ collation: Collation
  ) -> [String] {
    func id(_ document: JSON) -> String { document["_id"]?.stringValue ?? "" }
    let found = documents.filter { request.selector.matches($0, collation: collation) }
    return found.sorted { a, b in
      for field in request.sort {
        let order = field.path.isID ? Collation.codePoint : collation
        let compared: Int
        switch (value(field.path, a), value(field.path, b)) {
        case (nil, nil): compared = 0
        case (nil, _): compared = -1
        case (_, nil): compared = 1
        case (.some(let x), .some(let y)): compared = order.compare(x, y)
        }
        if compared != 0 { return field.isDescending ? compared > 0 : compared < 0 }
      }
      // Equal documents come by id, backwards when the sort's first field is descending.
      return request.sort.first?.isDescending == true
        ? utf8Less(id(b), id(a)) : utf8Less(id(a), id(b))
    }.map(id)
  }

  /// Looks for a path by asking selectors about it, which is not how the store does it.
  static func value(_ path: FieldPath, _ document: JSON) -> JSON? {
    var value = document
    for name in path.names {
      if let member = value[name] {
        value = member
      } else if case .array(let elements) = value, let index = Int(name),
        elements.indices.contains(index)
      {
        value = elements[index]
      } else {
        return nil
      }
    }
    return value
  }

  @Test(
    "scan, index, sort, pages and count agree with the evaluator",
    arguments: Collation.allCases)
  func agrees(collation: Collation) throws {
    var random = SeededGenerator(for: "QueryStore.agrees(\(collation))")
    try withTemporaryDirectory { path in
      let store = try StoreDirectory(path: path).create("s", collation: collation)
      let definitions = try Self.randomIndexes(using: &random)
      // Half of the indexes exist before the documents, half are built over them.
      for definition in definitions.prefix(2) { _ = try? store.createIndex(definition) }
      for index in 0..<120 {
        let id = QueryJSON.strings[index % QueryJSON.strings.count] + "\(index)"
        let members = QueryJSON.object(depth: 2, few: true, using: &random)
        let revision = try store.put(Document(id: id, body: DocumentBody(members)))
        if index % 5 == 0 {
          let changed = QueryJSON.object(depth: 2, few: true, using: &random)
          let body = try DocumentBody(changed)
          try store.put(Document(id: id, revision: revision, body: body))
        } else if index % 11 == 0 {
          _ = try store.delete(id, revision: revision)
        }
      }
      for definition in definitions.dropFirst(2) { _ = try? store.createIndex(definition) }
      #expect(try store.verify().problems == [])
      let documents = try store.find(FindRequest()).documents.map(\.json)

      var byIndex = 0
      for _ in 0..<400 {
        guard let selector = try? Selector(QuerySelectors.json(few: true, using: &random)) else {
          continue
        }
        var request = FindRequest(selector: selector)
        request.sort = try Self.randomSort(using: &random)
        let ids = Self.expected(request, documents, collation)
        let plan = try store.explain(request)
        if case .index = plan.source { byIndex += 1 }
        let description =
          "\(selector.json.serialized()) sort \(request.sort.map { $0.json.serialized() }) by \(plan.source)"
        guard try store.find(request).documents.map(\.id) == ids else {
          Issue.record("\(description)")
          return
        }
        #expect(try store.count(request) == ids.count, "\(description)")
        request.limit = Int.random(in: 1...7, using: &random)
        var paged: [String] = []
        while true {
          let page = try store.find(request)
          if page.documents.isEmpty { break }
          paged += page.documents.map(\.id)
          request.bookmark = page.summary.bookmark
        }
        #expect(paged == ids, "pages of \(description)")
      }
      #expect(byIndex > 10)
    }
  }

  /// What CouchDB answers by the index it chose: of what that holds, in its order.
  static func expected(
    _ request: FindRequest, by source: QueryPlan.Source, _ documents: [JSON],
    _ collation: Collation
  ) -> [String] {
    guard case .index(let definition) = source else {
      return source == .nothing ? [] : expected(request, documents, collation)
    }
    let isDescending = request.sort.first?.isDescending ?? false
    var ordered = request
    ordered.selector = request.selector.and(definition.partialFilter)
    ordered.sort = definition.fields.map { SortField($0.path, isDescending: isDescending) }
    let held = documents.filter { document in
      definition.fields.allSatisfy { value($0.path, document) != nil }
    }
    return expected(ordered, held, collation)
  }

  @Test(
    "answers that follow CouchDB's choice agree with the evaluator, whole and in pages",
    arguments: Collation.allCases)
  func followsCouchDB(collation: Collation) throws {
    var random = SeededGenerator(for: "QueryStore.followsCouchDB(\(collation))")
    try withTemporaryDirectory { path in
      let store = try StoreDirectory(path: path).create("s", collation: collation)
      for definition in try Self.randomIndexes(using: &random) {
        _ = try? store.createIndex(definition)
      }
      for index in 0..<100 {
        let members = QueryJSON.object(depth: 2, few: true, using: &random)
        try store.put(
          Document(
            id: QueryJSON.strings[index % QueryJSON.strings.count] + "\(index)",
            body: DocumentBody(members)))
      }
      let documents = try store.find(FindRequest()).documents.map(\.json)
      var byIndex = 0
      for _ in 0..<400 {
        guard let selector = try? Selector(QuerySelectors.json(few: true, using: &random)) else {
          continue
        }
        var request = FindRequest(selector: selector)
        request.followsCouchDB = true
        request.sort = try Self.randomSort(using: &random)
        guard Set(request.sort.map(\.isDescending)).count < 2 else { continue }
        if Int.random(in: 0..<4, using: &random) == 0 {
          request.useIndex = .init(
            designDocument: "d", name: "ix\(Int.random(in: 0..<6, using: &random))")
        }
        let plan = try store.explain(request)
        guard let result = try? store.find(request) else {
          #expect(!request.sort.isEmpty && plan.source == .nothing)
          continue
        }
        if case .index = plan.source { byIndex += 1 }
        let ids = Self.expected(request, by: plan.source, documents, collation)
        let description =
          "\(selector.json.serialized()) sort \(request.sort.map { $0.json.serialized() }) by \(plan.source)"
        guard result.documents.map(\.id) == ids else {
          Issue.record("\(description)")
          return
        }
        request.limit = Int.random(in: 1...7, using: &random)
        var paged: [String] = []
        while true {
          let page = try store.find(request)
          if page.documents.isEmpty { break }
          paged += page.documents.map(\.id)
          request.bookmark = page.summary.bookmark
        }
        #expect(paged == ids, "pages of \(description)")
      }
      #expect(byIndex > 10)
    }
  }
}
