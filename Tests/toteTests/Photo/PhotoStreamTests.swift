import ArgumentParser
import Core
import Foundation
import Glibc
import Photos
import TestSupport
import Testing

@testable import tote

/// `tote photo stream`, `rm` and `user` on a library of this machine.
struct PhotoStreamTests {
  /// Three photos: two of ann's, one of ben's; the newest last.
  private func withPhotos(_ body: (StoreHome, [String]) async throws -> Void) async throws {
    try await withPhotoHome { home in
      var ids: [String] = []
      for (file, user, title) in [
        ("gray.jpg", "ann", "First"), ("orient_6.jpg", "ben", "日本 ❤️"), ("orient_2.jpg", "ann", ""),
      ] {
        let ran = try await home.tote(
          "photo", "add", "--user", user, "--title", title, "--jsonl", PhotoCorpus.path(file))
        ids.append(try #require(try JSON(parsing: ran.output).text("id")))
      }
      try await body(home, ids)
    }
  }

  @Test("the newest comes first; pages go on where one ended (takahe#518)") func pages()
    async throws
  {
    try await withPhotos { home, ids in
      #expect(try await home.stream().compactMap { $0.text("id") } == ids.reversed())
      let first = try await home.tote("photo", "stream", "--json", "--limit", "2").json
      #expect(first["photos"]?.arrayValue?.compactMap { $0.text("id") } == [ids[2], ids[1]])
      let next = try #require(first["next"]?.stringValue)
      let ran = try await home.tote(
        "photo", "add", "--user", "ann", "--jsonl", PhotoCorpus.path("orient_4.jpg"))
      #expect(ran.status == 0)
      let rest = try await home.tote("photo", "stream", "--json", "--before", next).json
      #expect(rest["photos"]?.arrayValue?.compactMap { $0.text("id") } == [ids[0]])
      #expect(rest["next"] == .null)
      #expect(try await home.stream("--user", "ben").compactMap { $0.text("id") } == [ids[1]])
      #expect(try await home.stream("--user", "nobody").isEmpty)
    }
  }

  @Test("keys are those of the manual, in the document and in lines") func keys() async throws {
    try await withPhotos { home, ids in
      let document = try await home.tote("photo", "stream", "--json").json
      #expect(document.objectValue?.keys == ["photos", "next"])
      let names = PhotoRow.outputKeys("").map(\.name)
      #expect(document["photos"]?.arrayValue?.first?.objectValue?.keys == names)
      let lines = try await home.tote("photo", "stream", "--jsonl").output.split(separator: "\n")
      #expect(lines.count == 3)
      for line in lines {
        #expect(try JSON(parsing: String(line)).objectValue?.keys == names)
      }
      let one = try await home.tote("photo", "stream", ids[1], "--json").json
      #expect(one["photos"]?.arrayValue?.first?.text("title") == "日本 ❤️")
      #expect(one["photos"]?.arrayValue?.first?["width"] == 96)
    }
  }

  @Test("people get a table, pipes get fields") func table() async throws {
    try await withPhotos { home, ids in
      let piped = try await home.tote("photo", "stream").output
      let fields = piped.split(separator: "\n")[1].split(
        separator: "\t", omittingEmptySubsequences: false)
      #expect(fields.count == 5)
      #expect(fields[1...] == ["@ben", "日本 ❤️", "96x64", ids[1][...]])
      #expect(fields[0].hasSuffix("Z"))
      let shown = try await home.tote("photo", "stream", isTerminal: true).output
      #expect(shown.contains("TITLE"))
      #expect(shown.contains("96×64"))
      for line in shown.split(separator: "\n") { #expect(Cells.width(of: String(line)) <= 80) }
      let one = try await home.tote("photo", "stream", ids[0], isTerminal: true).output
      #expect(one.contains("title  ") || one.contains("title "))
      #expect(one.contains("First"))
    }
  }

  @Test("what a title holds never reaches the terminal as a control sequence")
  func controlCharacters() async throws {
    try await withPhotos { home, ids in
      // Written past the library's own rule, as a replicated document might be.
      let store = try home.stores.open("photos")
      var document = try store.document("photo:" + ids[0])
      var members = document.body.members
      members["title"] = "\u{1B}]0;x\u{7}\u{1B}[2J\u{202E}evil\n\u{9B}31m"
      document.body = try DocumentBody(members)
      try store.put(document)
      for words in [
        ["photo", "stream"], ["photo", "stream", ids[0]], ["photo", "stream", "--show"],
      ] {
        let shown = try await home.tote(words: words, isTerminal: true).output
        #expect(shown.contains("evi"))
        for scalar in shown.unicodeScalars where scalar != "\n" {
          #expect(scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value), "\(words)")
          #expect(scalar.value != 0x202E)
        }
      }
    }
  }

  @Test("--save writes each picture once, whole, under its id") func saving() async throws {
    try await withPhotos { home, ids in
      let folder = home.path + "/saved"
      let ran = try await home.tote("photo", "stream", "--save", folder)
      #expect(ran.errors.contains("saved 3 pictures in '\(folder)'"))
      let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      #expect(names == ids.map { $0 + ".jpg" })
      // Half a file, as after a crash of another program, is written anew; whole ones are not.
      let half = folder + "/" + names[0]
      #expect(truncate(half, 100) == 0)
      let again = try await home.tote("photo", "stream", "--save", folder)
      #expect(again.errors.contains("saved 1 picture in '\(folder)', 2 were there already"))
      for name in names {
        let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: folder + "/" + name)))
        _ = try PhotoPipeline.process(.bytes(bytes))
      }
    }
  }

  @Test("--show draws each picture above its caption, in order") func drawing() async throws {
    try await withPhotos { home, ids in
      let ran = try await home.tote(
        words: ["photo", "stream", "--show", "--limit", "1"], isTerminal: true, color: true)
      #expect(ran.status == 0)
      let lines = ran.output.split(separator: "\n").map(String.init)
      let drawn = try readBlocks(Array(lines.dropLast(2)), rows: 2)
      // The thumbnail is the middle square of the picture, whose quadrants have their colours.
      #expect(drawn.width == drawn.height && drawn.width > 12)
      let side = drawn.width
      for (x, y, wanted) in [
        (side / 4, side / 8, [208, 48, 48]), (3 * side / 4, side / 4, [48, 160, 64]),
        (side / 4, 3 * side / 4, [48, 72, 200]), (3 * side / 4, 3 * side / 4, [224, 200, 48]),
      ] {
        // With few colours only areas have theirs.
        for part in 0..<3 {
          let sum = (0..<16).reduce(0) { $0 + drawn[x - 2 + $1 % 4, y - 2 + $1 / 4][part] }
          #expect(abs(sum / 16 - wanted[part]) < 40, "\(x),\(y)")
        }
      }
      #expect(lines.suffix(2).first?.contains("@ann") == true)
      #expect(lines.last?.contains(ids[2]) == true)
      let plain = try await home.tote("photo", "stream", "--show", isTerminal: true)
      #expect(plain.errors.contains("no pictures: colour is off"))
      #expect(plain.output.contains("@ben"))
      let piped = try await home.tote("photo", "stream", "--show")
      #expect(piped.errors.contains("no pictures: the output is no terminal"))
      #expect(piped.output.split(separator: "\n").count == 3)
    }
  }

  @Test("what is no id, or no photo, is told") func missing() async throws {
    try await withPhotos { home, ids in
      let wrong = try await home.tote("photo", "stream", "nonsense")
      #expect(wrong.status == 65)
      let other = String(ids[0].dropLast()) + (ids[0].last == "0" ? "1" : "0")
      let gone = try await home.tote("photo", "stream", other)
      #expect(gone.status == 66)
      #expect(gone.errors.contains("photo '\(other)' not found"))
      for words in [
        ["--follow", "--json"], ["--follow", "--before", ids[0]], [ids[0], "--user", "ann"],
        ["--limit", "0"],
      ] {
        #expect(try await home.tote(words: ["photo", "stream"] + words).status == 64, "\(words)")
      }
    }
  }

  @Test("rm removes photos and tells of each; what is gone is 66") func removing() async throws {
    try await withPhotos { home, ids in
      let ran = try await home.tote("photo", "rm", ids[0], ids[0], "--json")
      #expect(ran.status == 1)
      let rows = try ran.json.arrayValue ?? []
      #expect(rows.first?["ok"] == true && rows.first?.text("id") == ids[0])
      #expect(rows.last?.text("error") == "not_found")
      #expect(try await home.stream().compactMap { $0.text("id") } == [ids[2], ids[1]])
      #expect(try await home.tote("photo", "rm", ids[0]).status == 66)
      // The same file may be added anew.
      let again = try await home.add(PhotoCorpus.path("gray.jpg"))
      #expect(again.rows.first?.text("status") == "accepted")
    }
  }

  @Test("more than three photos need a yes; ids come on standard input too")
  func manyRemoved() async throws {
    try await withPhotos { home, ids in
      try await home.add(PhotoCorpus.path("orient_4.jpg"))
      let all = try await home.stream().compactMap { $0.text("id") }
      let input = all.joined(separator: "\n") + "\n"
      let refused = try await home.tote("photo", "rm", "-", input: input)
      #expect(refused.status == 64)
      #expect(refused.errors.contains("--yes"))
      #expect(try await home.stream().count == 4)
      let ran = try await home.tote("photo", "rm", "-", "--yes", input: input)
      #expect(ran.status == 0, "\(ran.errors)")
      #expect(try await home.stream().isEmpty)
      let store = try home.stores.open("photos")
      #expect(try store.allDocuments(ListRequest()).rows.allSatisfy { !$0.id.hasPrefix("sent:") })
    }
  }
}

/// `tote photo stream --follow`, in the built program.
struct PhotoFollowTests {
  @Test("a photo that another program adds is printed at once, one that goes too")
  func live() throws {
    try withTote { tote in
      func add(_ name: String) throws -> String {
        let result = try tote.run(
          "photo", "add", "--user", "ann", "--jsonl", PhotoCorpus.path(name))
        return try #require(try JSON(parsing: result.output).text("id"))
      }
      let first = try add("gray.jpg")
      var launch = try tote.launch(["photo", "stream", "--follow", "--jsonl"])
      launch.keepsInputOpen = true
      let session = try PseudoTerminal(launch, streams: [0, 1])
      try session.waitFor(first)
      let second = try add("orient_2.jpg")
      try session.waitFor(second)
      try tote.run("photo", "rm", first)
      try session.waitFor("\"removed\":true")
      session.send(SIGTERM)
      let result = try session.finish()
      #expect(result.status == .signalled(SIGTERM))
    }
  }

  @Test("a terminal that says it has sixel gets sixel, one that answers for kitty its protocol")
  func asking() throws {
    try withTote { tote in
      try tote.run("photo", "add", "--user", "ann", PhotoCorpus.path("gray.jpg"))
      for (answer, start) in [
        ("\u{1B}[?64;1;4;22c", "\u{1B}P0;1;0q"),
        ("\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?62;c", "\u{1B}_Ga=T"),
        ("\u{1B}[?1;2c", "\u{1B}[48;5;"),
      ] {
        var launch = try tote.launch(["photo", "stream", "--show"])
        launch.environment["TERM"] = "xterm-256color"
        let session = try PseudoTerminal(launch)
        try session.waitFor("\u{1B}[c")
        session.type(answer)
        try session.waitFor(start)
        let result = try session.finish()
        #expect(result.exitCode == 0)
        #expect(result.screen.contains("@ann"))
      }
    }
  }
}

/// `tote photo user`.
struct PhotoUserTests {
  @Test("users are made, listed, changed and removed; passwords never stand on the line")
  func users() async throws {
    try await withPhotoHome { home in
      let made = try await home.tote("photo", "user", "add", "Ann", input: "correct horse\n")
      #expect(made.status == 0, "\(made.errors)")
      #expect(made.errors.contains("made user 'ann'"))
      #expect(!made.errors.contains("horse") && !made.output.contains("horse"))
      #expect(
        try await home.tote("photo", "user", "list", "--json").output == "[{\"name\":\"ann\"}]\n")
      let twice = try await home.tote("photo", "user", "add", "ann", input: "correct horse\n")
      #expect(twice.status == 73)
      let short = try await home.tote("photo", "user", "add", "ben", input: "short\n")
      #expect(short.status == 65)
      let changed = try await home.tote("photo", "user", "passwd", "ann", input: "battery staple\n")
      #expect(changed.status == 0)
      let users = PhotoUsers(in: home.stores)
      #expect(try await users.verify("ann", "battery staple") == "ann")
      #expect(try await users.verify("ann", "correct horse") == nil)
      #expect(try await home.tote("photo", "user", "rm", "ann").status == 0)
      #expect(try await home.tote("photo", "user", "rm", "ann").status == 66)
      #expect(try await home.tote("photo", "user", "passwd", "ann", input: "x\n").status == 66)
    }
  }

  @Test("a token is told once, listed without its secret, and ends when it is removed")
  func tokens() async throws {
    try await withPhotoHome { home in
      try await home.tote("photo", "user", "add", "ann", input: "correct horse\n")
      let made = try await home.tote(
        "photo", "user", "token", "add", "ann", "--label", "laptop", "--json")
      #expect(made.status == 0, "\(made.errors)")
      #expect(
        try made.json.objectValue?.keys == PhotoUserTokenAdd.outputKeys.map(\.name))
      let token = try #require(try made.json.text("token"))
      let id = try #require(try made.json.text("id"))
      let listed = try await home.tote("photo", "user", "token", "list", "ann", "--json")
      #expect(try listed.json.arrayValue?.first?.text("label") == "laptop")
      #expect(!listed.output.contains(token))
      #expect(try await home.tote("photo", "user", "token", "rm", "ann", id).status == 0)
      #expect(try await home.tote("photo", "user", "token", "rm", "ann", id).status == 66)
      #expect(try await home.tote("photo", "user", "token", "list", "ann").output.isEmpty)
      #expect(try await home.tote("photo", "user", "token", "list", "eva").status == 66)
    }
  }
}
