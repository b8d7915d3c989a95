import Core
import Synchronization
import TestSupport
import Testing

@testable import Sync

/// What the scans of a test did.
private final class Counts: Sendable {
  let values = Mutex((running: 0, most: 0, done: 0))
}

/// Long scans: few at a time, and on a connection of their own.
@Suite struct ScanGateTests {
  @Test("no more scans run at a time than there is room for, and all run")
  func room() async {
    let gate = ScanGate(2)
    let counts = Counts()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask {
          await gate.run {
            counts.values.withLock {
              $0.running += 1
              $0.most = max($0.most, $0.running)
            }
            await Task.yield()
            counts.values.withLock {
              $0.running -= 1
              $0.done += 1
            }
          }
        }
      }
    }
    let (running, most, done) = counts.values.withLock { $0 }
    #expect(running == 0 && done == 20)
    #expect(most <= 2)
  }

  @Test("a scan that holds its connection holds up no read of the store")
  func connection() throws {
    try withTemporaryDirectory { path in
      let stores = StoreDirectory(path: path)
      try stores.create("db").put(Document(id: "a", body: try DocumentBody(["n": 1])))
      let pool = StorePool(stores, names: nil)
      let store = try pool.store("db")
      let scanner = try pool.scanner("db")
      #expect(try pool.scanner("db") === scanner)
      // Inside the scan: a store that shared the connection would wait for itself here.
      let seen = try scanner.access { _ in try store.document("a").body.members["n"] }
      #expect(seen == 1)
    }
  }
}
