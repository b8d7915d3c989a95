import Glibc
import TestSupport
import Testing

@testable import Core

@Suite struct TransferFormatTests {
  @Test(
    "the format is found out from the content",
    arguments: [
      ("", .jsonLines), ("{\"a\":1}\n{\"a\":2}\n", .jsonLines), ("{\"a\":1}", .jsonLines),
      ("{\n \"a\":1\n}\n", .json), ("[{\"a\":1}]", .json), ("\n [\n{\"a\":1}]", .json),
      ("{\"docs\":[{}]}\n", .json), ("{\"total_rows\":1,\"rows\":[{\"doc\":{}}]}\n", .json),
      ("{\"a\":1} {\"a\":2}", .json), ("[{\"_id\":\"a\"}]\n[{\"_id\":\"b\"}]\n", .couchbackup),
      (
        "{\"name\":\"@cloudant/couchbackup\",\"version\":\"2.9.10\",\"mode\":\"full\"}\n[{}]\n",
        .couchbackup
      ),
      ("{\"name\":\"milk\"}\n", .jsonLines), ("a,b\n1,2\n", .csv), ("\"a\";\"b\"\n", .csv),
    ] as [(String, ImportFormat)])
  func detection(text: String, format: ImportFormat) throws {
    try withTransferBench { bench throws in
      #expect(try bench.importing(text).format == format)
      #expect(try bench.importing("\u{FEFF}" + text).format == format)
    }
  }

  @Test(
    "JSON arrays, bare documents and CouchDB's answers are read",
    arguments: [
      "[{\"_id\":\"a\"},{\"_id\":\"b\"}]", "[\n{\"_id\":\"a\"}\n,\n{\"_id\":\"b\"}\n]\n",
      "[][{\"_id\":\"a\"}] [{\"_id\":\"b\"}]", "{\"_id\":\"a\"} {\"_id\":\n\"b\"}",
      "{\"docs\":[{\"_id\":\"a\"},{\"_id\":\"b\"}]}",
      "{ \"new_edits\" : true, \"docs\" : [{\"_id\":\"a\"},{\"_id\":\"b\"}] }",
      "{\"total_rows\":2,\"offset\":0,\"rows\":[\n{\"id\":\"a\",\"key\":\"a\",\"value\":{\"rev\":\"x\"},\"doc\":{\"_id\":\"a\"}},\n{\"id\":\"b\",\"doc\":{\"_id\":\"b\"}}\n]}",
      "{\"docs\":[{\"_id\":\"a\"},{\"_id\":\"b\"}],\"bookmark\":\"x]}\",\"more\":{\"a\":[1]}}",
    ])
  func jsonStreams(text: String) throws {
    try withTransferBench { bench throws in
      let summary = try bench.importing(text)
      #expect(summary.inserted == 2 && summary.failed == 0)
      #expect(try bench.ids() == ["a", "b"])
    }
  }

  @Test("a bad element is a problem, a broken structure is an error and imports nothing")
  func jsonMistakes() throws {
    try withTransferBench { bench throws in
      let summary = try bench.importing("[{\"_id\":\"a\"},\n {\"_id\":01}, 7, {\"_id\":\"b\"}]")
      #expect(summary.inserted == 2)
      #expect(
        summary.problems.map(\.message) == [
          "in:2:10: invalid number", "in:2:14: a document must be a JSON object",
        ])
    }
    for (text, place) in [
      ("[{\"_id\":\"a\"} {\"_id\":\"b\"}]", "1:14"), ("[{\"_id\":\"a\"},]", "1:14"),
      ("[{\"_id\":\"a\"}\n", "2:1"), ("[{\"_id\":\"a\"", "1:12"), ("[,{}]", "1:2"),
      ("[{}]x", "1:5"),
      ("{\"docs\":[{\"_id\":\"a\"}]", "1:22"), ("{\"docs\":[{}]]", "1:13"),
    ] {
      try withTransferBench { bench throws in
        let error = #expect(throws: TransferError.self, "\(text)") { try bench.importing(text) }
        guard case .malformed(let problem) = error else {
          Issue.record("\(text): \(String(describing: error))")
          return
        }
        #expect("\(problem.line):\(problem.column)" == place, "\(text)")
        #expect(try bench.ids().isEmpty)
      }
    }
  }

  @Test("a row without its document says how to list with them")
  func rowsWithoutDocuments() throws {
    try withTransferBench { bench throws in
      let summary = try bench.importing("{\"total_rows\":1,\"rows\":[{\"id\":\"a\",\"value\":{}}]}")
      #expect(summary.failed == 1)
      #expect(summary.problems[0].reason.contains("include_docs"))
    }
  }

  @Test("couchbackup's file restores revisions with their history")
  func couchbackup() throws {
    try withTransferBench { bench throws in
      let a = String(repeating: "a", count: 32)
      let summary = try bench.importing(
        """
        {"name":"@cloudant/couchbackup","version":"2.9.10","mode":"full"}
        [{"_id":"x","_rev":"1-\(a)","_revisions":{"start":1,"ids":["\(a)"]},"n":1},{"_id":"y","_rev":"3-\(a)"}]
        []
        [{"_id":"z","_rev":"2-\(a)","_revisions":{"start":2,"ids":["\(a)","\(a)"]},"_deleted":true}]
        """)
      #expect(summary.format == .couchbackup)
      #expect(summary.inserted == 3 && summary.failed == 0)
      #expect(try bench.store.document("x").revision == RevisionID("1-" + a))
      #expect(try bench.store.document("y").revision == RevisionID("3-" + a))
      #expect(try bench.store.info().deletedCount == 1)
    }
  }

  @Test("CSV cells get their types by the documented rule")
  func csvTypes() throws {
    try withTransferBench { bench throws in
      let summary = try bench.importing(
        "_id,a,b,c,\"d,\"\"x\"\"\"\r\n"
          + "1,true,2.50,,\"\"\r\n"
          + "2,null,007,\"12\",\"line\r\nbreak, \"\"quoted\"\"\"\r\n"
          + "3,-5,1e5,+1,123456789012345678901\r\n\r\n"
          + "4,é, x ,false,0.5")
      #expect(summary.format == .csv)
      #expect(summary.inserted == 4 && summary.failed == 0)
      #expect(try bench.body("1") == #"{"a":true,"b":2.5,"d,\"x\"":""}"#)
      #expect(
        try bench.body("2")
          == #"{"a":null,"b":"007","c":"12","d,\"x\"":"line\r\nbreak, \"quoted\""}"#)
      #expect(
        try bench.body("3") == #"{"a":-5,"b":"1e5","c":"+1","d,\"x\"":"123456789012345678901"}"#)
      #expect(try bench.body("4") == #"{"a":"é","b":" x ","c":false,"d,\"x\"":0.5}"#)
    }
  }

  @Test(
    "semicolons, tabs and lone carriage returns separate too",
    arguments: [
      "_id;n\na;1\nb;2\n", "_id\tn\na\t1\nb\t2", "_id,n\ra,1\rb,2\r", "\"_id\",\"n\"\na,1\nb,2",
    ])
  func csvVariants(text: String) throws {
    try withTransferBench { bench throws in
      #expect(try bench.importing(text).inserted == 2)
      #expect(try bench.body("b") == #"{"n":2}"#)
    }
  }

  @Test("rows that do not fit the header are problems with their line")
  func csvMistakes() throws {
    try withTransferBench { bench throws in
      let summary = try bench.importing("_id,n\na,\"x\ny\"\nb\nc,1,2\nd,2\ne,\"open\n")
      #expect(
        summary.problems.map(\.message) == [
          "in:4:1: the row has 1 cells, the header has 2",
          "in:5:1: the row has 3 cells, the header has 2", "in:7:1: a quote is not closed",
        ])
      #expect(try bench.ids() == ["a", "d"])
      #expect(throws: TransferError.self) { try bench.importing("a,a\n1,2\n") }
      #expect(throws: TransferError.self) { try bench.importing("a,,b\n1,2,3\n") }
    }
  }

  @Test("a record longer than the limit is passed over, one longer than a block is read")
  func longRecords() throws {
    try withTransferBench { bench throws in
      var options = ImportOptions()
      options.maximumRecordLength = 1 << 20
      let long = String(repeating: "x", count: 700_000)
      let tooLong = String(repeating: "y", count: 3 << 20)
      let summary = try bench.importing(
        "{\"_id\":\"a\",\"s\":\"\(long)\"}\n{\"_id\":\"b\",\"s\":\"\(tooLong)\"}\n{\"_id\":\"c\"}\n",
        options)
      #expect(summary.inserted == 2 && summary.failed == 1)
      #expect(summary.problems[0].line == 2)
      #expect(try bench.ids() == ["a", "c"])
      #expect(try bench.body("a").utf8.count == 700_008)
    }
  }

  @Test("records that straddle blocks at any place are read whole")
  func straddling() throws {
    var random = SeededGenerator(for: "straddling records")
    try withTransferBench { bench throws in
      var expected: [String: String] = [:]
      var lines = ""
      var array = "["
      for index in 0..<1_500 {
        var body = random.jsonObject(upTo: 6, depth: 2)
        for key in body.keys where key.hasPrefix("_") { body[key] = nil }
        body["p"] = .string(String(repeating: "p", count: Int.random(in: 0..<700, using: &random)))
        expected["d\(index)"] = JSON.object(body).serialized(.canonical)
        body["_id"] = .string("d\(index)")
        lines += JSON.object(body).serialized() + "\n"
        array += (index == 0 ? "" : ",") + random.sloppyText(of: .object(body))
      }
      #expect(try bench.importing(lines).inserted == 1_500)
      for (id, body) in expected { #expect(try UTF8Key(bench.body(id)) == UTF8Key(body)) }
      let other = TransferBench(store: try bench.stores.create("other"), stores: bench.stores)
      #expect(try other.importing(array + "]").inserted == 1_500)
      for (id, body) in expected { #expect(try UTF8Key(other.body(id)) == UTF8Key(body)) }
    }
  }

  @Test("damaged input of any format ends in problems or an error, never in a crash")
  func corruption() throws {
    var random = SeededGenerator(for: "damaged imports")
    let texts = [
      "{\"_id\":\"a\",\"n\":[1,{}]}\n{\"_id\":\"b\"}\n",
      "[{\"_id\":\"a\"},{\"_id\":\"b\",\"s\":\"\\\"\"}]",
      "{\"total_rows\":1,\"rows\":[{\"id\":\"a\",\"doc\":{\"_id\":\"a\"}}]}",
      "_id,n\na,\"x\"\"y\"\nb,2\n",
      "{\"_id\":\"x\",\"_rev\":\"1-a\",\"_revisions\":{\"start\":1,\"ids\":[\"a\"]},\"_attachments\":{}}\n",
    ]
    try withTransferBench { bench throws in
      for _ in 0..<300 {
        var bytes = Array((texts.randomElement(using: &random) ?? "").utf8)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          let index = Int.random(in: 0..<bytes.count, using: &random)
          bytes[index] = UInt8.random(in: 0...255, using: &random)
        }
        bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
        do {
          let summary = try bench.importing(bytes)
          #expect(
            summary.read == summary.inserted + summary.updated + summary.skipped + summary.failed)
        } catch is TransferError {}
      }
    }
  }
}
