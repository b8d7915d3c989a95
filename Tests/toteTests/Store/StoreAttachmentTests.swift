import Core
import Foundation
import TestSupport
import Testing

@testable import tote

/// `attach`, `attachments`, `fetch` and `detach`.
struct StoreAttachmentTests {
  private static let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 1, 2]

  @Test("files are attached in one revision, typed by content and name, and come back the same")
  func roundTrip() async throws {
    try await withNotes { home in
      try await home.run("put", "notes", "milk", "{}")
      try writeText("a,b\n", to: home.path + "/list.csv")
      try writeBytes(Self.png, to: home.path + "/label")
      let attach = try await home.run(
        "attach", "notes", "milk", home.path + "/list.csv", home.path + "/label", "--json")
      #expect(attach.masked == #"{"ok":true,"id":"milk","rev":"2-R"}"# + "\n")
      let list = try await home.run("attachments", "notes", "milk", "--json").json
      let rows = list.arrayValue ?? []
      #expect(
        rows.first?.objectValue?.keys == ["name", "content_type", "length", "digest", "revpos"])
      #expect(rows.map { $0["name"] } == ["label", "list.csv"])
      #expect(rows.map { $0["content_type"] } == ["image/png", "text/csv"])
      #expect(rows.map { $0["revpos"] } == [2, 2])
      let target = home.path + "/copy"
      let fetch = try await home.run(
        "fetch", "notes", "milk", "label", "--output", target, "--json")
      #expect(
        try fetch.json.objectValue?.keys == ["name", "content_type", "length", "digest", "output"])
      #expect(try readBytes(target) == Self.png)
      #expect(try await home.run("fetch", "notes", "milk", "list.csv").output == "a,b\n")
    }
  }

  @Test("what is not text is not written to a terminal unless asked for")
  func terminal() async throws {
    try await withNotes { home in
      try await home.run("put", "notes", "milk", "{}")
      try writeBytes(Self.png, to: home.path + "/label")
      try await home.run("attach", "notes", "milk", home.path + "/label")
      let refused = try await home.run("fetch", "notes", "milk", "label", isTerminal: true)
      #expect(refused.status == 64)
      #expect(refused.errors.contains("--output"))
      #expect(refused.output.isEmpty)
      let forced = try await home.run(
        "fetch", "notes", "milk", "label", "-o", "-", isTerminal: true)
      #expect(forced.status == 0)
    }
  }

  @Test("standard input is attached under the name given, and replaces one of that name")
  func standardInput() async throws {
    try await withNotes { home in
      try await home.run("put", "notes", "milk", "{}")
      #expect(try await home.run("attach", "notes", "milk", "-", input: "x").status == 64)
      try await home.run("attach", "notes", "milk", "-", "--name", "log", input: "one")
      try await home.run(
        "attach", "notes", "milk", "-", "--name", "log", "--type", "text/x-log", input: "two")
      #expect(try await home.run("fetch", "notes", "milk", "log").output == "two")
      let list = try await home.run("attachments", "notes", "milk")
      #expect(list.output.hasPrefix("log\ttext/x-log\t3\tmd5-"))
      #expect(list.output.split(separator: "\n").count == 1)
    }
  }

  @Test("a file that cannot be read is told, and the others are attached")
  func partial() async throws {
    try await withNotes { home in
      try await home.run("put", "notes", "milk", "{}")
      try writeText("x", to: home.path + "/a.txt")
      let ran = try await home.run(
        "attach", "notes", "milk", home.path + "/a.txt", home.path + "/none", home.path)
      #expect(ran.status != 0)
      #expect(ran.errors.contains("/none': no such file or directory"))
      #expect(ran.errors.contains("is a directory"))
      #expect(try await home.run("fetch", "notes", "milk", "a.txt").output == "x")
      let nothing = try await home.run("attach", "notes", "bread", home.path + "/a.txt")
      #expect(nothing.status == 66)
      #expect(nothing.errors.contains("tote store put notes bread '{}'"))
    }
  }

  @Test("detach removes one attachment and keeps the rest; plain put tells what it drops")
  func detach() async throws {
    try await withNotes { home in
      let first = try await home.run("put", "notes", "milk", #"{"a":1}"#, "--json").json
      for name in ["x", "y"] {
        try await home.run("attach", "notes", "milk", "-", "--name", name, input: name)
      }
      let gone = try await home.run("detach", "notes", "milk", "x", "--json")
      #expect(gone.masked == #"{"ok":true,"id":"milk","rev":"4-R"}"# + "\n")
      #expect(try await home.run("detach", "notes", "milk", "x").status == 66)
      #expect(try await home.run("detach", "notes", "nobody", "x").status == 66)
      try await home.run("put", "notes", "milk", "--merge", #"{"b":2}"#)
      #expect(try await home.run("fetch", "notes", "milk", "y").output == "y")
      let rev = try #require(first["rev"]?.stringValue)
      #expect(try await home.run("detach", "notes", "milk", "y", "--rev", rev).status == 66)
      let put = try await home.run("put", "notes", "milk", "{}", "--replace-latest")
      #expect(put.errors.contains("no longer attached to 'milk': 'y'"))
    }
  }

  @Test("damaged bytes are status 74 and leave no file")
  func damaged() async throws {
    try await withNotes { home in
      try await home.run("put", "notes", "milk", "{}")
      try await home.run("attach", "notes", "milk", "-", "--name", "x", input: "precious")
      let blobs = home.stores.path + "/notes.store/blobs"
      let blob = try #require(
        FileManager.default.subpaths(atPath: blobs)?.first { $0.utf8.count > 64 })
      try writeText("precioux", to: blobs + "/" + blob)
      let target = home.path + "/copy"
      let ran = try await home.run("fetch", "notes", "milk", "x", "--output", target)
      #expect(ran.status == 74)
      #expect(!FileManager.default.fileExists(atPath: target))
      let verify = try await home.run("verify", "notes", "--json")
      #expect(verify.status == 74)
      #expect(try verify.json["ok"] == false)
      #expect(try verify.json["problems"]?[0]?["kind"] == "attachment")
      #expect(verify.errorCode == "io")
    }
  }

  @Test(
    "media types are told by signature, then by extension if the bytes are text",
    arguments: [
      ("x.txt", "hello", "text/plain"), ("x.json", "{}", "application/json"),
      ("photo", "\u{1}\u{2}", "application/octet-stream"),
      ("x.txt", "\u{0}", "application/octet-stream"),
      ("x.pdf", "%PDF-1.7", "application/pdf"), ("x.jpg", "GIF89a", "image/gif"),
      (
        "x.docx", "PK\u{3}\u{4}",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
      ),
      ("README", "plain", "text/plain"), (".json", "x", "text/plain"), ("empty", "", "text/plain"),
    ])
  func mediaTypes(name: String, head: String, type: String) {
    #expect(FileType.guess(name: name, head: Array(head.utf8)) == type)
  }
}
