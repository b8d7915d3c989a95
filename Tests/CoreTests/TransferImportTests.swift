import Testing

@testable import Core

@Suite struct TransferImportTests {
  @Test("documents of JSON Lines come in with the revision that a put would give")
  func jsonLines() throws {
    try withTransferBench { bench throws in
      let summary = try bench.importing(
        "{\"_id\":\"a\", \"z\":1, \"b\":[1.50]}\n\n  \n{\"_id\":\"b\"}\r\n{\"_id\":\"é\",\"s\":\"\u{2028}\"}"
      )
      #expect(summary.format == .jsonLines)
      #expect(summary.read == 3 && summary.inserted == 3 && summary.failed == 0)
      #expect(try bench.ids() == ["a", "b", "é"])
      #expect(try bench.body("a") == #"{"b":[1.5],"z":1}"#)
      #expect(try bench.body("é") == "{\"s\":\"\u{2028}\"}")
      let other = try bench.stores.create("other")
      let body = try DocumentBody(["z": 1, "b": [1.5]])
      #expect(try other.put(Document(id: "a", body: body)) == bench.store.document("a").revision)
      #expect(try bench.store.lastSequence() == 3)
      #expect(try bench.store.info().documentCount == 3)
    }
  }

  @Test("a bad record is reported with its place and the rest goes on")
  func badRecords() throws {
    try withTransferBench { bench throws in
      let summary = try bench.importing(
        """
        {"_id":"a"}
        {"_id":"b",}
        [1]
        {"_id":7}
        {"_id":""}
        {"_id":"_x"}
        {"_other":1}
        {"_id":"c","x":"é" 1}
        {"_id":"d"}
        {"_id":"e
        """)
      #expect(summary.read == 10 && summary.inserted == 2 && summary.failed == 8)
      #expect(try bench.ids() == ["a", "d"])
      #expect(
        summary.problems.map(\.message) == [
          "in:2:12: unexpected character '}'", "in:3:1: a document must be a JSON object",
          "in:4:1: '_id' must be a string", "in:5:1: Document id must not be empty",
          "in:6:1: Only reserved document ids may start with underscore.",
          "in:7:1: unknown member '_other': names that begin with '_' are reserved",
          "in:8:20: unexpected character '1'", "in:10:10: unexpected end of text",
        ])
    }
  }

  @Test("problems are counted beyond those that are named")
  func problemLimit() throws {
    try withTransferBench { bench throws in
      var options = ImportOptions()
      options.maximumProblems = 3
      options.format = .jsonLines
      let summary = try bench.importing(String(repeating: "x\n", count: 10_000), options)
      #expect(summary.failed == 10_000)
      #expect(summary.problems.count == 3)
    }
  }

  @Test("ids come from a member, a number too, or are generated in time order")
  func ids() throws {
    try withTransferBench { bench throws in
      var options = ImportOptions()
      options.idMember = "key"
      let summary = try bench.importing(
        #"{"key":"k1","x":1}"# + "\n{"
          + "\"key\":42}\n{\"key\":true}\n{\"_id\":\"own\",\"key\":\"k2\"}\n{\"n\":1}\n{\"n\":2}\n",
        options)
      #expect(summary.failed == 1)
      #expect(summary.problems.first?.reason.hasPrefix("'key' cannot be an id") == true)
      let ids = try bench.ids()
      #expect(Set(ids).isSuperset(of: ["k1", "42", "own"]))
      let generated = ids.filter { $0.count == 32 }
      #expect(generated.count == 2)
      #expect(try generated.map { try bench.body($0) } == [#"{"n":1}"#, #"{"n":2}"#])
      #expect(try bench.body("k1") == #"{"key":"k1","x":1}"#)
    }
  }

  @Test("a datatype is given to records that have none")
  func datatype() throws {
    try withTransferBench { bench throws in
      var options = ImportOptions()
      options.datatype = "TodoItem"
      try bench.importing(
        "{\"_id\":\"a\",\"x\":1}\n{\"_id\":\"b\",\"@datatype\":\"Own\"}\n {}\n", options)
      #expect(try bench.body("a") == #"{"@datatype":"TodoItem","x":1}"#)
      #expect(try bench.body("b") == #"{"@datatype":"Own"}"#)
      let third = try #require(bench.ids().first { $0.count == 32 })
      #expect(try bench.body(third) == #"{"@datatype":"TodoItem"}"#)
    }
  }

  @Test("documents that exist are skipped, updated, or stop the import")
  func conflictRules() throws {
    try withTransferBench { bench throws in
      let first = "{\"_id\":\"a\",\"n\":1}\n{\"_id\":\"b\",\"n\":1}\n"
      let second = "{\"_id\":\"c\",\"n\":2}\n{\"_id\":\"a\",\"n\":2}\n{\"_id\":\"b\",\"n\":1}\n"
      try bench.importing(first)
      var options = ImportOptions()
      options.onConflict = .fail
      let error = #expect(throws: TransferError.self) { try bench.importing(second, options) }
      guard case .documentExists(let problem, "a") = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(problem.line == 2)
      #expect(try bench.ids() == ["a", "b"])
      let skipped = try bench.importing(second)
      #expect(skipped.inserted == 1 && skipped.skipped == 2 && skipped.updated == 0)
      #expect(try bench.body("a") == #"{"n":1}"#)
      options.onConflict = .update
      let updated = try bench.importing(second, options)
      #expect(updated.inserted == 0 && updated.skipped == 2 && updated.updated == 1)
      #expect(try bench.store.document("a").revision?.generation == 2)
      #expect(try bench.body("a") == #"{"n":2}"#)
      #expect(try bench.store.document("b").revision?.generation == 1)
    }
  }

  @Test("the same id twice in one import counts as existing the second time")
  func twiceInOneImport() throws {
    try withTransferBench { bench throws in
      let summary = try bench.importing("{\"_id\":\"a\",\"n\":1}\n{\"_id\":\"a\",\"n\":2}\n")
      #expect(summary.inserted == 1 && summary.skipped == 1)
      #expect(try bench.body("a") == #"{"n":1}"#)
    }
  }

  @Test("a deleted document is brought back, whatever the rule")
  func tombstones() throws {
    try withTransferBench { bench throws in
      let first = try bench.store.put(Document(id: "a"))
      try bench.store.delete("a", revision: first)
      let summary = try bench.importing("{\"_id\":\"a\",\"n\":1}\n")
      #expect(summary.updated == 1)
      #expect(try bench.store.document("a").revision?.generation == 3)
    }
  }

  @Test("revisions with history are merged as they are, a bare revision keeps its name")
  func histories() throws {
    try withTransferBench { bench throws in
      let a = String(repeating: "a", count: 32)
      let b = String(repeating: "b", count: 32)
      let summary = try bench.importing(
        """
        {"_id":"x","_rev":"2-\(b)","_revisions":{"start":2,"ids":["\(b)","\(a)"]},"n":2}
        {"_id":"x","_rev":"2-\(a)","_revisions":{"start":2,"ids":["\(a)","\(a)"]},"n":3}
        {"_id":"y","_rev":"5-\(a)"}
        {"_id":"z","_rev":"1-\(a)","_deleted":true}
        {"_id":"w","_rev":"nonsense"}
        """)
      #expect(summary.inserted == 3 && summary.updated == 1 && summary.failed == 1)
      var options = ReadOptions()
      options.history = true
      options.conflicts = true
      let x = try bench.store.document("x", options)
      #expect(x.revision == RevisionID("2-" + b))
      #expect(x.history?.map(\.description) == ["2-" + b, "1-" + a])
      #expect(x.annotations.conflicts?.map(\.description) == ["2-" + a])
      #expect(try bench.store.document("y").revision == RevisionID("5-" + a))
      #expect(throws: StoreError.documentNotFound(id: "z", .deleted)) {
        try bench.store.document("z")
      }
    }
  }

  @Test("attachments in the record are stored; a stub without bytes is a problem")
  func attachments() throws {
    try withTransferBench { bench throws in
      let summary = try bench.importing(
        """
        {"_id":"a","_attachments":{"f.txt":{"content_type":"text/plain","data":"aGVsbG8="}}}
        {"_id":"b","_attachments":{"f.txt":{"stub":true,"digest":"md5-x","length":1}}}
        {"_id":"c","_attachments":{"f.txt":{"data":"!"}}}
        {"_id":"d"}
        """)
      #expect(summary.inserted == 2 && summary.failed == 2)
      #expect(try bench.ids() == ["a", "d"])
      #expect(try bench.store.attachment(named: "f.txt", of: "a").bytes() == Array("hello".utf8))
    }
  }

  @Test("large inputs cross batches and transactions, in an empty store and in one in use")
  func large() throws {
    try withTransferBench { bench throws in
      let padding = String(repeating: "é", count: 200)
      func lines(_ range: Range<Int>) -> String {
        range.map { "{\"_id\":\"d\(100_000 + $0)\",\"n\":\($0),\"p\":\"\(padding)\"}\n" }.joined()
      }
      let first = try bench.importing(lines(0..<3_000))
      #expect(first.inserted == 3_000)
      let second = try bench.importing(lines(1_000..<26_000))
      #expect(second.inserted == 23_000 && second.skipped == 2_000)
      #expect(try bench.store.info().documentCount == 26_000)
      #expect(try bench.body("d125999") == "{\"n\":25999,\"p\":\"\(padding)\"}")
      #expect(try bench.store.lastSequence() == 26_000)
    }
  }

  @Test("the store is in write-ahead mode again after the bulk load")
  func journalMode() throws {
    try withTransferBench { bench throws in
      try bench.importing("{\"_id\":\"a\"}\n")
      let mode = try bench.store.access { try $0.first("PRAGMA journal_mode") { $0.text(0) } }
      #expect(mode == "wal")
    }
  }

  @Test("an error from the progress report ends the import; an empty store stays empty")
  func cancelling() throws {
    struct Stop: Error {}
    try withTransferBench { bench throws in
      var options = ImportOptions()
      options.progress = { _ in throw Stop() }
      let text = (0..<20_000).map { "{\"_id\":\"\($0)\"}\n" }.joined()
      #expect(throws: Stop.self) { try bench.importing(text, options) }
      #expect(try bench.ids().isEmpty)
      try bench.store.put(Document(id: "still works"))
    }
  }

  @Test("revisions come in alike by the quick way into a new store and by merging")
  func quickRevisions() throws {
    try withTransferBench { bench throws in
      let a = String(repeating: "a", count: 32)
      let text = """
        {"_id":"1","_rev":"3-\(a)","_revisions":{"start":3,"ids":["\(a)","b","c"]},"n":1}
        {"_id":"2","_rev":"2-\(a)","n":1}
        {"_id":"3","_rev":"2-\(a)","_revisions":{"start":2,"ids":["\(a)","x"]},"_deleted":true}
        {"_id":"4","_rev":"1-zz"}

        """
      try bench.importing(text)
      let other = try bench.stores.create("other")
      for line in text.split(separator: "\n") {
        let document = try Document(json: JSON(parsing: String(line)))
        _ = try other.write([document], mode: .revisions)
      }
      for id in ["1", "2", "3", "4"] {
        let quick = try #require(try bench.store.read { try bench.store.row(id, in: $0) })
        let merged = try #require(try other.read { try other.row(id, in: $0) })
        #expect(quick.revision == merged.revision)
        #expect(quick.flags == merged.flags)
        #expect(quick.tree == merged.tree)
        #expect(quick.body == merged.body)
      }
      // Once more: known revisions change nothing, a bare one is judged by the rule.
      let again = try bench.importing(text)
      #expect(again.skipped == 4)
      #expect(try bench.store.lastSequence() == 4)
    }
  }
}
