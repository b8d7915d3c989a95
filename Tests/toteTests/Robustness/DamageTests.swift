import Glibc
import TestSupport
import Testing

@Suite("Damaged, foreign and newer stores are refused clearly")
struct DamageTests {
  /// A store with some documents and an attachment, its log emptied into the file.
  private func withStore(_ body: (ToteBinary) throws -> Void) throws {
    try withTote { tote in
      try tote.succeed("store", "create", "notes")
      try tote.succeed("store", "import", "notes", "-", input: SampleDocuments.lines(0..<2_000))
      try writeText(String(repeating: "attached ", count: 5_000), to: "\(tote.directory)/file.txt")
      try tote.succeed("store", "attach", "notes", "doc-0000000", "file.txt")
      try tote.succeed("store", "compact", "notes")
      try body(tote)
    }
  }

  private func database(_ tote: ToteBinary) -> String { "\(tote.storePath("notes"))/store.db" }

  @Test("flipped bytes in the database are found by verify, and nothing crashes on them")
  func flippedBytes() throws {
    try withStore { tote in
      let path = database(tote)
      let sound = try readBytes(path)
      var generator = SeededGenerator(for: "flipped bytes")
      var found = 0
      for _ in 0..<12 {
        var bytes = sound
        // Past the first page, whose header has its own test. A run of a page's size has another
        // page's head in it wherever it begins; a shorter one may lie in free space, where nothing is.
        let start = Int.random(in: 4_096...(bytes.count - 4_096), using: &generator)
        for index in start..<start + 4_096 { bytes[index] ^= 0x5A }
        try writeDatabase(bytes, path)
        for arguments in [
          ["verify", "notes"], ["ls", "notes", "--docs"], ["get", "notes", "doc-0000100"],
        ] {
          let result = try tote.run(["store"] + arguments)
          #expect(
            [0, 66, 74].contains(result.exitCode), "\(arguments) \(result.status) \(result.errors)")
          if arguments[0] == "verify", result.exitCode == 74 { found += 1 }
        }
      }
      #expect(found == 12)
      try writeDatabase(sound, path)
      try tote.succeed("store", "verify", "notes")
    }
  }

  @Test("a cut-off database is damaged")
  func truncated() throws {
    try withStore { tote in
      let path = database(tote)
      let sound = try readBytes(path)
      try writeDatabase(Array(sound[..<(sound.count / 2)]), path)
      let result = try tote.run("store", "verify", "notes")
      #expect(result.exitCode == 74)
      #expect(result.errors.contains("damaged"))
    }
  }

  @Test("a file that is no database is told apart from a damaged one", arguments: ["", "text"])
  func notADatabase(content: String) throws {
    try withStore { tote in
      try writeDatabase(Array(String(repeating: content, count: 5_000).utf8), database(tote))
      for arguments in [
        ["get", "notes", "doc-0000100"], ["put", "notes", "new", "{}"], ["verify", "notes"],
      ] {
        let result = try tote.run(["store"] + arguments)
        #expect(result.exitCode == 65, "\(arguments): \(result.errors)")
        #expect(result.errors.contains("is not a store"))
      }
      // Nothing was written over it.
      #expect(try readText(database(tote)).count == content.count * 5_000)
    }
  }

  @Test("a newer format is refused by reading and writing alike, with what to do")
  func newerFormat() throws {
    try withStore { tote in
      let path = database(tote)
      var bytes = try readBytes(path)
      // SQLite's user_version: four bytes, big-endian, at offset 60 of the header.
      bytes.replaceSubrange(60..<64, with: [0, 0, 0, 99])
      try writeDatabase(bytes, path)
      for arguments in [
        ["get", "notes", "doc-0000100"], ["put", "notes", "new", "{}"], ["verify", "notes"],
      ] {
        let result = try tote.run(["store"] + arguments)
        #expect(result.exitCode == 78, "\(arguments): \(result.errors)")
        #expect(result.errors.contains("format 99") && result.errors.contains("update tote"))
      }
      #expect(try readBytes(path) == bytes)
    }
  }

  @Test("a damaged attachment is found by verify and never handed out as whole")
  func damagedBlob() throws {
    try withStore { tote in
      let blobs = try tote.shell("find '\(tote.storePath("notes"))/blobs' -type f -size +1k").lines
      try #require(blobs.count == 1)
      var bytes = try readBytes(blobs[0])
      bytes[bytes.count / 2] ^= 1
      chmod(blobs[0], 0o600)
      try writeBytes(bytes, to: blobs[0])
      let verify = try tote.run("store", "verify", "notes")
      #expect(verify.exitCode == 74)
      #expect((verify.output + verify.errors).contains("doc-0000000"))
      let fetch = try tote.run(
        "store", "fetch", "notes", "doc-0000000", "file.txt", "--output", "out.txt")
      #expect(fetch.exitCode == 74)
      #expect(access("\(tote.directory)/out.txt", F_OK) != 0)
      unlink(blobs[0])
      #expect(try tote.run("store", "verify", "notes").exitCode == 74)
    }
  }

  /// Replaces the database, without the log of the old one.
  private func writeDatabase(_ bytes: [UInt8], _ path: String) throws {
    unlink(path + "-wal")
    unlink(path + "-shm")
    try writeBytes(bytes, to: path)
  }
}
