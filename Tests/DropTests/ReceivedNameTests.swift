import Drop
import Testing

@Suite struct ReceivedNameTests {
  @Test(
    "a sender's name becomes a file name and never a path",
    arguments: [
      ("photo.jpg", "photo.jpg"), ("../../etc/passwd", "passwd"), ("/etc/shadow", "shadow"),
      ("..", "file"), (".", "file"), ("", "file"), ("...", "file"), ("///", "file"),
      ("C:\\Windows\\win.ini", "win.ini"), ("a\u{0}b.txt", "ab.txt"),
      ("a\nb\r\u{1B}[31mc", "ab[31mc"),
      (".ssh", "_ssh"), ("-rf", "_rf"), ("invoice\u{202E}gpj.exe", "invoicegpj.exe"),
      ("\u{200B}\u{FEFF}x", "x"), ("nul", "_nul"), ("COM1.txt", "_COM1.txt"),
      ("aux.tar.gz", "_aux.tar.gz"),
      ("name. ", "name"), ("  name", "name"), ("a:b*c?.txt", "a_b_c_.txt"),
      ("日本語 写真.jpg", "日本語 写真.jpg"),
      ("Ünïcödé.png", "Ünïcödé.png"), ("تصوير.jpg", "تصوير.jpg"), ("👩‍🚀.png", "👩‍🚀.png"),
      ("می\u{200C}خواهم.txt", "می\u{200C}خواهم.txt"), ("क्\u{200D}ष", "क्\u{200D}ष"),
      ("a\u{200D}b", "ab"), ("語\u{200D}", "語"), ("語\u{200D}\u{200C}語", "語\u{200C}語"),
    ])
  func safe(_ hint: String, _ name: String) {
    #expect(ReceivedName.safe(hint) == name)
  }

  @Test("a name is cut between characters, with its extension kept")
  func long() {
    for character in ["a", "é", "語", "🌍"] {
      let name = ReceivedName.safe(String(repeating: character, count: 300) + ".jpeg")
      #expect(name.utf8.count <= ReceivedName.maximumBytes)
      #expect(name.hasSuffix(".jpeg"))
      #expect(ReceivedName.numbered(name, 999).utf8.count <= ReceivedName.maximumBytes)
    }
  }

  @Test("dotfiles are kept when asked for")
  func dotfiles() {
    #expect(ReceivedName.safe(".profile", allowsDotfiles: true) == ".profile")
    #expect(ReceivedName.safe("..", allowsDotfiles: true) == "file")
  }

  @Test(
    "the number of a copy stands before the extension",
    arguments: [
      ("photo.jpg", "photo (2).jpg"), ("archive.tar.gz", "archive.tar (2).gz"),
      ("README", "README (2)"),
      (".profile", ".profile (2)"),
    ])
  func numbered(_ name: String, _ second: String) {
    #expect(ReceivedName.numbered(name, 2) == second)
  }

  @Test("cutting a long name never lays bare a dot, nor leaves nothing")
  func longCharacters() {
    let marks = String(repeating: "\u{301}", count: 200)
    for hint in [
      "a\(marks).zshenv", "a\(marks)", ".\(marks)", "\(marks).git", "a\(marks)\(marks).x",
    ] {
      let name = ReceivedName.safe(hint)
      #expect((1...255).contains(name.utf8.count) && name.unicodeScalars.first != ".", "\(name)")
    }
    #expect(ReceivedName.safe("a\(marks).zshenv").unicodeScalars.first == "a")
    #expect(ReceivedName.safe(String(repeating: "x ", count: 200)).utf8.last == UInt8(ascii: "x"))
    let dotted = ReceivedName.safe(String(repeating: ".", count: 300) + "a")
    #expect(dotted.unicodeScalars.first != ".")
  }

  @Test("no text whatever gives a path, a control character or an empty name")
  func anything() {
    var generator = SystemRandomNumberGenerator()
    let seed = UInt64.random(in: 0 ... .max, using: &generator)
    print("seed of ReceivedNameTests.anything: \(seed)")
    var state = seed
    func next(_ bound: UInt32) -> UInt32 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt32(truncatingIfNeeded: state >> 33) % bound
    }
    for _ in 0..<5_000 {
      var hint = ""
      for _ in 0..<next(40) {
        // A character may have more marks than a name may have bytes.
        if next(20) == 0 { hint += String(repeating: "\u{301}", count: Int(next(200))) }
        if next(20) == 0 { hint += ".zshenv" }
        let value = next(4) == 0 ? next(0x11_0000) : next(0x80)
        if let scalar = Unicode.Scalar(value) { hint.unicodeScalars.append(scalar) }
      }
      let name = ReceivedName.safe(hint)
      #expect(!name.isEmpty && name.utf8.count <= 255 && name != "." && name != "..")
      #expect(
        !name.unicodeScalars.contains {
          $0 == "/" || $0 == "\\" || $0.properties.generalCategory == .control
        })
      #expect(name.unicodeScalars.first != "." && name.unicodeScalars.first != "-")
      #expect(ReceivedName.safe(name) == name)
    }
  }
}
