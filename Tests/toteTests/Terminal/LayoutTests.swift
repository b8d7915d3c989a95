import Core
import Glibc
import TestSupport
import Testing

@testable import tote

struct SanitizerTests {
  @Test(
    "what could change the screen is shown as an escape",
    arguments: [
      ("a\u{1B}[2Jb", "a\\e[2Jb"), ("a\u{7}b", "a\\u{7}b"), ("a\rb", "a\\rb"),
      ("a\u{202E}b", "a\\u{202e}b"), ("a\u{2066}b", "a\\u{2066}b"), ("a\u{200B}b", "a\\u{200b}b"),
      ("a\u{9B}2J", "a\\u{9b}2J"), ("a\u{2028}b", "a\\u{2028}b"), ("a\nb\tc", "a\\nb\\tc"),
      ("plain é 日本 ❤️ ✅", "plain é 日本 ❤️ ✅"), ("\u{7F}", "\\u{7f}"),
    ])
  func escapes(text: String, shown: String) {
    #expect(Sanitizer.terminalSafe(text) == shown)
  }

  @Test("a joiner stays inside an emoji and nowhere else")
  func joiners() {
    #expect(Sanitizer.terminalSafe("👩‍👩‍👧‍👦") == "👩‍👩‍👧‍👦")
    #expect(Sanitizer.terminalSafe("a\u{200D}b") == "a\\u{200d}b")
  }

  @Test("documents keep their lines")
  func lines() {
    #expect(Sanitizer.terminalSafe("a\n\tb\u{1B}", keepsLines: true) == "a\n\tb\\e")
  }
}

struct TableTests {
  static let traits = Streams.Traits(
    isTerminal: true, color: false, width: 80, height: 24, isUTF8: true)
  static let columns = [
    Column("ID", .identifier), Column("TEXT"), Column("DUE", .identifier, dropOrder: 2),
    Column("TAGS", dropOrder: 1),
  ]

  private func lines(_ rows: [[String]], width: Int, isUTF8: Bool = true) -> [String] {
    var traits = Self.traits
    traits.width = width
    traits.isUTF8 = isUTF8
    return Table(columns: Self.columns, traits: traits)
      .lines(of: rows.map { $0.map { Cell($0) } }, withHeader: true)
  }

  @Test("taskwarrior#2333: columns line up whatever the characters are")
  func alignment() {
    let names = ["日本語", "👩‍👩‍👧‍👦", "🇩🇪", "e\u{301}", "✅", "❤️", "❤", "plain", "ｆｕｌｌ"]
    let table = lines(names.map { ["k7m", $0, "today", "x"] }, width: 80)
    for line in table.dropFirst() {
      let before = line.prefix(while: { $0 != "t" })
      guard let end = line.firstRange(of: "today") else { continue }
      #expect(Cells.width(of: String(line[..<end.lowerBound])) == 5 + 8 + 2, "\(before)")
    }
  }

  @Test(
    "in a narrow terminal text shrinks first, then columns go, ids never", arguments: [20, 30, 40])
  func narrow(width: Int) {
    let rows = [
      ["k7mq", String(repeating: "long ", count: 20), "Thu 2 Jan", "home,garden,shop"],
      ["b2x", "日本語日本語日本語日本語日本語日本語", "", ""],
    ]
    let table = lines(rows, width: width)
    for line in table { #expect(Cells.width(of: line) <= width) }
    #expect(table[1].hasPrefix("k7mq  long"))
    #expect(table[1].contains("…"))
    #expect(table[2].hasPrefix("b2x   日本"))
  }

  @Test("without UTF-8 what is cut ends in three periods")
  func ascii() {
    let table = lines(
      [["k7m", String(repeating: "x", count: 100), "", ""]], width: 30, isUTF8: false)
    #expect(table[1].hasSuffix("..."))
  }

  @Test("a pipe gets whole rows, and nothing in a field breaks one")
  func plain() {
    let row = [
      Cell("a\tb"), Cell("c\nd\r"), Cell("short", plain: String(repeating: "y", count: 300)),
    ]
    let line = Table.plainLine(of: row)
    #expect(line == "a\\tb\tc\\nd\\r\t" + String(repeating: "y", count: 300))
  }

  @Test(
    "sizes are binary multiples",
    arguments: [
      (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (1_572_864, "1.5 MiB"),
      (1_048_575, "1.0 MiB"), (5_368_709_120, "5.0 GiB"),
    ])
  func sizes(bytes: Int, text: String) { #expect(humanSize(bytes) == text) }
}

struct OutputFileTests {
  @Test("a file appears only when it is complete, and no draft is left")
  func commit() throws {
    try withTemporaryDirectory { folder in
      let path = folder + "/out"
      let file = try OutputFile(path: path)
      try file.write("hello".utf8)
      try file.flush()
      #expect(throws: (any Error).self) { try readText(path) }
      try file.commit()
      #expect(try readText(path) == "hello")
      let abandoned = try OutputFile(path: path)
      try abandoned.write("gone".utf8)
      abandoned.discard()
      #expect(try readText(path) == "hello")
      #expect(try names(in: folder) == ["out"])
    }
  }

  @Test("lnav#1489: a link is written through, and the mode of what it names stays")
  func link() throws {
    try withTemporaryDirectory { folder in
      try writeText("old", to: folder + "/real")
      #expect(chmod(folder + "/real", 0o640) == 0)
      #expect(symlink("real", folder + "/link") == 0)
      let file = try OutputFile(path: folder + "/link")
      try file.write("new".utf8)
      try file.commit()
      #expect(try readText(folder + "/real") == "new")
      var status = stat()
      #expect(lstat(folder + "/link", &status) == 0)
      #expect(status.st_mode & S_IFMT == S_IFLNK)
      #expect(stat(folder + "/real", &status) == 0)
      #expect(status.st_mode & 0o777 == 0o640)
    }
  }

  @Test("a device is written straight")
  func device() throws {
    let file = try OutputFile(path: "/dev/null")
    try file.write("x".utf8)
    try file.commit()
  }

  @Test("a full disk is told, and a folder is no target")
  func failures() throws {
    let file = try OutputFile(path: "/dev/full")
    try file.write("x".utf8)
    #expect(throws: OutputError.self) { try file.commit() }
    try withTemporaryDirectory { folder in
      #expect(throws: CommandError.self) { _ = try OutputFile(path: folder) }
      #expect(throws: CommandError.self) { _ = try OutputFile(path: folder + "/none/out") }
      try writeText("here", to: folder + "/here")
      do {
        _ = try OutputFile(path: folder + "/here", replaces: false)
        Issue.record("an existing file was replaced")
      } catch let error as CommandError {
        #expect(error.code == "exists")
        #expect(error.exitClass == .cannotCreate)
      }
    }
  }

  private func names(in folder: String) throws -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
