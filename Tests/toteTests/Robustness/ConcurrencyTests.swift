import TestSupport
import Testing

@Suite("Several processes use one store")
struct ConcurrencyTests {
  @Test("writers and readers at the same time lose nothing and see no error")
  func writersAndReaders() throws {
    try withTote { tote in
      try tote.succeed("store", "create", "shared")
      let writers = try (0..<4).map { writer in
        try ChildProcess(
          shell(
            tote,
            "for n in $(seq 1 25); do tote store put shared w\(writer)-$n '{\"n\":'$n'}' || exit; done"
          ))
      }
      let readers = try (0..<2).map { _ in
        try ChildProcess(
          shell(
            tote, "for n in $(seq 1 25); do tote store ls shared --jsonl >/dev/null || exit; done"))
      }
      for process in writers + readers {
        let result = try process.finish(within: .seconds(120))
        #expect(result.exitCode == 0, "\(result.errors)")
      }
      let ids = try tote.documentIDs("shared")
      let expected = (0..<4).flatMap { writer in (1...25).map { "w\(writer)-\($0)" } }
      #expect(ids == expected.sorted())
      try tote.succeed("store", "verify", "shared")
    }
  }

  @Test("of several edits of one revision exactly one wins, the others are told of the conflict")
  func oneWinner() throws {
    try withTote { tote in
      try tote.succeed("store", "create", "shared")
      var revision = ""
      for round in 1...5 {
        let start = try tote.run("store", "get", "shared", "doc", "--field", "_rev")
        if round > 1 { revision = start.lines.first ?? "" }
        let revisionOption = revision.isEmpty ? "" : "--rev \(revision)"
        let processes = try (0..<4).map { writer in
          try ChildProcess(
            shell(
              tote,
              "tote store put shared doc '{\"by\":\(writer),\"round\":\(round)}' \(revisionOption)")
          )
        }
        let codes = try processes.map { try $0.finish().exitCode }
        #expect(codes.sorted() == [0, 75, 75, 75], "round \(round)")
      }
      try tote.succeed("store", "verify", "shared")
    }
  }

  @Test("puts succeed while another process imports, and both end complete")
  func putsDuringImport() throws {
    try withTote { tote in
      try tote.succeed("store", "create", "shared")
      try tote.succeed("store", "put", "shared", "first", "{}")
      try writeText(SampleDocuments.lines(0..<20_000), to: "\(tote.directory)/docs.jsonl")
      let importer = try ChildProcess(
        shell(tote, "tote store import shared docs.jsonl"))
      for number in 0..<10 {
        let result = try tote.run("store", "put", "shared", "put-\(number)", "{}")
        #expect(result.exitCode == 0, "\(result.errors)")
      }
      let result = try importer.finish(within: .seconds(120))
      #expect(result.exitCode == 0, "\(result.errors)")
      #expect(try tote.documentCount("shared") == 20_011)
      try tote.succeed("store", "verify", "shared")
    }
  }

  @Test("changes --follow in one process shows what another process writes")
  func follow() throws {
    try withTote { tote in
      try tote.succeed("store", "create", "shared")
      let follower = try ChildProcess(
        tote.launch(["store", "changes", "shared", "--follow", "--jsonl"]))
      for number in 0..<5 {
        try tote.succeed("store", "put", "shared", "doc-\(number)", "{}")
        let line = try follower.nextLine(within: .seconds(20))
        #expect(line.flatMap(ToteBinary.id(inLine:)) == "doc-\(number)")
      }
      follower.send(2)
      #expect(try follower.finish().status == .signalled(2))
    }
  }

  private func shell(_ tote: ToteBinary, _ line: String) -> Launch {
    var launch = Launch("/bin/sh", ["-c", line], environment: tote.environment)
    launch.directory = tote.directory
    return launch
  }
}
