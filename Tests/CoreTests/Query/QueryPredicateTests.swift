import Core
import Testing

struct QueryPredicateTests {
  static let document: JSON = [
    "_id": "d1", "name": "Buy Milk", "priority": 2, "done": false, "due": nil, "score": 1.5,
    "tags": ["a", "b"], "empty": [], "@datatype": "TodoItem", "café": "crème brûlée",
    "owner": ["name": "Ann", "age": 41, "langs": ["sv", "en"]],
    "items": [["price": 3, "what": "x"], ["price": 5, "what": "y"]], "odd name": 1, "and": "word",
    "matrix": [[1, 2], [3]], "text7": "7", "$price": 4,
  ]

  @Test(
    "a predicate that holds",
    arguments: [
      "priority == 2", "priority = 2", "priority == 2.0", "2 == priority", "priority != 3",
      "priority <> 3", "priority > 1", "1 < priority", "priority >= 2", "priority => 2",
      "priority <= 2",
      "priority =< 2", "3 >= priority", "priority BETWEEN {1, 2}", "priority between { 2 , 5 }",
      "priority IN {1, 2}", "priority NOT IN {3}", "NOT priority IN {3}", "score == 1.5",
      "name == \"Buy Milk\"", "name == 'Buy Milk'", "name == “Buy Milk”", "name ==[c] \"buy milk\"",
      "name !=[c] \"x\"", "name CONTAINS \"Milk\"", "name CONTAINS[c] \"milk\"",
      "name contains[CD] \"mílk\"", "name BEGINSWITH \"Buy\"", "name BEGINSWITH[c] \"bUY\"",
      "name ENDSWITH \"ilk\"", "name LIKE \"B*k\"", "name LIKE \"?uy Mil?\"",
      "name LIKE[c] \"*MILK\"",
      "name MATCHES \"Buy .*\"", "name MATCHES[c] \"buy m[i]lk\"", "name > \"Buy\"", "name < \"C\"",
      "café LIKE[d] \"creme brulee\"", "café CONTAINS[cd] \"BRULEE\"",
      "café MATCHES \"cr.me br.l.e\"",
      "tags CONTAINS \"a\"", "\"a\" IN tags", "ANY tags == \"b\"", "SOME tags == \"b\"",
      "ALL tags IN {\"a\", \"b\", \"c\"}", "NONE tags == \"z\"", "tags == {\"a\", \"b\"}",
      "tags IN {\"b\", \"z\"}", "tags[0] == \"a\"", "tags.1 == \"b\"", "matrix.0.1 == 2",
      "matrix[1][0] == 3", "ANY items.price > 4", "ALL items.price >= 3", "NONE items.price > 5",
      "ANY owner.langs == \"sv\"", "ANY items.what BEGINSWITH \"y\"", "owner.age > 40",
      "owner.name == \"Ann\" AND owner.age == 41", "done == FALSE", "done == no", "done != TRUE",
      "due == NULL", "due == nil", "missing == nil", "missing != 1", "NOT missing == 1",
      "NOT missing > 1", "owner.missing.deep == nil", "name.x == nil", "missing NOT IN {1}",
      "NOT (missing CONTAINS \"a\")", "@datatype == \"TodoItem\"", "`odd name` == 1",
      "`odd\\u0020name` == 1", "`and` == \"word\"", "#and == \"word\"", "$price == 4",
      "_id == \"d1\"",
      "name == \"Buy \\u004Dilk\"", "name == \"\\u{42}uy Milk\"", "TRUEPREDICATE",
      "priority == 2 && done == FALSE", "priority == 3 || done == FALSE", "! priority == 3",
      "NOT (priority == 3 OR done == TRUE)", "(priority == 2)", "priority > -1", "priority > 1e0",
      "priority == 1 OR priority == 2 AND done == FALSE", "missing IN {NULL}", "text7 >= \"7\"",
      "priority == 2\nAND done == FALSE",
    ])
  func holds(text: String) throws {
    let selector = try Predicate.selector(parsing: text)
    #expect(selector.matches(Self.document), "\(selector.json.serialized())")
    let matcher = try #require(ByteMatcher(selector))
    #expect(QueryByteMatcherTests.matches(matcher, Self.document))
    // Its complement must not hold.
    let negated = try Predicate.selector(parsing: "NOT (\(text))")
    #expect(!negated.matches(Self.document), "\(negated.json.serialized())")
  }

  @Test(
    "a predicate that does not hold",
    arguments: [
      "priority == 3", "priority == \"2\"", "text7 > 1", "text7 < 9", "priority > \"a\"",
      "done > 0",
      "missing == 1", "missing > 1", "missing < 1", "due > 0", "due != nil", "missing != nil",
      "name CONTAINS \"milk\"", "name LIKE \"Buy\"", "name MATCHES \"Buy\"",
      "name BEGINSWITH \"buy\"",
      "café LIKE \"creme brulee\"", "tags == {\"a\"}", "ANY tags == \"z\"", "ALL tags == \"a\"",
      "NONE tags == \"a\"", "ALL empty == 1", "ANY empty == 1", "FALSEPREDICATE",
      "NOT TRUEPREDICATE",
      "priority BETWEEN {3, 9}", "priority == 3 AND done == FALSE", "\"Buy\" IN name",
      "(priority == 1 OR priority == 2) AND done == TRUE",
    ])
  func fails(text: String) throws {
    let selector = try Predicate.selector(parsing: text)
    #expect(!selector.matches(Self.document), "\(selector.json.serialized())")
    let matcher = try #require(ByteMatcher(selector))
    #expect(!QueryByteMatcherTests.matches(matcher, Self.document))
    let negated = try Predicate.selector(parsing: "NOT (\(text))")
    #expect(negated.matches(Self.document), "\(negated.json.serialized())")
  }

  @Test(
    "a mistake names its column",
    arguments: [
      ("", 1), ("priority", 9), ("priority ==", 12), ("priority == ", 13),
      ("priority >= AND x == 1", 13),
      ("priority === 2", 12), ("name == milk", 6), ("name CONTAINS milk", 6), ("(a == 1", 8),
      ("a == 1)", 7), ("a == 1 b == 2", 8), ("a == \"x", 6), ("a ~ 1", 3), ("a IN 5", 1),
      ("a BETWEEN {1}", 1), ("a == {1, 2", 11), ("a LIKE 5", 1), ("a <[c] \"x\"", 4),
      ("a MATCHES \"[\"", 1), ("1 == 2", 3), ("\"x\" LIKE name", 5), ("AND a == 1", 1),
      ("a == 1.2.3", 6),
      ("a. == 1", 4), ("a > TRUE", 1), ("NOT", 4), ("a NOT 1", 7), ("tags[-1] == 1", 6),
      ("a == \"\\uZZZZ\"", 7), ("priority == 2\nAND name ~", 10),
    ])
  func mistakes(text: String, column: Int) {
    let error = #expect(throws: QueryError.self) { try Predicate.selector(parsing: text) }
    #expect(error?.code == "invalid_predicate")
    #expect(error?.column == column, "\(error?.reason ?? "")")
    #expect(error?.hint?.contains("\n" + String(repeating: " ", count: column - 1) + "^\n") == true)
    #expect(error?.hint?.contains("for example: ") == true)
  }

  @Test(
    "every example given for a mistake works",
    arguments: [
      "a", "a b", "1 <[c] 2", "name == milk", "\"x\" LIKE name", "tags[-1] == 1", "",
    ])
  func examples(text: String) throws {
    let error = #expect(throws: QueryError.self) { try Predicate.selector(parsing: text) }
    let example = try #require(
      error?.hint?.split(separator: "\n").last?.dropFirst("for example: ".count))
    _ = try Predicate.selector(parsing: String(example))
  }

  @Test("a predicate becomes the selector that other programs understand")
  func json() throws {
    func json(_ text: String) throws -> JSON { try Predicate.selector(parsing: text).json }
    #expect(
      try json("a == 1 AND b.c IN {1, 2}") == [
        "$and": [["a": ["$eq": 1]], ["b.c": ["$in": [1, 2]]]]
      ])
    #expect(try json("\"x\" IN tags") == ["tags": ["$elemMatch": ["$eq": "x"]]])
    #expect(
      try json("a != 1") == [
        "$or": [["a": ["$ne": 1]], ["a": ["$exists": false]]]
      ])
    #expect(try json("name CONTAINS[c] \"a.b\"") == ["name": ["$regex": "(?i)a\\.b"]])
    #expect(try Predicate.selector(parsing: "a >= 1").isMango)
    #expect(try !Predicate.selector(parsing: "a CONTAINS \"x\"").isMango)
  }

  @Test("deep nesting is refused, not overflowed")
  func depth() {
    let text = String(repeating: "(", count: 100_000) + "a == 1"
    #expect(throws: QueryError.self) { try Predicate.selector(parsing: text) }
  }
}
