import Core
import TestSupport
import Testing

struct QueryByteMatcherTests {
  /// Matches a document by its canonical bytes.
  static func matches(_ matcher: ByteMatcher, _ document: JSON) -> Bool {
    guard case .object(var members) = document else { return false }
    let id = members.removeValue(forKey: "_id")?.stringValue ?? ""
    let revision = members.removeValue(forKey: "_rev")?.stringValue ?? ""
    let body = JSON.object(members).serializedBytes(.canonical)
    // An exact copy, so that a read past the end is a read of other memory.
    return body.withUnsafeBytes { bytes in
      Array(id.utf8).withUnsafeBytes { matcher.matches(bytes, id: $0, revision: { revision }) }
    }
  }

  @Test(
    "bytes match as value trees do, for random selectors and documents",
    arguments: Collation.allCases)
  func agreesWithEvaluator(collation: Collation) throws {
    var random = SeededGenerator(for: "agreesWithEvaluator(\(collation))")
    let documents: [JSON] = (0..<150).map { index in
      var members: JSONObject = [
        "_id": .string(QueryJSON.strings[index % QueryJSON.strings.count] + "\(index)"),
        "_rev": .string("\(index % 3 + 1)-abc"),
      ]
      for (key, value) in QueryJSON.object(depth: 3, using: &random) { members[key] = value }
      return .object(members)
    }
    var hits = 0
    var tried = 0
    for _ in 0..<600 {
      let json = QuerySelectors.json(using: &random)
      guard let selector = try? Selector(json),
        let matcher = ByteMatcher(selector, collation: collation)
      else { continue }
      tried += 1
      for document in documents {
        let expected = selector.matches(document, collation: collation)
        if expected { hits += 1 }
        guard Self.matches(matcher, document) == expected else {
          Issue.record(
            "\(json.serialized()) on \(document.serialized()) should be \(expected)")
          return
        }
      }
    }
    #expect(tried > 300)
    #expect(hits > 1000)
  }

  @Test("the recorded cases match by bytes too")
  func vectors() throws {
    let documents = try QueryVectors.documents()
    for vector in try QueryVectors.cases("find") {
      guard let json = vector["body"]?["selector"], let selector = try? Selector(json),
        let matcher = ByteMatcher(selector, collation: .unicode)
      else { continue }
      for document in documents {
        #expect(
          Self.matches(matcher, document) == selector.matches(document, collation: .unicode),
          "\(QueryVectors.name(vector))")
      }
    }
  }

  @Test(
    "text comparisons of the predicate language agree",
    arguments: [
      StringMatch(.contains, "milk", [.caseInsensitive]),
      StringMatch(.contains, "MILK", [.caseInsensitive, .diacriticInsensitive]),
      StringMatch(.contains, "a", []),
      StringMatch(.equals, "Ä", [.caseInsensitive]),
      StringMatch(.equals, "a", [.diacriticInsensitive]),
      StringMatch(.beginsWith, "a", []),
      StringMatch(.endsWith, "b", [.caseInsensitive]),
      StringMatch(.like, "a?b*", []),
      StringMatch(.like, "*", []),
    ])
  func text(match: StringMatch) throws {
    let selector = Selector(root: .field(try FieldPath("a"), .string(match)))
    let matcher = try #require(ByteMatcher(selector))
    for string in QueryJSON.strings {
      for value: JSON in [.string(string), [.string(string), 1], 1] {
        let document: JSON = ["a": value]
        #expect(
          Self.matches(matcher, document) == selector.matches(document),
          "\(document.serialized())")
      }
    }
  }

  @Test("a selector on attachments is left to the evaluator")
  func attachments() throws {
    #expect(ByteMatcher(try Selector(["_attachments": ["$exists": true]])) == nil)
  }

  @Test("a body cut short anywhere is answered without reading past its end")
  func truncated() throws {
    let selector = try Selector([
      "owner.age": ["$gt": 4], "tags": ["$elemMatch": ["$eq": "milk"]], "z": ["$exists": true],
    ])
    let matcher = try #require(ByteMatcher(selector))
    let body = JSON.serializedBytes([
      "name": "a \"b\" \\", "owner": ["age": 40], "tags": ["x\n", "milk"], "z": 1.5,
    ])(.canonical)
    for length in 0...body.count {
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 1)
      defer { copy.deallocate() }
      copy.copyBytes(from: body.prefix(length))
      let matched = matcher.matches(UnsafeRawBufferPointer(copy), id: .init(start: nil, count: 0))
      if length == body.count { #expect(matched) }
    }
  }
}
