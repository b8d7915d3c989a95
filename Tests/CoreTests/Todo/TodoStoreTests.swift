import Core
import TestSupport
import Testing

struct TodoStoreTests {
  private func withTodos(_ body: (TodoStore) throws -> Void) throws {
    try withTemporaryDirectory { folder in
      try body(TodoStore(StoreDirectory(path: folder).create("todos")))
    }
  }

  @Test("an added todo is listed, and other documents are not")
  func add() throws {
    try withTodos { todos in
      try todos.store.put(Document(id: "other", body: try DocumentBody(["name": "no todo"])))
      let entry = try todos.add(TodoItem(name: "Buy milk"), ids: try todos.snapshot().ids)
      let snapshot = try todos.snapshot()
      #expect(snapshot.entries.map(\.record) == [entry.record])
      #expect(snapshot.entries.first?.shortID == entry.shortID)
    }
  }

  @Test("the list begins with the urgent, then the early, then the old")
  func order() throws {
    try withTodos { todos in
      for (name, priority, due, created) in [
        ("e", 0, nil, "2030-01-02"), ("d", 0, nil, "2030-01-01"),
        ("c", 0, "2030-01-05T10:00:00Z", "2030-01-01"), ("b", 0, "2030-01-04", "2030-01-01"),
        ("a", 2, nil, "2030-01-09"),
      ] as [(String, Int, String?, String)] {
        var item = TodoItem(name: name, priority: TodoPriority(rawValue: priority) ?? .low)
        item.due = due.flatMap { DueDate($0) }
        item.created = DueDate(created)
        _ = try todos.add(item, ids: try todos.snapshot().ids)
      }
      #expect(try todos.snapshot().entries.map(\.record.item.name) == ["a", "b", "c", "d", "e"])
    }
  }

  @Test("unknown fields of another client survive every change")
  func foreignFields() throws {
    try withTodos { todos in
      let body: JSONObject = [
        "@datatype": "TodoItem", "name": "x", "priority": 3, "color": "blue",
      ]
      try todos.store.put(Document(id: "Foreign/Id", body: try DocumentBody(body)))
      let ids = try todos.snapshot().ids
      _ = try todos.update("Foreign/Id", ids: ids) { $0.addTag("t") }
      let entry = try todos.entry("Foreign/Id", ids: ids)
      #expect(entry.record.item.fields["color"] == "blue")
      #expect(entry.record.item.fields["priority"] == 3)
      #expect(entry.record.item.priority == .low)
      #expect(entry.record.item.tags == ["t"])
    }
  }

  @Test("nothing is written when nothing changes")
  func unchanged() throws {
    try withTodos { todos in
      let entry = try todos.add(TodoItem(name: "x"), ids: ShortIDs(documentIDs: []))
      let again = try todos.update(entry.record.id, ids: ShortIDs(documentIDs: [])) {
        $0.name = "x"
      }
      #expect(again.revision == entry.revision)
    }
  }

  @Test("undo opens a done todo and brings a deleted one back under its id")
  func restore() throws {
    try withTodos { todos in
      let ids = ShortIDs(documentIDs: [])
      let id = try todos.add(TodoItem(name: "x"), ids: ids).record.id
      _ = try todos.update(id, ids: ids) { $0.markDone(at: DueDate("2030-01-01")) }
      #expect(try todos.restore(id, ids: ids).record.item.isDone == false)
      _ = try todos.remove(id, ids: ids)
      #expect(try todos.snapshot().entries.isEmpty)
      // The tombstone still holds the short id.
      #expect(try todos.snapshot().ids.resolve(id) == .found(id))
      let back = try todos.restore(id, ids: ids)
      #expect(back.record.item.name == "x")
      #expect(back.record.id == id)
      #expect(throws: TodoStore.Failure.unknown("nop")) {
        try todos.resolve("nop", in: try todos.snapshot())
      }
    }
  }

  @Test("two stores that merge the same conflict write the same revision")
  func mergeAlike() throws {
    try withTemporaryDirectory { folder in
      let directory = StoreDirectory(path: folder)
      let stores = try ["one", "two"].map { TodoStore(try directory.create($0)) }
      var item = TodoItem(name: "Buy milk")
      item.tags = ["a"]
      var documents: [Document] = []
      let first = try stores[0].store.put(
        Document(id: "k7mqaaaaaaaaaaaa", body: try DocumentBody(item.fields)))
      for (name, done) in [("Buy oat milk", false), ("Buy milk", true)] {
        var changed = item
        changed.name = name
        if done { changed.markDone(at: DueDate("2030-01-01")) }
        documents.append(
          Document(
            id: "k7mqaaaaaaaaaaaa", revision: first, body: try DocumentBody(changed.fields)))
      }
      // Each machine makes its own edit, then each takes over the other's with its history.
      var options = ReadOptions()
      options.history = true
      let base = try stores[0].store.document("k7mqaaaaaaaaaaaa", options)
      _ = try stores[1].store.write([base], mode: .revisions)
      var edits: [Document] = []
      for (store, document) in zip(stores, documents) {
        try store.store.put(document)
        edits.append(try store.store.document("k7mqaaaaaaaaaaaa", options))
      }
      _ = try stores[0].store.write([edits[1]], mode: .revisions)
      _ = try stores[1].store.write([edits[0]], mode: .revisions)
      #expect(try stores[0].snapshot().entries.first?.hasConflicts == true)
      for store in stores { #expect(try store.merge("k7mqaaaaaaaaaaaa")) }
      let merged = try stores.map {
        try $0.entry("k7mqaaaaaaaaaaaa", ids: ShortIDs(documentIDs: []))
      }
      #expect(merged[0].revision == merged[1].revision)
      #expect(merged[0].record.item.name == "Buy oat milk")
      #expect(merged[0].record.item.isDone)
      #expect(!merged[0].hasConflicts)
      #expect(try !stores[0].merge("k7mqaaaaaaaaaaaa"))
    }
  }

  @Test("a sort by fields is total and puts what has no value last")
  func sort() throws {
    let records = [("b", nil), ("a", "2030-01-02"), ("B", "2030-01-01"), ("c", nil)].map {
      TodoSamples.record($0.0, due: $0.1)
    }
    func names(_ text: String) throws -> [String] {
      let sort = try TodoSort(text)
      return records.sorted { sort.isBefore($0, $1) }.map(\.item.name)
    }
    #expect(try names("name") == ["a", "B", "b", "c"])
    #expect(try names("due:desc,name") == ["a", "B", "b", "c"])
    #expect(try names("due,name:desc") == ["B", "a", "c", "b"])
    #expect(throws: TodoSort.Problem(part: "nmae")) { try TodoSort("nmae") }
    #expect(throws: TodoSort.Problem(part: "name:up")) { try TodoSort("due,name:up") }
  }
}
