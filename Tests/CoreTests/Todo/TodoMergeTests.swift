import Core
import TestSupport
import Testing

struct TodoMergeTests {
  static let ancestor: JSONObject = [
    "@datatype": "TodoItem", "name": "Buy milk", "priority": 0, "tags": ["a", "b"],
    "due": "2030-01-05", "created": "2030-01-01",
  ]

  /// A leaf whose hash says which of two is the later one.
  static func leaf(_ generation: Int, _ digit: Character, _ change: (inout JSONObject) -> Void)
    -> TodoMerge.Leaf
  {
    var fields = ancestor
    change(&fields)
    return TodoMerge.Leaf(revision: revision(generation, digit), fields: fields)
  }

  static func revision(_ generation: Int, _ digit: Character) -> RevisionID {
    RevisionID(generation: generation, hash: String(repeating: digit, count: 32))
  }

  /// Merges in both orders and expects one result.
  static func merge(_ leaves: [TodoMerge.Leaf], ancestor: JSONObject? = ancestor) -> JSONObject? {
    let result = TodoMerge.merge(ancestor: ancestor, leaves: leaves)
    #expect(TodoMerge.merge(ancestor: ancestor, leaves: leaves.reversed()) == result)
    return result
  }

  @Test("changes of different fields are both kept")
  func different() {
    let merged = Self.merge([
      Self.leaf(2, "a") { $0["name"] = "Buy oat milk" }, Self.leaf(2, "b") { $0["priority"] = 2 },
    ])
    #expect(merged?["name"] == "Buy oat milk")
    #expect(merged?["priority"] == 2)
    #expect(merged?["due"] == "2030-01-05")
  }

  @Test("the later edit of one field wins, by generation and then by hash")
  func later() {
    let text = Self.merge([
      Self.leaf(2, "f") { $0["name"] = "early" }, Self.leaf(3, "0") { $0["name"] = "late" },
    ])
    #expect(text?["name"] == "late")
    let date = Self.merge([
      Self.leaf(2, "1") { $0["due"] = "2030-02-01" },
      Self.leaf(2, "2") { $0["due"] = nil },
    ])
    #expect(date?["due"] == nil)
  }

  @Test("done beats open, and keeps its time")
  func done() {
    let merged = Self.merge([
      Self.leaf(2, "1") {
        $0["done"] = true
        $0["completed"] = "2030-01-02T00:00:00Z"
      },
      Self.leaf(4, "9") { $0["name"] = "Buy two milks" },
    ])
    #expect(merged?["done"] == true)
    #expect(merged?["completed"] == "2030-01-02T00:00:00Z")
    #expect(merged?["name"] == "Buy two milks")
  }

  @Test("reopening on one side only is an edit like any other")
  func reopened() {
    var old = Self.ancestor
    old["done"] = true
    old["completed"] = "2030-01-02"
    let reopened = TodoMerge.Leaf(revision: Self.revision(3, "1"), fields: Self.ancestor)
    var renamed = old
    renamed["name"] = "Other"
    let merged = Self.merge(
      [reopened, TodoMerge.Leaf(revision: Self.revision(3, "2"), fields: renamed)], ancestor: old)
    #expect(merged?["done"] == nil)
    #expect(merged?["completed"] == nil)
    #expect(merged?["name"] == "Other")
  }

  @Test("tags are the union without the removed ones")
  func tags() {
    let merged = Self.merge([
      Self.leaf(2, "1") { $0["tags"] = ["a", "x"] },
      Self.leaf(2, "2") { $0["tags"] = ["a", "b", "y"] },
    ])
    #expect(Set(merged?["tags"]?.arrayValue ?? []) == ["a", "x", "y"])
  }

  @Test("an edit beats a deletion, and two deletions stay one")
  func deleted() {
    let gone = TodoMerge.Leaf(revision: Self.revision(9, "f"), fields: nil)
    let merged = Self.merge([gone, Self.leaf(2, "1") { $0["name"] = "kept" }])
    #expect(merged?["name"] == "kept")
    #expect(
      Self.merge([gone, TodoMerge.Leaf(revision: Self.revision(2, "1"), fields: nil)]) == nil)
  }

  @Test("a BlueList client that drops our fields takes nothing away")
  func dropped() {
    let blue = TodoMerge.Leaf(
      revision: Self.revision(3, "f"),
      fields: ["@datatype": "TodoItem", "name": "Buy milk", "priority": 2])
    let merged = Self.merge([blue, Self.leaf(2, "1") { $0["name"] = "Buy oat milk" }])
    #expect(merged?["priority"] == 2)
    #expect(merged?["name"] == "Buy oat milk")
    #expect(merged?["due"] == "2030-01-05")
    #expect(merged?["tags"] == ["a", "b"])
    #expect(merged?["created"] == "2030-01-01")
  }

  @Test("without an ancestor the later side wins and nothing of either is lost")
  func orphans() {
    let merged = Self.merge(
      [
        TodoMerge.Leaf(revision: Self.revision(1, "1"), fields: ["name": "a", "note": "n"]),
        TodoMerge.Leaf(revision: Self.revision(1, "2"), fields: ["name": "b", "x": 1]),
      ], ancestor: nil)
    #expect(merged?["name"] == "b")
    #expect(merged?["note"] == "n")
    #expect(merged?["x"] == 1)
  }

  @Test("random three-way merges do not depend on the order")
  func property() {
    var generator = SeededGenerator(for: "TodoMergeTests.property")
    let digits = Array("0123456789abcdef")
    for _ in 0..<500 {
      let leaves = (0..<3).map { index in
        Self.leaf(Int.random(in: 2...3, using: &generator), digits[index * 3]) { fields in
          for key in ["name", "due", "done", "project"] where Bool.random(using: &generator) {
            fields[key] =
              Bool.random(using: &generator)
              ? nil
              : key == "done" ? .bool(true) : .string("\(Int.random(in: 0...2, using: &generator))")
          }
          if Bool.random(using: &generator) {
            fields["tags"] = .array(["a", "b", "c"].filter { _ in Bool.random(using: &generator) })
          }
        }
      }
      let expected = TodoMerge.merge(ancestor: Self.ancestor, leaves: leaves)
      #expect(
        TodoMerge.merge(ancestor: Self.ancestor, leaves: leaves.shuffled(using: &generator))
          == expected)
    }
  }
}
