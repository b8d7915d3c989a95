import Core
import TestSupport
import Testing

@testable import tote

/// `create`, `list`, `info`, `delete`, `compact`, `verify`, `backup` and `restore`.
struct StoreCareTests {
  @Test("create says what it made, and refuses bad names and names that exist")
  func create() async throws {
    try await withNotes { home in
      let made = try await home.run("create", "a/b", "--collation", "unicode", "--json")
      let expected = #"{"ok":true,"name":"a/b","collation":"unicode","encrypted":false}"#
      #expect(made.output == expected + "\n")
      let human = try await home.run("create", "c")
      #expect(human.output.isEmpty)
      #expect(human.errors == "created store 'c'\n")
      #expect(try await home.run("create", "c").status == 73)
      #expect(try await home.run("create", "Notes").status == 65)
      #expect(try await home.run("create", "push").status == 65)
      #expect(try await home.run("create", "d", "--collation", "x").status == 64)
    }
  }

  @Test("list has a row a store, is an empty array without any, and survives a damaged one")
  func list() async throws {
    try await withNotes { home in
      let rows = try await home.run("list", "--json").json.arrayValue ?? []
      #expect(rows.map { $0.objectValue?.keys } == [["name", "doc_count", "size", "locked"]])
      _ = try home.stores.create("other")
      try writeText(
        "this is no database, but long enough to be looked at as one",
        to: home.stores.path + "/notes.store/store.db")
      let damaged = try await home.run("list", "--jsonl")
      #expect(damaged.output.hasPrefix(#"{"name":"other","#))
      #expect(damaged.status != 0)
      try await home.run("delete", "notes", "--yes")
      try await home.run("delete", "other", "--yes")
      #expect(try await home.run("list", "--json").output == "[]\n")
      #expect(try await home.run("list", "--jsonl").output.isEmpty)
      #expect(try await home.run("list").status == 0)
    }
  }

  @Test("info has CouchDB's keys and ours, in this order")
  func info() async throws {
    try await withNotes { home in
      try await home.run("put", "notes", "a", "{}")
      let info = try await home.run("info", "notes", "--json").json
      #expect(
        info.objectValue?.keys == [
          "db_name", "doc_count", "doc_del_count", "conflict_count", "update_seq", "purge_seq",
          "sizes", "disk_format_version", "collation", "revs_limit", "cipher",
          "key_source", "uuid", "path", "url",
        ])
      #expect(info["doc_count"] == 1)
      let human = try await home.run("info", "notes", isTerminal: true)
      #expect(human.output.contains("documents       1\n"))
    }
  }

  @Test("a store that does not exist suggests those like it")
  func suggestion() async throws {
    try await withNotes { home in
      for words in [["info", "note"], ["delete", "note"], ["ls", "note"], ["verify", "note"]] {
        let ran = try await home.run(words: words)
        #expect(ran.status == 66)
        #expect(ran.errors == "tote: store 'note' not found\ndid you mean 'notes'?\n")
      }
      let remote = try await home.run("ls", "http://localhost:5984/db")
      #expect(remote.status != 0)
      #expect(remote.errors.contains("http://localhost:5984/db"))
    }
  }

  @Test("delete wants --yes where nobody can be asked")
  func delete() async throws {
    try await withNotes { home in
      #expect(try await home.run("delete", "notes", input: "notes\n").status == 64)
      #expect(home.stores.contains("notes"))
      let gone = try await home.run("delete", "notes", "--yes", "--json")
      #expect(gone.output == #"{"ok":true,"name":"notes"}"# + "\n")
      #expect(!home.stores.contains("notes"))
    }
  }

  @Test("compact tells what it freed, and verify what it looked at")
  func compactAndVerify() async throws {
    try await withNotes { home in
      try await home.run("put", "notes", "a", #"{"n":1}"#)
      try await home.run("put", "notes", "a", "--merge", #"{"n":2}"#)
      let compact = try await home.run("compact", "notes", "--json").json
      #expect(
        compact.objectValue?.keys == [
          "ok", "revisions", "attachments", "attachment_bytes", "size_before", "size_after",
        ])
      #expect(compact["revisions"] == 1)
      let verify = try await home.run("verify", "notes", "--json").json
      #expect(
        verify.objectValue?.keys == [
          "ok", "documents", "revisions", "proven", "attachments", "attachment_files",
          "unnamed_files", "index_entries", "problems",
        ])
      #expect(verify["ok"] == true)
      let history = try await home.run("history", "notes", "a")
      #expect(history.masked == "2-R\t1-R\tcurrent\n1-R\t\tno text\n")
    }
  }

  @Test("couchbackup#147: a backup is restored with attachments and conflicts")
  func backup() async throws {
    try await withNotes { home in
      try home.makeConflict()
      try await home.run("put", "notes", "a", "{}")
      try await home.run("attach", "notes", "a", "-", "--name", "x", input: "bytes")
      let file = home.path + "/notes.tar"
      let made = try await home.run("backup", "notes", file, "--json").json
      #expect(
        made.objectValue?.keys == ["ok", "store", "file", "documents", "attachments", "bytes"])
      #expect(try await home.run("backup", "notes", file).status == 73)
      #expect(try await home.run("backup", "notes", file, "--overwrite").status == 0)
      let back = try await home.run("restore", file, "copy", "--json").json
      #expect(back["documents"] == 2)
      for words in [["changes", "--all-revisions"], ["conflicts"], ["ls", "--docs"]] {
        let (verb, options) = (words[0], words.dropFirst())
        let old = try await home.run(words: [verb, "notes"] + options)
        let new = try await home.run(words: [verb, "copy"] + options)
        #expect(old.output == new.output)
      }
      #expect(try await home.run("fetch", "copy", "a", "x").output == "bytes")
      #expect(try await home.run("restore", file, "copy").status == 73)
      #expect(try await home.run("restore", home.path + "/none", "c2").status == 66)
      var bytes = try readBytes(file)
      bytes.removeLast(2_000)
      try writeBytes(bytes, to: file)
      #expect(try await home.run("restore", file, "c3").status == 65)
      #expect(!home.stores.contains("c3"))
    }
  }
}
