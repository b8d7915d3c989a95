import Core
import Glibc
import TestSupport
import Testing

/// `tote sync`, killed without a warning.
@Suite struct SyncKillTests {
  @Test(
    "kill -9 at any moment loses and repeats nothing: the next run goes on",
    arguments: ["pull", "push"])
  func killed(_ direction: String) throws {
    var random = SeededGenerator(for: "SyncKillTests.killed \(direction)")
    try withTote { tote in
      let stores = StoreDirectory(path: tote.stores)
      try fill(try stores.create("full"))
      try tote.run("store", "create", "empty")
      let server = try ChildProcess(try tote.launch(["sync", "serve", "--port", "0", "--jsonl"]))
      let listening = try JSON(parsing: try #require(try server.nextLine()))
      let url = try #require(listening["url"]?.stringValue)
      let (near, far) = direction == "pull" ? ("empty", "full") : ("full", "empty")
      let command = ["sync", direction, near, "\(url)\(far)", "--jsonl", "--batch", "5"]
      for _ in 0..<6 {
        let child = try ChildProcess(try tote.launch(command))
        for _ in 0..<Int.random(in: 0...6, using: &random) where try child.nextLine() == nil {
          break
        }
        child.send(SIGKILL)
        _ = try child.finish()
      }
      #expect(try tote.run(command).exitCode == 0)
      server.send(SIGTERM)
      _ = try server.finish()
      let (source, target) = (try stores.open("full"), try stores.open("empty"))
      #expect(try everything(target) == everything(source))
      #expect(try target.verify().problems == [])
      #expect(try target.info().lastSequence == source.info().lastSequence)
    }
  }

  private func fill(_ store: LocalStore) throws {
    for index in 0..<60 {
      var document = Document(
        id: "d\(index)", body: try DocumentBody(["n": .integer(Int64(index))]))
      if index % 7 == 0 {
        let bytes = [UInt8](repeating: UInt8(index), count: 30_000)
        document.attachments = [
          Attachment(name: "f", contentType: "image/png", content: .inline(bytes))
        ]
      }
      try store.put(document)
    }
  }

  /// Every document with its revision and its attachments' digests.
  private func everything(_ store: LocalStore) throws -> [String] {
    try store.changes().rows.map(\.id).sorted().map { id in
      let document = try store.document(id)
      return document.json.serialized()
    }
  }
}
