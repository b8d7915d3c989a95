import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import Core

/// Several connections to one store, as when the server runs while the shell writes.
@Suite struct StoreConcurrencyTests {
  /// Runs `body` on so many threads at once and reports what it throws.
  private func concurrently(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) {
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: count) { index in
      do {
        try body(index)
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
  }

  @Test("no update is lost when threads of two connections count on one document")
  func counting() throws {
    try withStores { stores in
      let first = try stores.create("count")
      let second = try stores.open("count")
      try first.put(Document(id: "counter", body: try DocumentBody(["n": 0])))
      concurrently(4) { thread in
        let store = thread % 2 == 0 ? first : second
        for number in 0..<25 {
          try store.put(Document(id: "own-\(thread)-\(number)"))
          while true {
            let current = try store.document("counter")
            let value = current.body.members["n"]?.integerValue ?? 0
            do {
              try store.put(
                Document(
                  id: "counter", revision: current.revision,
                  body: try DocumentBody(["n": .integer(value + 1)])))
              break
            } catch StoreError.conflict {
              continue
            }
          }
        }
      }
      for store in [first, second] {
        #expect(try store.document("counter").body.members["n"] == 100)
        #expect(try store.document("counter").revision?.generation == 101)
        let page = try store.changes()
        #expect(page.rows.count == 101)
        // Each write has a sequence of its own: 101 of the counter and 100 others.
        #expect(page.lastSequence == 201)
        let numbers = page.rows.compactMap(\.sequence.number)
        #expect(numbers == numbers.sorted() && Set(numbers).count == 101)
      }
      #expect(try first.verify().problems == [])
    }
  }

  @Test("a follower of another connection sees every change once, in order")
  func following() async throws {
    try await withTemporaryDirectory { path in
      let stores = StoreDirectory(path: path)
      let store = try stores.create("follow")
      let follower = try stores.open("follow")
      async let writing: Void = Task.detached {
        for number in 0..<60 { try store.put(Document(id: "d\(number)")) }
      }.value
      var seen: [(id: String, sequence: Int)] = []
      var request = ChangesRequest()
      while seen.count < 60 {
        let woke = try await follower.waitForChange(after: request.since, milliseconds: 60_000)
        try #require(woke)
        let page = try follower.changes(request)
        seen += page.rows.map { ($0.id, $0.sequence.number ?? 0) }
        request.since = page.lastSequence
      }
      try await writing
      #expect(seen.map(\.id) == (0..<60).map { "d\($0)" })
      #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.sequence < $1.sequence })
    }
  }

  @Test("a wait without a change ends, and one with a change before it does not wait")
  func waiting() async throws {
    try await withTemporaryDirectory { path in
      let store = try StoreDirectory(path: path).create("wait")
      #expect(try await store.waitForChange(after: 0, milliseconds: 1) == false)
      try store.put(Document(id: "a"))
      #expect(try await store.waitForChange(after: 0, milliseconds: 0))
      #expect(try await store.waitForChange(after: 1, milliseconds: 1) == false)
      await #expect(throws: StoreError.self) {
        try await store.waitForChange(after: UpdateSequence("garbage" as JSON), milliseconds: 0)
      }
    }
  }

  @Test("a write that fails leaves nothing, and others go on")
  func atomicity() throws {
    try withStores { stores in
      let store = try stores.create("atomic")
      let other = try stores.open("atomic")
      let bad = Document(id: "b", attachments: [Attachment(name: "x", contentType: "a/b")])
      #expect(throws: StoreError.missingStub(id: "b", name: "x")) {
        try store.write([Document(id: "a"), bad])
      }
      #expect(try other.changes().rows.isEmpty)
      try other.put(Document(id: "c"))
      #expect(try store.allDocuments().rows.map(\.id) == ["c"])
    }
  }
}
