import Glibc
import TestSupport
import Testing

@testable import Core

@Suite struct TransferExportTests {
  @Test("an export comes back document for document, with the same revisions")
  func roundTrip() throws {
    try withTransferBench { bench throws in
      try bench.importing(
        "{\"_id\":\"a\",\"n\":1}\n{\"_id\":\"b\\n\",\"s\":\"é\u{2028}\"}\n{\"_id\":\"c\"}\n")
      let old = try bench.store.document("a")
      try bench.store.put(
        Document(id: "a", revision: old.revision, body: try DocumentBody(["n": 2])))
      try bench.store.delete("c", revision: bench.store.document("c").revision)
      let text = try bench.exportedText()
      #expect(text.hasSuffix("\"}\n"))
      let other = TransferBench(store: try bench.stores.create("other"), stores: bench.stores)
      var options = ImportOptions()
      options.requiresEndLine = true
      let summary = try other.importing(text, options)
      #expect(summary.inserted == 2 && summary.failed == 0 && summary.isProvenComplete)
      for id in ["a", "b\n"] {
        #expect(try other.store.document(id) == bench.store.document(id))
      }
      #expect(try other.exportedText() != "")
      let again = try other.importing(text)
      #expect(again.skipped == 2)
    }
  }

  @Test("an export that was cut or changed is refused and imports nothing")
  func endLine() throws {
    try withTransferBench { bench throws in
      try bench.importing((0..<50).map { "{\"_id\":\"d\($0)\",\"n\":\($0)}\n" }.joined())
      let text = try bench.exportedText()
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      let end = lines[lines.count - 2]
      #expect(end.hasPrefix("{\"_end\":true,\"count\":50,\"sha256\":\""))
      let damaged = [
        (lines[1...]).joined(separator: "\n"), text.replacing("\"n\":7}", with: "\"n\":8}"),
        lines.dropLast(3).joined(separator: "\n") + "\n" + end + "\n",
        text + "{\"_id\":\"more\"}\n",
        text + end + "\n", text.replacing("\"count\":50", with: "\"count\":51"),
      ]
      for input in damaged {
        let other = TransferBench(
          store: try bench.stores.create("o\(UInt32.random(in: 0...UInt32.max))"),
          stores: bench.stores)
        let error = #expect(throws: TransferError.self) { try other.importing(input) }
        guard case .incomplete = error else {
          Issue.record("\(String(describing: error))")
          continue
        }
        #expect(try other.ids().isEmpty)
      }
      let used = TransferBench(store: try bench.stores.create("used"), stores: bench.stores)
      try used.store.put(Document(id: "first"))
      #expect(throws: TransferError.self) { try used.importing(damaged[1]) }
      #expect(try used.ids() == ["first"])
      #expect(try used.importing(text).inserted == 50)
      var options = ImportOptions()
      options.requiresEndLine = true
      let cut = lines.dropLast(5).joined(separator: "\n")
      #expect(throws: TransferError.self) { try bench.importing(cut, options) }
    }
  }

  @Test("all revisions restore the same trees, bodies and attachments")
  func allRevisions() throws {
    try withTransferBench { bench throws in
      let store = bench.store
      let first = try store.put(
        Document(
          id: "x", body: try DocumentBody(["n": 1]),
          attachments: [
            Attachment(name: "f", contentType: "text/plain", content: .inline(Array("hello".utf8)))
          ]))
      let second = try store.put(
        Document(
          id: "x", revision: first, body: try DocumentBody(["n": 2]),
          attachments: [Attachment(name: "f", contentType: "text/plain")]))
      let conflict = RevisionID(generation: 2, hash: String(repeating: "f", count: 32))
      _ = try store.write(
        [
          Document(
            id: "x", revision: conflict, body: try DocumentBody(["n": 3]),
            history: [conflict, first])
        ], mode: .revisions)
      let gone = try store.put(Document(id: "gone", body: try DocumentBody(["a": 1])))
      try store.delete("gone", revision: gone)
      _ = second
      var options = ExportOptions()
      options.allRevisions = true
      for attachments in [
        ExportOptions.Attachments.inline,
        .folder(path: bench.stores.path + "/files", name: "files"),
      ] {
        options.attachments = attachments
        let other = TransferBench(
          store: try bench.stores.create("o\(UInt32.random(in: 0...UInt32.max))"),
          stores: bench.stores)
        let summary = try other.importing(try bench.exportedText(options))
        #expect(summary.failed == 0, "\(summary.problems)")
        for id in ["x", "gone"] {
          let before = try store.read { try store.row(id, in: $0) }
          let after = try other.store.read { try other.store.row(id, in: $0) }
          #expect(Self.shape(before?.tree) == Self.shape(after?.tree))
          #expect(before?.body == after?.body)
          #expect(before?.flags == after?.flags)
        }
        #expect(
          try other.store.document("x", ReadOptions(revision: first)).body.members == ["n": 1])
        #expect(
          try other.store.attachment(named: "f", of: "x", revision: second).bytes()
            == Array("hello".utf8))
      }
    }
  }

  /// A tree's revisions with their parents, without regard to the order of its nodes.
  private static func shape(_ tree: RevisionTree?) -> Set<String> {
    guard let tree else { return [] }
    return Set(
      tree.nodes.map { node in
        let parent = node.parent.map { tree.nodes[$0].revision.description } ?? "-"
        return "\(node.revision) \(parent) \(node.isDeleted)"
      })
  }

  @Test("gzip output is smaller, reads back, and its damage is noticed")
  func gzip() throws {
    try withTransferBench { bench throws in
      try bench.importing((0..<2_000).map { "{\"_id\":\"d\($0)\",\"n\":\"same text\"}\n" }.joined())
      var options = ExportOptions()
      options.gzip = true
      let packed = try bench.exporting(options)
      #expect(packed.starts(with: [0x1F, 0x8B]))
      #expect(try packed.count * 3 < bench.exporting().count)
      func imported(_ bytes: [UInt8]) throws -> ImportSummary {
        try TransferBench(
          store: try bench.stores.create("o\(UInt32.random(in: 0...UInt32.max))"),
          stores: bench.stores
        ).importing(bytes)
      }
      let summary = try imported(packed)
      #expect(summary.inserted == 2_000 && summary.isProvenComplete)
      #expect(summary.bytes == packed.count)
      #expect(throws: TransferError.self) { try imported(Array(packed.dropLast(20))) }
      var damaged = packed
      damaged[packed.count / 2] ^= 0x55
      #expect(throws: TransferError.self) { try imported(damaged) }
    }
  }

  @Test("a JSON export is one array, an empty one too")
  func jsonArray() throws {
    try withTransferBench { bench throws in
      var options = ExportOptions()
      options.format = .json
      #expect(try JSON(parsing: bench.exporting(options)) == [])
      try bench.importing("{\"_id\":\"a\",\"n\":1}\n{\"_id\":\"b\"}\n")
      let array = try #require(try JSON(parsing: bench.exporting(options)).arrayValue)
      #expect(array.map { $0["_id"] } == ["a", "b"])
      #expect(array[0]["n"] == 1)
    }
  }

  @Test("a CSV export reads back with the same values")
  func csv() throws {
    try withTransferBench { bench throws in
      try bench.importing(
        #"{"_id":"a","s":"x,\"y\"\n","n":1.5,"t":"true","e":"","z":" 5"}"# + "\n"
          + #"{"_id":"12","l":[1,"a"],"b":false,"u":null,"d":"007"}"# + "\n")
      var options = ExportOptions()
      options.format = .csv
      let text = try bench.exportedText(options)
      #expect(
        text == "_id,b,d,e,l,n,s,t,u,z\r\n"
          + "a,,,\"\",,1.5,\"x,\"\"y\"\"\n\",\"true\",,\" 5\"\r\n"
          + "\"12\",false,007,,\"[1,\"\"a\"\"]\",,,,null,\r\n")
      let other = TransferBench(store: try bench.stores.create("other"), stores: bench.stores)
      try other.importing(text)
      #expect(try UTF8Key(other.body("a")) == UTF8Key(bench.body("a")))
      #expect(try other.body("12") == #"{"b":false,"d":"007","l":"[1,\"a\"]","u":null}"#)
    }
  }

  @Test("attachments can be left out")
  func withoutAttachments() throws {
    try withTransferBench { bench throws in
      try bench.importing(#"{"_id":"a","_attachments":{"f":{"data":"aGVsbG8="}}}"# + "\n")
      var options = ExportOptions()
      options.attachments = .none
      #expect(try !bench.exportedText(options).contains("_attachments"))
      #expect(try bench.exportedText().contains(#""data":"aGVsbG8=""#))
    }
  }

  @Test("an export shows one state of the store while another connection writes")
  func snapshot() throws {
    try withTransferBench { bench throws in
      try bench.importing((0..<10_001).map { "{\"_id\":\"d\($0)\"}\n" }.joined())
      let writer = try bench.stores.open("t")
      var options = ExportOptions()
      options.progress = { summary in
        try writer.put(Document(id: "late-\(summary.records)"))
      }
      #expect(try !bench.exportedText(options).contains("late"))
      #expect(try bench.store.info().documentCount == 10_003)
    }
  }

  @Test("a full disk is an error with its code")
  func fullDisk() throws {
    try withTransferBench { bench throws in
      try bench.importing("{\"_id\":\"a\"}\n")
      let full = try OpenFile("/dev/full", O_WRONLY)
      #expect(
        throws: TransferError.io(path: "out", operation: "write", code: ENOSPC)
      ) { try Exporter(from: bench.store).run(descriptor: full.descriptor, name: "out") }
    }
  }
}
