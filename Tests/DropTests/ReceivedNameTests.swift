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
      ("name. ", "name"), ("  name", "name"), ("a:b*c?.txt", "abc.txt"),
      ("日本語 写真.jpg", "日本語 写真.jpg"),
      ("Ünïcödé.png", "Ünïcödé.png"), ("تصوير.jpg", "تصوير.jpg"), ("👩‍🚀.png", "👩🚀.png"),
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
        let value = next(4) == 0 ? next(0x11_0000) : next(0x80)
        if let scalar = Unicode.Scalar(value) { hint.unicodeScalars.append(scalar) }
      }
      let name = ReceivedName.safe(hint)
      #expect(!name.isEmpty && name.utf8.count <= 255 && name != "." && name != "..")
      #expect(
        !name.unicodeScalars.contains {
          $0 == "/" || $0 == "\\" || $0.properties.generalCategory == .control
        })
      #expect(ReceivedName.safe(name) == name)
    }
  }
}
