import Glibc
import TestSupport
import Testing

@testable import Core

@Suite struct KeyChangeTests {
  static let mark = EncryptedStoreTests.mark

  /// Stands for the process being killed: nothing is cleaned up behind it that the run would not.
  private struct Killed: Error {}

  private func fill(_ store: LocalStore) throws {
    for number in 0..<50 {
      try store.put(
        Document(
          id: "\(Self.mark)-\(number)", body: try DocumentBody(["t": .string(Self.mark)])))
    }
    for number in 0..<5 {
      var document = Document(id: "file-\(number)")
      document.attachments = [
        Attachment(
          name: "a", contentType: "text/plain", content: .inline(Self.content(number)))
      ]
      try store.put(document)
    }
    try store.createIndex(try IndexDefinition(json: ["index": ["fields": ["t"]]]))
    try store.createIndex(
      try IndexDefinition(
        json: ["index": ["fields": [["name": "t", "type": "string"]]], "type": "text"]))
  }

  private static func content(_ number: Int) -> [UInt8] {
    Array("\(number) ".utf8) + Array(String(repeating: mark, count: 5_000 * number).utf8)
  }

  private func check(_ stores: StoreDirectory, _ key: StoreKey?) throws {
    var stores = stores
    stores.keys = FixedKey(key: key)
    let store = try stores.open("s")
    #expect(try store.verify().problems == [])
    #expect(try store.info().documentCount == 55)
    #expect(try store.info().keySource == key?.source)
    for number in 0..<5 {
      #expect(
        try store.attachment(named: "a", of: "file-\(number)").bytes() == Self.content(number))
    }
    let found = try files(below: stores.folder(of: "s").path, holding: Self.mark)
    #expect(found.isEmpty == (key != nil))
    #expect(!store.hasInterruptedKeyChange)
    let rest = try stores.folder(of: "s").names().filter { !$0.hasPrefix("store.db-") }
    #expect(rest == ["blobs", "store.db"])
    #expect(try store.verify().unnamedBlobs == 0)
  }

  @Test("a store is encrypted, gets another key, and is decrypted, with all it holds")
  func roundTrip() throws {
    try withStores { stores in
      try fill(try stores.create("s"))
      var stores = stores
      var steps: Set<KeyChangeProgress.Step> = []
      let report = try stores.encrypt("s", with: rawKey(1)) { steps.insert($0.step) }
      #expect(report.blobs == 5 && report.resumed == 0)
      #expect(steps == [.database, .verification, .attachments, .cleaning])
      try check(stores, rawKey(1))
      stores.keys = FixedKey(key: rawKey(1))
      let contents = try files(below: stores.folder(of: "s").subfolder("blobs").path).map {
        try Array(readBytes($0).dropFirst(SealedBlob.contentStart))
      }
      #expect(try stores.changeKey(of: "s", to: rawKey(2)).blobs == 5)
      // Wrapped anew, not written anew.
      let after = try files(below: stores.folder(of: "s").subfolder("blobs").path).map {
        try Array(readBytes($0).dropFirst(SealedBlob.contentStart))
      }
      #expect(contents == after)
      #expect(throws: StoreError.wrongKey(store: "s")) { try stores.open("s") }
      try check(stores, rawKey(2))
      stores.keys = FixedKey(key: rawKey(2))
      #expect(try stores.decrypt("s").blobs == 5)
      try check(stores, nil)
    }
  }

  @Test("what makes no sense, or fits no key, changes nothing")
  func refusals() throws {
    try withStores { stores in
      var stores = stores
      try fill(try stores.create("s"))
      #expect(throws: StoreError.self) { try stores.decrypt("s") }
      #expect(throws: StoreError.self) { try stores.changeKey(of: "s", to: rawKey(1)) }
      #expect(throws: StoreError.storeNotFound(name: "none")) {
        try stores.encrypt("none", with: rawKey(1))
      }
      try check(stores, nil)
      _ = try stores.encrypt("s", with: rawKey(1))
      #expect(throws: StoreError.self) { try stores.encrypt("s", with: rawKey(1)) }
      #expect(throws: StoreError.locked(store: "s")) { try stores.decrypt("s") }
      stores.keys = FixedKey(key: rawKey(2))
      #expect(throws: StoreError.wrongKey(store: "s")) { try stores.decrypt("s") }
      #expect(throws: StoreError.wrongKey(store: "s")) {
        try stores.changeKey(of: "s", to: rawKey(3))
      }
      try check(stores, rawKey(1))
    }
  }

  @Test("while someone has the store open, or writes an attachment, its key is not changed")
  func busy() throws {
    try withStores { stores in
      let store = try stores.create("s")
      try fill(store)
      func isBusy() -> Bool {
        do {
          _ = try stores.encrypt("s", with: rawKey(1))
          return false
        } catch StoreError.busy {
          return true
        } catch {
          return false
        }
      }
      #expect(isBusy())
      try store.put(Document(id: "still-works"))
      try store.purge("still-works")
    }
  }

  @Test(
    "interrupted anywhere it leaves a whole store, and repeated it completes",
    arguments: ["encrypt", "rekey", "decrypt"])
  func interrupted(verb: String) throws {
    for interruption in 0..<20 {
      try withStores { stores in
        var stores = stores
        try fill(try stores.create("s", key: verb == "encrypt" ? nil : rawKey(1)))
        stores.keys = FixedKey(key: verb == "encrypt" ? nil : rawKey(1))
        let folder = stores.folder(of: "s").path
        var count = 0
        func run(_ stores: StoreDirectory, _ progress: @escaping (KeyChangeProgress) -> Void) throws
          -> KeyChangeReport
        {
          switch verb {
          case "encrypt": try stores.encrypt("s", with: rawKey(2), progress: progress)
          case "rekey": try stores.changeKey(of: "s", to: rawKey(2), progress: progress)
          default: try stores.decrypt("s", progress: progress)
          }
        }
        // What the files are at that moment is what a killed process leaves.
        let snapshot = stores.path + "/snapshot"
        _ = try run(stores) { _ in
          if count == interruption { try? copyTree(folder, snapshot) }
          count += 1
        }
        guard interruption < count else { return }
        try Folder(folder).removeTree()
        try renameFile(snapshot, to: folder)
        // A whole store, before or after the change.
        let target: StoreKey? = verb == "decrypt" ? nil : rawKey(2)
        var present = stores
        if (try? present.open("s").info()) == nil { present.keys = FixedKey(key: target) }
        do {
          let store = try present.open("s")
          #expect(store.hasInterruptedKeyChange)
          #expect(try store.info().documentCount == 55)
          for number in 0..<5 {
            let reader = try store.attachment(named: "a", of: "file-\(number)")
            #expect(try reader.bytes() == Self.content(number))
          }
        }
        _ = try run(present) { _ in }
        try check(stores, target)
      }
    }
  }

  private func copyTree(_ source: String, _ target: String) throws {
    for file in try files(below: source) where !file.hasSuffix("-shm") {
      let path = target + file.dropFirst(source.count)
      try Folder(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])).create()
      try writeBytes(try readBytes(file), to: path)
    }
  }
}
