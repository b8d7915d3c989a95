import Core
import TestSupport
import Testing

@testable import tote

/// `import` and `export`, `find` and `index`.
struct StoreTransferTests {
  private static let lines = """
    {"_id":"a","title":"Milk","priority":2,"tags":["shop"]}
    {"_id":"b","title":"Oat milk","priority":1}
    {"_id":"c","title":"Bread","priority":2,"@datatype":"Item"}

    """

  @Test("import answers with a summary, keys in order, and says where a record is bad")
  func importing() async throws {
    try await withNotes { home in
      let file = home.path + "/in.jsonl"
      try writeText(Self.lines + "{\"_id\":\"d\",\n", to: file)
      let dry = try await home.run("import", "notes", file, "--dry-run", "--json")
      #expect(try dry.json["inserted"] == 3)
      #expect(try await home.run("ls", "notes").output.isEmpty)
      let ran = try await home.run("import", "notes", file, "--json")
      #expect(
        try ran.json.objectValue?.keys == [
          "ok", "format", "read", "inserted", "updated", "skipped", "failed", "bytes", "seconds",
          "complete", "dryRun", "problems",
        ])
      #expect(try ran.json["problems"]?[0]?["line"] == 4)
      #expect(ran.status == 1)
      #expect(ran.errorCode == "partial")
      let human = try await home.run("import", "notes", file)
      #expect(human.errors.contains("\(file):4:"))
      #expect(human.output == "read\t4\ninserted\t0\nupdated\t0\nskipped\t3\nfailed\t1\n")
      #expect(try await home.run("import", "notes", file, "--on-conflict", "fail").status == 73)
      #expect(try await home.run("import", "notes", home.path + "/none").status == 66)
    }
  }

  @Test("standard input is read where no file is named, whatever its format")
  func standardInput() async throws {
    try await withNotes { home in
      let csv = try await home.run(
        "import", "notes", "--id", "nr", "--type", "Row", "--json", input: "nr,name\n7,x\n8,y\n")
      #expect(try csv.json["format"] == "csv")
      let array = try await home.run("import", "notes", "-", "--json", input: #"[{"_id":"z"}]"#)
      #expect(try array.json["format"] == "json")
      #expect(try await home.run("ls", "notes").output.split(separator: "\n").count == 3)
      #expect(try await home.run("find", "notes", "--type", "Row", "--count").output == "2\n")
    }
  }

  @Test("datasette#1379: an export proves itself complete, and a cut one is refused")
  func export() async throws {
    try await withNotes { home in
      try await home.run("import", "notes", input: Self.lines)
      let file = home.path + "/out.jsonl"
      let report = try await home.run("export", "notes", file, "--json").json
      #expect(
        report.objectValue?.keys == ["ok", "file", "records", "attachments", "bytes", "seconds"])
      #expect(report["records"] == 3)
      #expect(try await home.run("export", "notes", file).status == 73)
      let last = try readText(file).split(separator: "\n").last.map(String.init) ?? ""
      #expect(try JSON(parsing: last).objectValue?.keys == ["_end", "count", "sha256"])
      _ = try home.stores.create("copy")
      let back = try await home.run("import", "copy", file, "--require-trailer", "--json")
      #expect(try back.json["complete"] == true)
      #expect(
        try await home.run("ls", "copy", "--docs").output
          == home.run("ls", "notes", "--docs").output)
      let cut = try readText(file).split(separator: "\n").dropFirst().joined(separator: "\n")
      try writeText(cut + "\n", to: file)
      #expect(try await home.run("import", "copy", file).status == 65)
    }
  }

  @Test(
    "combinations that make no sense are refused before anything is read",
    arguments: [
      ["export", "notes", "--json"], ["export", "notes", "--attachments", "dir"],
      ["export", "notes", "x", "--format", "csv", "--all-revisions"],
      ["export", "notes", "x", "--format", "json", "--trailer"],
      ["backup", "notes", "-", "--json"],
      ["fetch", "notes", "a", "x", "--json"], ["find", "notes", "--count", "--explain"],
      ["import", "notes", "--format", "xml"], ["import", "notes", "--on-conflict", "ask"],
    ])
  func refused(words: [String]) async throws {
    try await withNotes { home in
      let ran = try await home.run(words: words)
      #expect(ran.status == 64)
      #expect(ran.output.isEmpty)
    }
  }

  @Test("find answers as _find, and counts, sorts, projects and pages")
  func find() async throws {
    try await withNotes { home in
      try await home.run("import", "notes", input: Self.lines)
      let docs = try await home.run(
        "find", "notes", "--selector", #"{"priority":2}"#, "--fields", "_id", "--json"
      ).json
      #expect(docs.objectValue?.keys == ["docs", "bookmark", "warning"])
      #expect(docs["docs"] == [["_id": "a"], ["_id": "c"]])
      let empty = try await home.run("find", "notes", "--selector", #"{"x":1}"#, "--json").json
      #expect(empty["docs"] == [])
      #expect(try await home.run("find", "notes", "--type", "X", "--jsonl").output.isEmpty)
      #expect(try await home.run("find", "notes", "--count", "--json").output == "{\"count\":3}\n")
      let sorted = try await home.run(
        "find", "notes", "--sort", "priority:desc,title", "--fields", "_id,title")
      #expect(sorted.output == "c\tBread\na\tMilk\nb\tOat milk\n")
      let table = try await home.run(
        "find", "notes", "--sort", "title", "--fields", "_id,title", "--limit", "1", "-q",
        isTerminal: true)
      #expect(table.output == "_ID  TITLE\nc    Bread\n")
      let page = try await home.run("find", "notes", "--sort", "title", "--limit", "2", "--json")
      let mark = try #require(try page.json["bookmark"]?.stringValue)
      let next = try await home.run(
        "find", "notes", "--sort", "title", "--bookmark", mark, "--fields", "title")
      #expect(next.output == "Oat milk\n")
      #expect(try await home.run("find", "notes", "--selector", #"{"a":{"$x":1}}"#).status == 65)
      #expect(try await home.run("find", "notes", "--sort", "a,,b").status == 64)
    }
  }

  @Test("an index serves a find, is listed as _index does, and can be removed")
  func index() async throws {
    try await withNotes { home in
      try await home.run("import", "notes", input: Self.lines)
      let made = try await home.run("index", "create", "notes", "priority", "--json")
      #expect(
        made.output
          == #"{"result":"created","id":"_design/priority","name":"priority"}"# + "\n")
      let again = try await home.run("index", "create", "notes", "priority")
      #expect(again.errors == "index 'priority' exists already\n")
      let plan = try await home.run("find", "notes", "--selector", #"{"priority":2}"#, "--explain")
      #expect(plan.output.hasPrefix("reads\tindex 'priority'\n"))
      let list = try await home.run("index", "list", "notes", "--json").json
      #expect(list.objectValue?.keys == ["total_rows", "indexes"])
      #expect(list["total_rows"] == 2)
      #expect(list["indexes"]?[1]?["name"] == "priority")
      let human = try await home.run("index", "list", "notes")
      #expect(human.output == "_all_docs\tspecial\t_id\t\npriority\tjson\tpriority\t\n")
      let typo = try await home.run("index", "rm", "notes", "prioriy")
      #expect(typo.status == 66)
      #expect(typo.errors.contains("did you mean 'priority'?"))
      #expect(
        try await home.run("index", "rm", "notes", "priority", "--json").output == "{\"ok\":true}\n"
      )
      let mixed = try await home.run("index", "create", "notes", "a", "b:desc")
      #expect(mixed.status == 64)
    }
  }
}
