import TestSupport
import Testing

@testable import Core
@testable import tote

/// `changes`, `history`, `conflicts` and `resolve`.
struct StoreRevisionTests {
  @Test("changes answers as _changes, with documents, from a sequence and from behind")
  func changes() async throws {
    try await withNotes { home in
      let empty = try await home.run("changes", "notes", "--json")
      #expect(empty.output == #"{"results":[],"last_seq":0,"pending":0}"# + "\n")
      try await home.run("put", "notes", "a", "{}")
      try await home.run("put", "notes", "b", #"{"n":1}"#)
      try await home.run("rm", "notes", "a")
      let all = try await home.run("changes", "notes", "--json")
      #expect(
        all.masked == """
          {"results":[{"seq":2,"id":"b","changes":[{"rev":"1-R"}]},\
          {"seq":3,"id":"a","changes":[{"rev":"2-R"}],"deleted":true}],"last_seq":3,"pending":0}

          """)
      let one = try await home.run("changes", "notes", "--limit", "1", "--docs", "--json")
      #expect(
        one.masked == """
          {"results":[{"seq":2,"id":"b","changes":[{"rev":"1-R"}],\
          "doc":{"_id":"b","_rev":"1-R","n":1}}],"last_seq":2,"pending":1}

          """)
      let last = try await home.run("changes", "notes", "--descending", "--limit", "1")
      #expect(last.masked == "3\ta\t2-R\tdeleted\n")
      #expect(try await home.run("changes", "notes", "--since", "now", "--jsonl").output.isEmpty)
      let since = try await home.run("changes", "notes", "--since", "2", "--jsonl")
      #expect(since.output.hasPrefix(#"{"seq":3,"#))
    }
  }

  @Test("changes can be narrowed to documents and to a selector; a limit counts what passes")
  func filteredChanges() async throws {
    try await withNotes { home in
      for index in 0..<6 {
        try await home.run("put", "notes", "d\(index)", "{\"even\":\(index % 2 == 0)}")
      }
      let even = try await home.run(
        "changes", "notes", "--selector", #"{"even":true}"#, "--limit", "2", "--json")
      let rows = try even.json["results"]?.arrayValue ?? []
      #expect(rows.map { $0["id"] } == ["d0", "d2"])
      #expect(try even.json["last_seq"] == 3)
      #expect(try even.json["pending"] == 3)
      #expect(rows.allSatisfy { $0["doc"] == nil })
      let named = try await home.run(
        "changes", "notes", "--doc-id", "d1", "--doc-id", "d5", "--jsonl")
      #expect(named.output.split(separator: "\n").count == 2)
      let wrong = try await home.run("changes", "notes", "--selector", #"{"$x":1}"#)
      #expect(wrong.status == 65)
      #expect(try await home.run("changes", "notes", "--since", "x").status == 64)
      #expect(try await home.run("changes", "notes", "--follow", "--json").status == 64)
    }
  }

  @Test("history is a tree for people, rows for pipes, and flags for scripts")
  func history() async throws {
    try await withNotes { home in
      try home.makeConflict()
      let json = try await home.run("history", "notes", "milk", "--json").json
      let rows = json["revisions"]?.arrayValue ?? []
      #expect(
        rows.first?.objectValue?.keys == [
          "rev", "parent", "winner", "leaf", "conflict", "deleted", "available",
        ])
      #expect(rows.map { $0["winner"] } == [true, false, false])
      #expect(rows.map { $0["conflict"] } == [false, false, true])
      let plain = try await home.run("history", "notes", "milk")
      #expect(plain.masked == "2-R\t1-R\tcurrent\n1-R\t\t\n2-R\t1-R\tconflict\n")
      let tree = try await home.run("history", "notes", "milk", isTerminal: true)
      #expect(tree.masked == "● 2-R  current\n│ ● 2-R  conflict\n├─╯\n○ 1-R\n")
      #expect(try await home.run("history", "notes", "nobody").status == 66)
    }
  }

  @Test("a tree with three branches and a deletion keeps its lanes apart")
  func graph() throws {
    func entry(_ name: String, _ parent: String?, leaf: Bool = false, deleted: Bool = false)
      -> HistoryEntry
    {
      HistoryEntry(
        revision: RevisionID(name) ?? RevisionID(generation: 0, hash: "x"),
        parent: parent.flatMap { RevisionID($0) }, isDeleted: deleted, isLeaf: leaf,
        isWinner: name == "4-a", isAvailable: true)
    }
    let entries = [
      entry("4-a", "3-a", leaf: true), entry("3-a", "2-a"), entry("2-a", "1-a"), entry("1-a", nil),
      entry("3-b", "2-a", leaf: true), entry("2-c", "1-a", leaf: true, deleted: true),
    ]
    let lines = HistoryGraph(entries, isUTF8: false).lines.map { line in
      line.lanes + (line.entry.map { " " + $0.revision.description } ?? "")
    }
    #expect(
      lines == [
        "* 4-a", "o 3-a", "| * 3-b", "|-'", "o 2-a", "| * 2-c", "|-'", "o 1-a",
      ])
  }

  @Test("conflicts lists documents, or one document's versions as open_revs answers")
  func conflicts() async throws {
    try await withNotes { home in
      #expect(try await home.run("conflicts", "notes", "--json").output == "[]\n")
      try home.makeConflict()
      let list = try await home.run("conflicts", "notes", "--json")
      #expect(list.masked == #"[{"id":"milk","rev":"2-R","conflicts":["2-R"]}]"# + "\n")
      let versions = try await home.run("conflicts", "notes", "milk", "--json")
      #expect(
        versions.masked == """
          [{"ok":{"_id":"milk","_rev":"2-R","amount":2,"title":"Milk"}},\
          {"ok":{"_id":"milk","_rev":"2-R","amount":1,"title":"Oat milk"}}]

          """)
      #expect(try await home.run("conflicts", "notes", "nobody").status == 66)
    }
  }

  @Test(
    "resolve keeps one version, or the current one with changes; the others are deleted",
    arguments: [
      (["--keep", "2-00000000000000000000000000000000"], "Oat milk\t1\n"),
      (["--newest"], "Milk\t2\n"), (["--merge", #"{"amount":9}"#], "Milk\t9\n"),
    ])
  func resolve(options: [String], expected: String) async throws {
    try await withNotes { home in
      try home.makeConflict()
      let ran = try await home.run(words: ["resolve", "notes", "milk", "--json"] + options)
      #expect(ran.status == 0, "\(ran.errors)")
      #expect(try ran.json.objectValue?.keys == ["ok", "id", "rev"])
      #expect(try await home.run("conflicts", "notes").output.isEmpty)
      let get = try await home.run("get", "notes", "milk", "--field", "title", "--field", "amount")
      #expect(get.output == expected)
    }
  }

  @Test("resolve wants exactly one choice, and a version that is there")
  func resolveMistakes() async throws {
    try await withNotes { home in
      try home.makeConflict()
      #expect(try await home.run("resolve", "notes", "milk").status == 64)
      let both = try await home.run("resolve", "notes", "milk", "--newest", "--merge", "{}")
      #expect(both.status == 64)
      #expect(both.errors.contains("'--merge' and '--newest'"))
      let unknown = "2-11111111111111111111111111111111"
      #expect(try await home.run("resolve", "notes", "milk", "--keep", unknown).status == 66)
      #expect(try await home.run("resolve", "notes", "milk", "--keep", "x").status == 64)
      #expect(try await home.run("resolve", "notes", "nobody", "--newest").status == 66)
    }
  }
}
