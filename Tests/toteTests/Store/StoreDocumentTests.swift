import Core
import TestSupport
import Testing

/// `put`, `get`, `rm` and `ls`.
struct StoreDocumentTests {
  @Test("put answers as CouchDB, get prints the document, keys in order")
  func putAndGet() async throws {
    try await withNotes { home in
      let put = try await home.run("put", "notes", "milk", #"{"z":1,"a":"x"}"#, "--json")
      #expect(put.masked == #"{"ok":true,"id":"milk","rev":"1-R"}"# + "\n")
      #expect(put.errors.isEmpty)
      let get = try await home.run("get", "notes", "milk", "--json")
      #expect(get.masked == #"{"_id":"milk","_rev":"1-R","a":"x","z":1}"# + "\n")
      let human = try await home.run("get", "notes", "milk")
      #expect(human.output == get.output)
    }
  }

  @Test("people see a document laid out, with its id and revision first")
  func terminal() async throws {
    try await withNotes { home in
      try await home.run("put", "notes", "milk", #"{"n":[1,null],"t":"\u001b[2J"}"#)
      let get = try await home.run("get", "notes", "milk", isTerminal: true)
      #expect(
        get.masked == """
          {
            "_id": "milk",
            "_rev": "1-R",
            "n": [
              1,
              null
            ],
            "t": "\\u001B[2J"
          }

          """)
      let coloured = try await home.run("get", "notes", "milk", isTerminal: true, color: true)
      #expect(coloured.output.contains("\u{1B}[36m\"_id\"\u{1B}[0m: \u{1B}[32m\"milk\"\u{1B}[0m"))
    }
  }

  @Test(
    "a lone operand is the document when it is '-' or begins with '{', else the id",
    arguments: [
      (["put", "notes", "{\"_id\":\"x\"}"], "", 0, "x"),
      (["put", "notes", "-"], "{\"_id\":\"x\"}", 0, "x"),
      (["put", "notes", "x"], "", 64, nil), (["put", "notes", "--id", "{x", "{}"], "", 0, "{x"),
      (["put", "notes", "x", "-"], "{}", 0, "x"),
      (["put", "notes", "--", "-x", "{}"], "", 0, "-x"),
      (["put", "notes", "--id=-x", "{}"], "", 0, "-x"),
      (["put", "notes", "_design/a", "{}"], "", 0, "_design/a"),
      (["put", "notes", "_local/a", "{}"], "", 0, "_local/a"),
      (["put", "notes", "Käse 🧀", "{}"], "", 0, "Käse 🧀"),
      (["put", "notes", "_x", "{}"], "", 65, nil), (["put", "notes", "x", "[]"], "", 65, nil),
      (["put", "notes", "x", "{,"], "", 65, nil),
      (["put", "notes", "x", "{\"_y\":1}"], "", 65, nil),
      (["put", "notes", "x", "y", "--id", "z"], "", 64, nil),
      (["put", "notes", "x", "{}", "--merge", "--replace-latest"], "", 64, nil),
    ] as [([String], String, Int32, String?)])
  func operands(words: [String], input: String, status: Int32, id: String?) async throws {
    try await withNotes { home in
      let ran = try await home.run(words: words, input: input)
      #expect(ran.status == status, "\(ran.errors)")
      #expect(ran.output.split(separator: "\t").first.map(String.init) == id)
      #expect(ran.errors.isEmpty == (status == 0))
    }
  }

  @Test("a mistake in JSON is told with its line and column, for people and scripts")
  func mistake() async throws {
    try await withNotes { home in
      let human = try await home.run("put", "notes", "-", input: "{\"a\":1,\n\"b\" 2}")
      #expect(human.errors.contains("standard input is not valid JSON: "))
      #expect(human.errors.contains("line 2, column 5"))
      let json = try await home.run("put", "notes", "x", "{,", "--json")
      let error = try JSON(parsing: json.errors)["error"]
      #expect(
        error?.objectValue?.keys == ["code", "message", "hint", "line", "column", "offset"])
      #expect(json.output.isEmpty)
    }
  }

  @Test("a document that changed meanwhile is a conflict that names the current revision")
  func conflict() async throws {
    try await withNotes { home in
      let first = try await home.run("put", "notes", "milk", "{}", "--json").json["rev"]
      let again = try await home.run("put", "notes", "milk", "{\"a\":1}", "--json")
      #expect(again.status == 75)
      let error = try JSON(parsing: again.errors)["error"]
      #expect(error?["code"] == "conflict")
      #expect(error?["current"] == first)
      let rev = try #require(first?.stringValue)
      #expect(try await home.run("put", "notes", "milk", "{\"a\":1}", "--rev", rev).status == 0)
      #expect(try await home.run("put", "notes", "milk", "{\"a\":2}", "--rev", rev).status == 75)
      let both = #"{"_rev":"1-00000000000000000000000000000000"}"#
      #expect(try await home.run("put", "notes", "milk", both, "--rev", rev).status == 65)
    }
  }

  @Test("--merge changes the members given, keeps the others, and writes nothing for no change")
  func merge() async throws {
    try await withNotes { home in
      try await home.run("put", "notes", "milk", #"{"a":1,"b":{"c":2},"d":3}"#)
      try await home.run("put", "notes", "milk", "--merge", #"{"b":{"e":4},"d":null}"#)
      let get = try await home.run("get", "notes", "milk")
      #expect(get.masked == #"{"_id":"milk","_rev":"2-R","a":1,"b":{"c":2,"e":4}}"# + "\n")
      let same = try await home.run("put", "notes", "milk", "--merge", #"{"a":1}"#)
      #expect(same.masked == "milk\t2-R\n")
      #expect(try await home.run("put", "notes", "--merge", "{}").status == 64)
      let file = #"{"_attachments":{}}"#
      #expect(try await home.run("put", "notes", "milk", "--merge", file).status == 65)
    }
  }

  @Test("--replace-latest writes over what is there, also over a deletion")
  func replaceLatest() async throws {
    try await withNotes { home in
      let old = try await home.run("put", "notes", "milk", #"{"a":1}"#, "--json").json
      try await home.run("put", "notes", "milk", #"{"b":1}"#, "--replace-latest")
      try await home.run("rm", "notes", "milk")
      let rev = try #require(old["rev"]?.stringValue)
      let text = try await home.run("get", "notes", "milk", "--rev", rev).output
      try await home.run("put", "notes", "--replace-latest", "-", input: text)
      let get = try await home.run("get", "notes", "milk", "--field", "a", "--field", "_rev")
      #expect(get.masked == "1\t4-R\n")
    }
  }

  @Test("of several documents those that cannot be read are rows in the array and errors on stderr")
  func partial() async throws {
    try await withNotes { home in
      try await home.run("put", "notes", "a", "{}")
      try await home.run("put", "notes", "c", "{}")
      let ran = try await home.run("get", "notes", "a", "b", "c", "--json")
      #expect(
        ran.masked == """
          [{"_id":"a","_rev":"1-R"},{"id":"b","error":"not_found","reason":"missing"},\
          {"_id":"c","_rev":"1-R"}]

          """)
      #expect(ran.status != 0)
      #expect(ran.errors.contains("document 'b' not found"))
      let human = try await home.run("get", "notes", "a", "b")
      #expect(human.masked == #"{"_id":"a","_rev":"1-R"}"# + "\n")
      #expect(try await home.run("get", "notes", "b", "--json").output.isEmpty)
      #expect(try await home.run("get", "notes", "b").status == 66)
    }
  }

  @Test("--field prints text as it is and the rest as JSON; a missing one is empty")
  func fields() async throws {
    try await withNotes { home in
      try await home.run("put", "notes", "a", #"{"t":"two\nlines","o":{"n":[1]}}"#)
      #expect(try await home.run("get", "notes", "a", "--field", "t").output == "two\nlines\n")
      let several = try await home.run(
        "get", "notes", "a", "--field", "t", "--field", "o.n", "--field", "x")
      #expect(several.output == "two\\nlines\t[1]\t\n")
      let json = try await home.run(
        "get", "notes", "a", "--field", "o.n", "--field", "x", "--json")
      #expect(json.output == #"{"o.n":[1],"x":null}"# + "\n")
    }
  }

  @Test("rm answers one object for one document, and an array with error rows for several")
  func remove() async throws {
    try await withNotes { home in
      for id in ["a", "b", "c"] { try await home.run("put", "notes", id, "{}") }
      let dry = try await home.run("rm", "notes", "a", "--dry-run", "--json")
      #expect(dry.masked == #"{"ok":true,"id":"a","rev":"1-R","dryRun":true}"# + "\n")
      let one = try await home.run("rm", "notes", "a", "--json")
      #expect(one.masked == #"{"ok":true,"id":"a","rev":"2-R"}"# + "\n")
      let several = try await home.run("rm", "notes", "b", "a", "c", "--json")
      #expect(
        several.masked == """
          [{"ok":true,"id":"b","rev":"2-R"},{"id":"a","error":"not_found","reason":"deleted"},\
          {"ok":true,"id":"c","rev":"2-R"}]

          """)
      #expect(several.status != 0)
    }
  }

  @Test("more than three documents need an answer, and without a terminal --yes")
  func removeMany() async throws {
    try await withNotes { home in
      let ids = "a\nb\nc\nd\n"
      for id in ids.split(separator: "\n") { try await home.run("put", "notes", String(id), "{}") }
      let asked = try await home.run("rm", "notes", "-", input: ids)
      #expect(asked.status == 64)
      #expect(asked.errors.contains("--yes"))
      #expect(try await home.run("rm", "notes", "-", "--yes", input: ids).status == 0)
      #expect(try await home.run("ls", "notes").output.isEmpty)
    }
  }

  @Test("ls answers as _all_docs, whole, in ranges, from behind, and when empty")
  func list() async throws {
    try await withNotes { home in
      let empty = try await home.run("ls", "notes", "--json")
      #expect(empty.output == #"{"total_rows":0,"offset":0,"rows":[]}"# + "\n")
      #expect(try await home.run("ls", "notes", "--jsonl").output.isEmpty)
      for id in ["a", "b", "c", "ca"] { try await home.run("put", "notes", id, "{}") }
      let row = #"{"id":"b","key":"b","value":{"rev":"1-R"}}"#
      let one = try await home.run("ls", "notes", "--start", "b", "--limit", "1", "--json")
      #expect(one.masked == #"{"total_rows":4,"offset":1,"rows":["# + row + "]}\n")
      let lines = try await home.run("ls", "notes", "--skip", "1", "--end", "b", "--jsonl")
      #expect(lines.masked == row + "\n")
      let docs = try await home.run("ls", "notes", "--prefix", "ca", "--docs", "--jsonl")
      #expect(
        docs.masked == #"{"id":"ca","key":"ca","value":{"rev":"1-R"},"#
          + #""doc":{"_id":"ca","_rev":"1-R"}}"# + "\n")
      let behind = try await home.run("ls", "notes", "--descending", "--prefix", "c")
      #expect(behind.masked == "ca\t1-R\nc\t1-R\n")
      let table = try await home.run("ls", "notes", "--limit", "1", isTerminal: true)
      #expect(table.masked == "ID  REVISION\na   1-R\n")
    }
  }

  @Test("a listing of several pages has every document once, from both ends")
  func pages() async throws {
    try await withNotes { home in
      let store = try home.stores.open("notes")
      let ids = (0..<2_500).map { "d\(10_000 + $0)" }
      _ = try store.write(ids.map { Document(id: $0) }, mode: .edits)
      let forward = try await home.run("ls", "notes", "--skip", "3")
      #expect(forward.output.split(separator: "\n").count == 2_497)
      let listed = forward.output.split(separator: "\n").compactMap {
        $0.split(separator: "\t").first
      }
      #expect(listed.map(String.init) == Array(ids.dropFirst(3)))
      let back = try await home.run("ls", "notes", "--descending", "--limit", "2100")
      let backward = back.output.split(separator: "\n").compactMap {
        $0.split(separator: "\t").first
      }
      #expect(backward.map(String.init) == Array(ids.reversed().prefix(2_100)))
    }
  }
}
