import Core
import Foundation
import Glibc
import TestSupport
import Testing

@testable import tote

/// The photo commands at a photo service: `tote photo serve`, in the built program.
struct PhotoServerCommandTests {
  /// Serves an empty library with a user `ann`, and gives the service's address and a token.
  private func withService(_ body: (ToteBinary, _ url: String, _ token: String) throws -> Void)
    throws
  {
    try withTote { tote in
      let made = try tote.run("photo", "user", "add", "ann", input: "correct horse\n")
      #expect(made.exitCode == 0, "\(made.errors)")
      let token = try tote.run("photo", "user", "token", "add", "ann", "--scope", "full")
      #expect(token.exitCode == 0, "\(token.errors)")
      let session = try PseudoTerminal(
        try tote.launch(["photo", "serve", "--port", "0", "--jsonl"]), streams: [1])
      let line = try session.waitFor("\"private\"")
      let url = try #require(line.firstMatch(of: /"url":"([^"]+)"/)?.1)
      defer { session.send(SIGTERM) }
      try body(tote, String(url), token.output.trimmingCharacters(in: .newlines))
      session.send(SIGTERM)
      #expect(try session.finish().exitCode == 0)
    }
  }

  @Test("add, stream, save, export and rm work at a service as in a library")
  func commands() throws {
    try withService { tote, url, token in
      let secret = ["TOTE_PHOTO_TOKEN": token]
      func run(_ words: String...) throws -> ProcessResult {
        try tote.run(["photo"] + words + ["--server", url], environment: secret)
      }
      let file = PhotoCorpus.path("orient_6.jpg")
      let added = try run(
        "add", "--title", "Pier", file, PhotoCorpus.path("php_named.jpg"), "--jsonl")
      #expect(added.exitCode == 1, "\(added.errors)")
      let rows = try added.lines.map { try JSON(parsing: $0) }
      #expect(rows.map { $0.text("status") } == ["accepted", "refused"])
      #expect(rows[1].text("code") == "not_jpeg")
      #expect(rows[1].text("file")?.hasSuffix("php_named.jpg") == true)
      #expect(rows[0]["width"] == 96 && rows[0]["height"] == 64)
      let again = try run("add", file, "--jsonl")
      #expect(try JSON(parsing: again.output).text("status") == "duplicate")
      let id = try #require(rows[0].text("id"))
      let stream = try JSON(parsing: try run("stream", "--json", "--save", "saved").output)
      #expect(stream["photos"]?.arrayValue?.compactMap { $0.text("id") } == [id])
      let full = try #require(stream["photos"]?.arrayValue?.first?["full"]?["url"]?.stringValue)
      #expect(full.hasPrefix(url))
      #expect(access("\(tote.directory)/saved/\(id).jpg", R_OK) == 0)
      #expect(try JSON(parsing: try run("export", "copy", "--json").output)["written"] == 1)
      // What the service's own machine sees is the same photo.
      #expect(try tote.run("photo", "stream", "--jsonl").output.contains(id))
      #expect(try run("rm", id).exitCode == 0)
      #expect(try run("rm", id).exitCode == 66)
    }
  }

  @Test("who does not say who it is may look, and nothing more; secrets never stand on the line")
  func login() throws {
    try withService { tote, url, token in
      let file = PhotoCorpus.path("gray.jpg")
      let nobody = try tote.run("photo", "add", file, "--server", url)
      #expect(nobody.exitCode == 64)
      #expect(nobody.errors.contains("--token-file"))
      let wrong = try tote.run(
        "photo", "add", file, "--server", url, environment: ["TOTE_PHOTO_TOKEN": "tote_YW5u.x"])
      #expect(wrong.exitCode == 77, "\(wrong.errors)")
      let password = try tote.run(
        "photo", "add", file, "--server", url, "--user", "ann", "--jsonl", input: "correct horse\n")
      #expect(password.exitCode == 0, "\(password.errors)")
      let mistyped = try tote.run(
        "photo", "add", file, "--server", url, "--user", "ann", input: "wrong horse\n")
      #expect(mistyped.exitCode == 77)
      #expect(!mistyped.errors.contains("horse"))
      try writeText(token + "\n", to: tote.directory + "/token")
      let byFile = try tote.run(
        "photo", "add", file, "--server", url, "--token-file", "token", "--jsonl")
      #expect(try JSON(parsing: byFile.output).text("status") == "duplicate")
      let byToken = try tote.run(
        "photo", "add", file, "--server", url, "--jsonl", environment: ["TOTE_PHOTO_TOKEN": token])
      #expect(try JSON(parsing: byToken.output).text("status") == "duplicate")
      #expect(try tote.run("photo", "stream", "--server", url).lines.count == 1)
      let named = try tote.run("photo", "stream", "--server", "http://ann:secret@127.0.0.1:1/")
      #expect(named.exitCode == 64)
      #expect(!named.errors.contains("secret"))
    }
  }

  @Test("CLI#117: a service that is not there ends the run, and its address is told")
  func unreachable() throws {
    try withTote { tote in
      let result = try tote.run(
        "photo", "add", PhotoCorpus.path("gray.jpg"), PhotoCorpus.path("orient_2.jpg"), "--server",
        "http://127.0.0.1:1/", environment: ["TOTE_PHOTO_TOKEN": "tote_YW5u.x"])
      #expect(result.exitCode == 69)
      #expect(result.errors.contains("127.0.0.1"), "\(result.errors)")
    }
  }
}
