import TestSupport
import Testing

@testable import Core

private typealias Attachment = Core.Attachment

/// Stores that edit apart and then bring each other all their leaves must end up alike.
@Suite struct StoreConvergenceTests {
  /// What a replicator does, without its protocol.
  private func copyAll(from source: LocalStore, to target: LocalStore) throws {
    var request = ChangesRequest()
    request.allLeaves = true
    let rows = try source.changes(request).rows
    let lacking = try target.missingRevisions(rows.map { ($0.id, $0.revisions) })
    var options = ReadOptions()
    options.history = true
    options.attachmentBytes = true
    var documents: [Document] = []
    for (id, missing) in lacking {
      for case .found(let document) in try source.openRevisions(
        of: id, .latest(missing.missing), options)
      {
        documents.append(document)
      }
    }
    for result in try target.write(documents, mode: .revisions) {
      if case .refused(let id, let error) = result { Issue.record("\(id): \(error)") }
    }
  }

  private func edit(_ store: LocalStore, _ random: inout SeededGenerator) throws {
    let id = "doc\(Int.random(in: 0..<6, using: &random))"
    let row = try store.allDocuments(idRequest(id)).rows[0]
    var document = Document(
      id: id, body: try DocumentBody(["v": .integer(Int64.random(in: 0..<50, using: &random))]))
    if let revision = row.revision, !row.isDeleted {
      let leaves = try store.openRevisions(of: id, .leaves)
      let live = leaves.compactMap { leaf -> Document? in
        guard case .found(let document) = leaf, !document.isDeleted else { return nil }
        return document
      }
      let base = live.randomElement(using: &random)
      document.revision = base?.revision ?? revision
      document.isDeleted = Int.random(in: 0..<4, using: &random) == 0
      document.attachments = base?.attachments.filter { _ in Bool.random(using: &random) } ?? []
    }
    if Int.random(in: 0..<3, using: &random) == 0, !document.isDeleted {
      let name = ["a.bin", "é.bin", "e\u{301}.bin"].randomElement(using: &random) ?? ""
      let bytes = (0..<Int.random(in: 0..<9, using: &random)).map { _ in UInt8(random.next() & 3) }
      document.attachments.removeAll { utf8Equal($0.name, name) }
      document.attachments.append(
        Attachment(name: name, contentType: "a/b", content: .inline(bytes)))
    }
    try store.put(document)
  }

  private func idRequest(_ id: String) -> ListRequest {
    var request = ListRequest()
    request.ids = [id]
    return request
  }

  /// Everything a reader can learn of the documents, without sequences.
  private func picture(of store: LocalStore) throws -> [String] {
    var lines: [String] = []
    var request = ChangesRequest()
    request.allLeaves = true
    for row in try store.changes(request).rows.sorted(by: { utf8Less($0.id, $1.id) }) {
      var options = ReadOptions()
      options.history = true
      options.attachmentBytes = true
      options.attachmentEncoding = true
      for leaf in try store.openRevisions(of: row.id, .leaves, options) {
        guard case .found(let document) = leaf else { return ["leaf without body"] }
        lines.append(document.json.serialized(.canonical))
      }
      lines.append("\(row.id) \(row.revisions) \(row.isDeleted)")
      var winner = ReadOptions()
      winner.conflicts = true
      winner.deletedConflicts = true
      if !row.isDeleted {
        lines.append(try store.document(row.id, winner).json.serialized(.canonical))
      }
    }
    let info = try store.info()
    lines.append("\(info.documentCount) \(info.deletedCount) \(info.conflictCount)")
    return lines
  }

  @Test("two and three stores agree once all leaves were exchanged", arguments: [2, 3])
  func convergence(_ count: Int) throws {
    var random = SeededGenerator(for: "convergence of \(count)")
    for round in 0..<4 {
      try withStores { directory in
        let stores = try (0..<count).map { try directory.create("s\($0)") }
        for _ in 0..<60 {
          let store = stores.randomElement(using: &random) ?? stores[0]
          if Int.random(in: 0..<12, using: &random) == 0 {
            let other = stores.randomElement(using: &random) ?? stores[0]
            if other !== store { try copyAll(from: store, to: other) }
          } else {
            try edit(store, &random)
          }
        }
        // Around the ring twice: what the first learns last must still reach the others.
        for _ in 0..<2 {
          for index in stores.indices {
            try copyAll(from: stores[index], to: stores[(index + 1) % count])
          }
        }
        let pictures = try stores.map { try picture(of: $0) }
        for other in pictures.dropFirst() { #expect(other == pictures[0], "round \(round)") }
        for store in stores {
          #expect(try store.verify().problems == [])
          // A second exchange finds nothing to do.
          let last = try store.lastSequence()
          for other in stores where other !== store { try copyAll(from: other, to: store) }
          #expect(try store.lastSequence() == last)
        }
      }
    }
  }

  @Test("the same edits on two machines are no conflict")
  func sameEdits() throws {
    try withStores { directory in
      let (one, other) = (try directory.create("one"), try directory.create("other"))
      for store in [one, other] {
        let first = try store.put(Document(id: "a", body: try DocumentBody(["n": 1, "m": 2.5])))
        let second = try store.put(
          Document(
            id: "a", revision: first, body: try DocumentBody(["m": 2.5, "n": 1]),
            attachments: [
              Attachment(name: "x", contentType: "a/b", content: .inline([1, 2, 3]))
            ]))
        try store.delete("a", revision: second)
      }
      let last = try other.lastSequence()
      try copyAll(from: one, to: other)
      #expect(try other.lastSequence() == last)
    }
  }
}
