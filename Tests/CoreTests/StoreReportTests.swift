import Testing

@testable import Core

private typealias Attachment = Core.Attachment

/// What went wrong in other stores, by the public report, held right here.
@Suite struct StoreReportTests {
  private func revision(_ generation: Int, _ letter: Character) -> RevisionID {
    RevisionID(generation: generation, hash: String(repeating: letter, count: 32))
  }

  private func merge(
    _ store: LocalStore, _ id: String, _ history: [RevisionID], isDeleted: Bool = false,
    body: JSONObject = [:], attachments: [Attachment] = []
  ) throws {
    let document = Document(
      id: id, revision: history[0], isDeleted: isDeleted, body: try DocumentBody(body),
      attachments: attachments, history: history)
    for case .refused(_, let error) in try store.write([document], mode: .revisions) { throw error }
  }

  private func stub(
    _ name: String, digest: String = "", position: Int = 0
  ) -> Attachment {
    Attachment(name: name, contentType: "a/b", digest: digest, revisionPosition: position)
  }

  private func inline(
    _ name: String, _ text: String, digest: String = "", position: Int = 0, type: String = "a/b"
  ) -> Attachment {
    Attachment(
      name: name, contentType: type, digest: digest, revisionPosition: position,
      content: .inline(Array(text.utf8)))
  }

  // MARK: Conflicts

  @Test("pouchdb#2970, #1825, #2056, #836: deleted conflicting leaves merge as branches")
  func deletedLeaves() throws {
    try withStores { stores in
      let store = try stores.create("r")
      let live = try store.put(Document(id: "d", body: try DocumentBody(["n": 1])))
      try merge(store, "d", [revision(2, "f"), revision(1, "f")], isDeleted: true)
      try merge(store, "d", [revision(2, "e"), live], isDeleted: true)
      #expect(try store.openRevisions(of: "d", .leaves).count == 2)
      // The live first revision was replaced by a tombstone; all leaves are deleted now.
      #expect(throws: StoreError.documentNotFound(id: "d", .deleted)) { try store.document("d") }
      #expect(try store.info().conflictCount == 0)
    }
  }

  @Test("TouchDB-iOS#142: leaves that were resolved are no conflicts")
  func resolvedLeaves() throws {
    try withStores { stores in
      let store = try stores.create("r")
      try merge(store, "d", [revision(1, "a")])
      try merge(store, "d", [revision(1, "b")])
      var options = ReadOptions()
      options.conflicts = true
      options.deletedConflicts = true
      #expect(try store.document("d", options).annotations.conflicts == [revision(1, "a")])
      #expect(try store.info().conflictCount == 1)
      let tombstone = try store.delete("d", revision: revision(1, "a"))
      let document = try store.document("d", options)
      #expect(document.annotations.conflicts == [])
      #expect(document.annotations.deletedConflicts == [tombstone])
      #expect(document.json["_conflicts"] == nil)
      #expect(try store.info().conflictCount == 0)
      #expect(try store.conflictedDocuments().isEmpty)
    }
  }

  @Test("CDTDatastore#52: losing leaves keep their attachments")
  func losingAttachments() throws {
    try withStores { stores in
      let store = try stores.create("r")
      try merge(store, "d", [revision(1, "a")], attachments: [inline("x", "low")])
      try merge(store, "d", [revision(1, "b")], attachments: [inline("x", "high")])
      for (leaf, text) in [(revision(1, "a"), "low"), (revision(1, "b"), "high")] {
        let reader = try store.attachment(named: "x", of: "d", revision: leaf)
        #expect(try reader.bytes() == Array(text.utf8))
      }
      try store.delete("d", revision: revision(1, "b"))
      #expect(try store.attachment(named: "x", of: "d").bytes() == Array("low".utf8))
      #expect(try store.document("d").attachments.map(\.name) == ["x"])
    }
  }

  @Test("CDTDatastore changelog: a listing names each document once, whatever its conflicts")
  func listingWithConflicts() throws {
    try withStores { stores in
      let store = try stores.create("r")
      for letter in "cab" { try merge(store, "d", [revision(1, letter)], body: ["n": 1]) }
      try merge(store, "e", [revision(1, "a")])
      let rows = try store.allDocuments().rows
      #expect(rows.map(\.id) == ["d", "e"])
      #expect(rows[0].revision == revision(1, "c"))
      #expect(try store.changes().rows.map(\.id) == ["d", "e"])
    }
  }

  @Test("CDTDatastore changelog: a resurrected document is there to push")
  func resurrection() throws {
    try withStores { stores in
      let (source, target) = (try stores.create("s"), try stores.create("t"))
      let first = try source.put(Document(id: "d"))
      let tombstone = try source.delete("d", revision: first)
      try merge(target, "d", [tombstone, first], isDeleted: true)
      let again = try source.put(Document(id: "d", body: try DocumentBody(["n": 2])))
      let lacking = try target.missingRevisions([("d", [again])])
      #expect(lacking.map(\.1.missing) == [[again]])
      #expect(lacking[0].1.possibleAncestors == [tombstone])
      var options = ReadOptions(revision: again)
      options.history = true
      let document = try source.document("d", options)
      #expect(document.history == [again, tombstone, first])
      _ = try target.write([document], mode: .revisions)
      #expect(try target.document("d").body.members == ["n": 2])
    }
  }

  @Test("CDTDatastore#454, couchbase-lite-ios#334: a superseded revision is answered by its leaf")
  func supersededRevision() throws {
    try withStores { stores in
      let store = try stores.create("r")
      let first = try store.put(Document(id: "d"))
      let second = try store.put(Document(id: "d", revision: first))
      _ = try store.compact()
      guard case .missing(first)? = try store.openRevisions(of: "d", .named([first])).first else {
        return #expect(Bool(false), "a compacted body is not there")
      }
      guard case .found(let leaf)? = try store.openRevisions(of: "d", .latest([first])).first else {
        return #expect(Bool(false), "the leaf was not found")
      }
      #expect(leaf.revision == second)
    }
  }

  // MARK: Attachments

  @Test("pouchdb#8466: bytes that are not what their digest says are refused, and nothing is kept")
  func corruptedDownload() throws {
    try withStores { stores in
      let store = try stores.create("r")
      let digest = "md5-XUFAKrxLKna5cZ2REBfFkg=="
      #expect(throws: StoreError.self) {
        try merge(
          store, "d", [revision(1, "a")], attachments: [inline("x", "hellO", digest: digest)])
      }
      #expect(throws: StoreError.documentNotFound(id: "d", .missing)) { try store.document("d") }
      try merge(
        store, "d", [revision(1, "a")], attachments: [inline("x", "hello", digest: digest)])
      #expect(try store.document("d").attachments[0].digest == digest)
    }
  }

  @Test("CouchDB sends text decoded, with the digest of its gzip form: that is no damage")
  func compressedText() throws {
    try withStores { stores in
      let store = try stores.create("r")
      let gzipped = "md5-fYVHpY+kRkcM4mzi7ss3iw=="
      try merge(
        store, "d", [revision(1, "a")],
        attachments: [inline("t.txt", "hello hello", digest: gzipped, type: "text/plain")])
      #expect(try store.attachment(named: "t.txt", of: "d").count == 11)
    }
  }

  @Test("a stream that is longer or shorter than announced, or of other bytes, is refused")
  func streamedPromises() throws {
    try withStores { stores in
      let store = try stores.create("r")
      func staged(_ change: (inout Attachment) -> Void) throws -> Document {
        let writer = try store.makeAttachment()
        try writer.append(Array("hello".utf8))
        var file = Attachment(
          name: "x", contentType: "a/b", content: .staged(try writer.finish()))
        change(&file)
        return Document(id: "d", attachments: [file])
      }
      for length in [4, 6] {
        #expect(throws: StoreError.self) { try store.put(staged { $0.length = length }) }
      }
      #expect(throws: StoreError.self) {
        try store.put(staged { $0.digest = "md5-AAAAAAAAAAAAAAAAAAAAAA==" })
      }
      let good = try staged {
        $0.length = 5
        $0.digest = "md5-XUFAKrxLKna5cZ2REBfFkg=="
      }
      try store.put(good)
      #expect(try store.attachment(named: "x", of: "d").bytes() == Array("hello".utf8))
    }
  }

  @Test(
    "pouchdb#2358, couchbase-lite-ios#817: a stub of unknown bytes is refused, bodies are taken")
  func missingStub() throws {
    try withStores { stores in
      let store = try stores.create("r")
      let digest = "md5-XUFAKrxLKna5cZ2REBfFkg=="
      #expect(throws: StoreError.missingStub(id: "d", name: "x")) {
        try merge(
          store, "d", [revision(2, "b"), revision(1, "a")],
          attachments: [stub("x", digest: digest, position: 1)])
      }
      try merge(
        store, "d", [revision(2, "b"), revision(1, "a")],
        attachments: [inline("x", "hello", digest: digest, position: 1)])
      #expect(try store.document("d").attachments[0].revisionPosition == 1)
    }
  }

  @Test(
    "couchbase-lite-ios#802: a stub may mean bytes from before a deletion, or of another document")
  func stubByDigest() throws {
    try withStores { stores in
      let store = try stores.create("r")
      let first = try store.put(Document(id: "d", attachments: [inline("x", "hello")]))
      let digest = try store.document("d").attachments[0].digest
      let tombstone = try store.delete("d", revision: first)
      try merge(
        store, "d", [revision(3, "c"), tombstone, first],
        attachments: [stub("x", digest: digest, position: 1)])
      #expect(try store.attachment(named: "x", of: "d").bytes() == Array("hello".utf8))
      try merge(
        store, "other", [revision(2, "c"), revision(1, "a")],
        attachments: [stub("y", digest: digest, position: 2)])
      #expect(try store.attachment(named: "y", of: "other").bytes() == Array("hello".utf8))
      #expect(try store.document("other").attachments[0].revisionPosition == 2)
    }
  }

  @Test("pouchdb#3942, CDTDatastore: a position of 0, none, or beyond the revision becomes its own")
  func revisionPositions() throws {
    try withStores { stores in
      let store = try stores.create("r")
      for (index, position) in [0, 1, 2, 9].enumerated() {
        try merge(
          store, "d\(index)", [revision(2, "b"), revision(1, "a")],
          attachments: [inline("x", "hello", position: position)])
        let stored = try store.document("d\(index)").attachments[0].revisionPosition
        #expect(stored == (position == 1 ? 1 : 2))
      }
    }
  }

  @Test(
    "gzip bytes that a client marked stay as they came, and the mark is told only when asked for")
  func encodedAttachment() throws {
    try withStores { stores in
      let store = try stores.create("r")
      let gzip: [UInt8] = [0x1f, 0x8b, 8, 0, 0]
      try store.put(
        Document(
          id: "d",
          attachments: [
            Attachment(
              name: "x", contentType: "text/plain", length: 35, encoding: "gzip",
              content: .inline(gzip))
          ]))
      #expect(try store.attachment(named: "x", of: "d").bytes() == gzip)
      var options = ReadOptions()
      #expect(try store.document("d", options).json["_attachments"]?["x"]?["encoding"] == nil)
      options.attachmentEncoding = true
      let file = try store.document("d", options).json["_attachments"]?["x"]
      #expect(file?["encoding"] == "gzip")
      #expect(file?["encoded_length"] == 5)
      #expect(file?["length"] == 35)
    }
  }

  @Test("decoded bytes beside the word gzip, as CouchDB answers them, are no gzip")
  func decodedAttachment() throws {
    let document = try Document(json: [
      "_attachments": [
        "x": ["data": "aGVsbG8=", "encoding": "gzip", "encoded_length": 29, "content_type": "a/b"]
      ]
    ])
    #expect(document.attachments[0].encoding == nil)
  }

  // MARK: Size

  @Test("pouchdb#4372: bodies that the limit of revisions cuts off are gone, not hidden")
  func stemmedBodies() throws {
    try withStores { stores in
      let store = try stores.create("r")
      try store.setRevisionsLimit(2)
      var revision: RevisionID?
      for number in 0..<10 {
        revision = try store.put(
          Document(
            id: "d", revision: revision, body: try DocumentBody(["n": .integer(Int64(number))]),
            attachments: [inline("x", "bytes \(number)")]))
      }
      let counts = try store.access { connection in
        try connection.first(
          "SELECT (SELECT count(*) FROM revisions), (SELECT count(*) FROM attachments)"
        ) { [$0.integer(0), $0.integer(1)] }
      }
      // The winner's body lies in its row, one ancestor's beside it.
      #expect(counts == [1, 2])
    }
  }

  @Test("a store of the shortest histories is still found sound", arguments: [1, 2])
  func verifiedAfterStemming(_ limit: Int) throws {
    try withStores { stores in
      let store = try stores.create("r")
      try store.setRevisionsLimit(limit)
      var revision: RevisionID?
      for number in 0..<5 {
        revision = try store.put(
          Document(
            id: "d", revision: revision, body: try DocumentBody(["n": .integer(Int64(number))])))
      }
      #expect(try store.verify().problems == [])
      try merge(store, "d", [self.revision(9, "a"), self.revision(8, "b")])
      try store.delete("d", revision: self.revision(9, "a"))
      #expect(try store.document("d").revision == revision)
      #expect(try store.verify().problems == [])
    }
  }

  @Test("pouchdb#7244: hundreds of deleted leaves in one batch are one change")
  func manyDeletedLeaves() throws {
    try withStores { stores in
      let store = try stores.create("r")
      let root = try store.put(Document(id: "d"))
      let leaves = (0..<300).map { number in
        let revision = RevisionID(generation: 2, hash: "leaf\(number)")
        return Document(id: "d", revision: revision, isDeleted: true, history: [revision, root])
      }
      _ = try store.write(leaves, mode: .revisions)
      #expect(try store.lastSequence() == 2)
      _ = try store.write(leaves, mode: .revisions)
      #expect(try store.lastSequence() == 2)
      #expect(try store.openRevisions(of: "d", .latest([root])).count == 300)
      #expect(try store.openRevisions(of: "d", .named(leaves.compactMap(\.revision))).count == 300)
      var request = ChangesRequest()
      request.allLeaves = true
      #expect(try store.changes(request).rows.map(\.revisions.count) == [300])
    }
  }
}
