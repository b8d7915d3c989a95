import Core
import Drop
import Foundation
import Glibc
import HTTP
import TestSupport
import Testing

/// Where files go: hostile names, collisions, links, folders, and what is left when it ends.
@Suite struct SavingTests {
  /// Names that have broken receivers, and what becomes of them: this corpus stays, since the same
  /// faults have come back in others (magic-wormhole's CVE-2026-32116 and -42448, croc#1181).
  static let hostile: [(String, String)] = [
    ("../../etc/passwd", "passwd"), ("/etc/cron.d/x", "x"), ("..\\..\\evil.exe", "evil.exe"),
    ("..", "file"), (".", "file"), ("", "file"), ("/", "file"), ("....", "file"),
    (".ssh/authorized_keys", "authorized_keys"), (".bashrc", "_bashrc"), ("-rf", "_rf"),
    ("a\u{1B}[2Jb.txt", "a[2Jb.txt"), ("line\nbreak.txt", "linebreak.txt"),
    ("photo\u{202E}gpj.exe", "photogpj.exe"), ("CON", "_CON"), ("nul.txt", "_nul.txt"),
    ("a<b>:\"|?*.txt", "a_b_.txt"), ("trailing. . ", "trailing"), ("%2e%2e%2fx", "%2e%2e%2fx"),
    (".tote-drop-AAAAAAAA", "_tote-drop-AAAAAAAA"), ("\u{0}evil", "evil"),
  ]

  @Test("hostile names stay in the folder", arguments: hostile.indices)
  func hostileNames(_ index: Int) async throws {
    let (name, expected) = Self.hostile[index]
    try await ReceiverFixture.with { fixture async throws in
      let answer = try await fixture.deliver("h", name: name, [1, 2, 3])
      #expect(answer.status == 200)
      #expect(answer.json["name"] == .string(expected))
      #expect(try fixture.names == [expected])
    }
  }

  @Test("with dotfiles wanted, no name is that of a hidden folder of ours")
  func dotfiles() async throws {
    try await ReceiverFixture.with({ $0.allowsDotfiles = true }) { fixture async throws in
      #expect(try await fixture.deliver("a", name: ".profile", [1]).json["name"] == ".profile")
      let hidden = try #require(try fixture.hidden.first)
      let answer = try await fixture.deliver(
        "b", name: "0.part", [1], more: ["path": .string("\(hidden)/0.part")])
      #expect(answer.json["name"] == .string("_\(hidden.dropFirst())/0.part"))
    }
  }

  @Test("names in every script arrive as they are")
  func scripts() async throws {
    let names = [
      "été.jpg", "фото.jpg", "写真.jpg", "사진.jpg", "ภาพถ่าย.jpg", "תמונה.jpg", "صورة.jpg",
      "φωτό.jpg", "फ़ोटो.jpg", "ფოტო.jpg", "🌅.jpg", "ß.jpg",
    ]
    try await ReceiverFixture.with { fixture async throws in
      for (index, name) in names.enumerated() {
        let answer = try await fixture.deliver("s\(index)", name: name, [UInt8(index)])
        #expect(answer.json["name"] == .string(name))
        #expect(try fixture.bytes(name) == [UInt8(index)])
      }
    }
  }

  @Test("a name that is taken gets a number; the same bytes are left alone")
  func collisions() async throws {
    try await ReceiverFixture.with { fixture async throws in
      try writeBytes([9], to: "\(fixture.folder)/photo.jpg")
      #expect(
        try await fixture.deliver("a", name: "photo.jpg", [1]).json["name"] == "photo (2).jpg")
      #expect(
        try await fixture.deliver("b", name: "photo.jpg", [2]).json["name"] == "photo (3).jpg")
      #expect(try await fixture.deliver("c", name: "photo.jpg", [9]).json["name"] == "photo.jpg")
      #expect(try fixture.bytes("photo.jpg") == [9])
      #expect(try fixture.names.count == 3)
    }
  }

  @Test("names that differ in case or in the form of accents only are told apart by a number")
  func folded() async throws {
    try await ReceiverFixture.with { fixture async throws in
      _ = try await fixture.deliver("a", name: "Photo.JPG", [1])
      #expect(
        try await fixture.deliver("b", name: "photo.jpg", [2]).json["name"] == "photo (2).jpg")
      _ = try await fixture.deliver("c", name: "\u{E9}.txt", [1])
      let answer = try await fixture.deliver("d", name: "e\u{301}.txt", [2])
      #expect(answer.json["name"] == "e\u{301} (2).txt")
    }
  }

  @Test("asked to overwrite, a file is replaced and a folder is not")
  func overwrite() async throws {
    try await ReceiverFixture.with({ $0.overwrites = true }) { fixture async throws in
      try writeBytes([9], to: "\(fixture.folder)/a.txt")
      mkdir("\(fixture.folder)/b.txt", 0o700)
      #expect(try await fixture.deliver("a", name: "a.txt", [1]).json["name"] == "a.txt")
      #expect(try fixture.bytes("a.txt") == [1])
      #expect(try await fixture.deliver("b", name: "b.txt", [1]).json["name"] == "b (2).txt")
    }
  }

  @Test("links in the folder are never followed", arguments: [false, true])
  func links(_ overwrites: Bool) async throws {
    try await withTemporaryDirectory { outside in
      try writeBytes([5], to: "\(outside)/secret")
      try await ReceiverFixture.with({ $0.overwrites = overwrites }) { fixture async throws in
        symlink("\(outside)/secret", "\(fixture.folder)/link.txt")
        symlink(outside, "\(fixture.folder)/pics")
        symlink("\(outside)/new", "\(fixture.folder)/dangling")
        _ = try await fixture.deliver("a", name: "link.txt", [1])
        _ = try await fixture.deliver("b", name: "x", [1], more: ["path": "pics/x"])
        _ = try await fixture.deliver("c", name: "dangling", [1])
        #expect(try readBytes("\(outside)/secret") == [5])
        #expect(try FileManager.default.contentsOfDirectory(atPath: outside) == ["secret"])
        #expect(try fixture.bytes("pics (2)/x") == [1])
      }
    }
  }

  @Test("sent folders are made component by component, and paths that climb are refused")
  func folders() async throws {
    try await ReceiverFixture.with { fixture async throws in
      let answer = try await fixture.deliver(
        "a", name: "x.txt", [1], more: ["path": "trip/day 1/x.txt"])
      #expect(answer.json["name"] == "trip/day 1/x.txt")
      #expect(try fixture.bytes("trip/day 1/x.txt") == [1])
      for path in ["../x", "a/../../x", "/etc/x", "a//x", "./x"] {
        let refused = try await fixture.offer(
          "p\(path)", name: "x", size: 1, more: ["path": .string(path)])
        #expect(refused.json[0]?["error"] == "bad_request", "\(path)")
      }
      let deep = Array(repeating: "d", count: 40).joined(separator: "/")
      let refused = try await fixture.offer(
        "deep", name: "x", size: 1, more: ["path": .string(deep)])
      #expect(refused.json[0]?["error"] == "bad_request")
      let dots = try await fixture.deliver("b", name: "y", [1], more: ["path": ".git/hooks/y"])
      #expect(dots.json["name"] == "_git/hooks/y")
    }
  }

  @Test("the mode is the umask's, or with leave the sender's without what is dangerous")
  func modes() async throws {
    for keeps in [false, true] {
      try await ReceiverFixture.with({ $0.keepsMode = keeps }) { fixture async throws in
        _ = try await fixture.deliver("a", name: "run.sh", [1], more: ["mode": 0o4777])
        var status = stat()
        #expect(stat("\(fixture.folder)/run.sh", &status) == 0)
        #expect(status.st_mode & 0o7022 == 0)
        #expect((status.st_mode & 0o111 != 0) == keeps)
      }
    }
  }

  @Test("at the end the hidden folder is gone, with what was not complete")
  func cleanEnd() async throws {
    try await ReceiverFixture.with { fixture async throws in
      #expect(try fixture.hidden.count == 1)
      var status = stat()
      #expect(stat("\(fixture.folder)/\(try fixture.hidden[0])", &status) == 0)
      #expect(status.st_mode & 0o777 == 0o700)
      try await fixture.offer("a", name: "a", size: 10)
      #expect(try await fixture.patch("a", [1, 2]).status == 204)
      await fixture.receiver.stop()
      #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder).isEmpty)
    }
  }

  @Test("an abandoned hidden folder is swept, one in use and one of somebody's files are not")
  func swept() async throws {
    try await ReceiverFixture.with { fixture async throws in
      let abandoned = "\(fixture.folder)/.tote-drop-ABCDEFGH"
      let foreign = "\(fixture.folder)/.tote-drop-BBBBBBBB"
      for folder in [abandoned, foreign] { mkdir(folder, 0o700) }
      try writeBytes([1], to: "\(abandoned)/0.part")
      try writeBytes([1], to: "\(foreign)/precious.txt")
      symlink("/", "\(fixture.folder)/.tote-drop-CCCCCCCC")
      let second = try DropReceiver(DropReceiver.Options(folder: fixture.folder))
      #expect(access(abandoned, F_OK) != 0)
      #expect(access("\(foreign)/precious.txt", F_OK) == 0)
      #expect(try fixture.hidden.count == 4)
      await second.stop()
      // The first one still works.
      #expect(try await fixture.deliver("a", name: "a", [1]).status == 200)
    }
  }

  @Test("a file larger than the free space is refused with words before its first byte")
  func noSpace() async throws {
    try await ReceiverFixture.with { fixture async throws in
      let answer = try await fixture.offer("a", name: "a", size: 1 << 46)
      #expect(answer.json[0]?["error"] == "insufficient_storage")
      #expect(answer.json[0]?["reason"]?.stringValue?.contains("room for") == true)
      let put = try await fixture.send(
        .put, "/drop/b?new_edits=false",
        body: .bytes(
          JSON.object(["name": "b", "size": .integer(1 << 46), "_rev": "1-a"]).serializedBytes()))
      #expect(put.status == 507)
    }
  }

  @Test("a gzip bomb ends at its declared length")
  func bomb() async throws {
    try await ReceiverFixture.with { fixture async throws in
      let small = try GzipEncoder.encode([UInt8](repeating: 0, count: 50 << 20))
      #expect(small.count < 200_000)
      let document: JSON = [
        "_id": "z", "_rev": "1-a",
        "_attachments": [
          "z.bin": [
            "follows": true, "length": 1_000, "encoding": "gzip",
            "encoded_length": .integer(Int64(small.count)),
          ]
        ],
      ]
      let body =
        Array("--b\r\n\r\n".utf8) + document.serializedBytes() + Array("\r\n--b\r\n\r\n".utf8)
        + small + Array("\r\n--b--\r\n".utf8)
      let answer = try await fixture.send(
        .put, "/drop/z?new_edits=false",
        headers: ["Content-Type": "multipart/related; boundary=b"], body: .bytes(body))
      #expect(answer.status == 413)
      #expect(try fixture.names.isEmpty)
    }
  }
}
