import Core
import Photos
import TestSupport
import Testing

@testable import tote

/// Pictures on the terminal, read back from what is drawn.
struct PictureTests {
  /// A smooth picture with an edge and fine detail.
  static func picture(_ width: Int, _ height: Int) -> PhotoPreview {
    var rgb: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        let isBar = x * 8 / max(1, width) % 3 == 1
        let (across, down) = (255 * x / max(1, width - 1), 255 * y / max(1, height - 1))
        rgb +=
          isBar
          ? [UInt8(255 - across), UInt8(down / 2), UInt8(across / 2 + down / 2)]
          : [UInt8(across), UInt8(down), UInt8(128 + (across - down) / 4)]
      }
    }
    return PhotoPreview(width: width, height: height, rgb: rgb)
  }

  static func noise(_ width: Int, _ height: Int) -> PhotoPreview {
    var generator = SeededGenerator(for: "PictureTests")
    let rgb = (0..<3 * width * height).map { _ in UInt8.random(in: 0...255, using: &generator) }
    return PhotoPreview(width: width, height: height, rgb: rgb)
  }

  static let sizes = [(1, 1), (1, 7), (7, 1), (2, 2), (13, 6), (40, 41), (97, 60)]

  @Test("sixel: read back, each pixel has nearly its colour", arguments: sizes)
  func sixel(width: Int, height: Int) throws {
    let picture = Self.picture(width, height)
    let drawn = try readSixel(PictureSixel.encoded(picture, colours: 256))
    #expect(drawn.error(to: picture) < 50)
    #expect(drawn.blurredError(to: picture, side: 4) < 3)
  }

  @Test("sixel: with few colours areas still have theirs on average", arguments: [2, 4, 16, 64])
  func fewColours(colours: Int) throws {
    let picture = Self.picture(96, 64)
    let bytes = PictureSixel.encoded(picture, colours: colours)
    let drawn = try readSixel(bytes)
    let used = Set((0..<96 * 64).map { drawn[$0 % 96, $0 / 96] })
    #expect(used.count <= colours)
    if colours >= 16 { #expect(drawn.blurredError(to: picture, side: 8) < 2_400 / Double(colours)) }
  }

  @Test("sixel: whatever the pixels are, all are drawn within 256 colours")
  func sixelNoise() throws {
    let picture = Self.noise(33, 23)
    let drawn = try readSixel(PictureSixel.encoded(picture, colours: 256))
    #expect(drawn.error(to: picture) < 1_500)
  }

  @Test("sixel: a picture of one colour is that colour and small")
  func plain() throws {
    let picture = PhotoPreview(
      width: 300, height: 300, rgb: (0..<90_000).flatMap { _ in [200, 100, 50] as [UInt8] })
    let bytes = PictureSixel.encoded(picture, colours: 256)
    #expect(try readSixel(bytes).error(to: picture) < 3)
    #expect(bytes.count < 600)
  }

  @Test("kitty: read back, it is the picture, in pieces a terminal takes", arguments: sizes)
  func kitty(width: Int, height: Int) throws {
    let picture = Self.picture(width, height)
    let bytes = PictureKitty.encoded(picture, cell: CellSize(width: 10, height: 20))
    let (drawn, keys) = try readKitty(bytes)
    #expect(drawn.error(to: picture) == 0)
    #expect(keys["a"] == "T" && keys["f"] == "24" && keys["q"] == "2")
    #expect(keys["c"] == "\((width + 9) / 10)" && keys["r"] == "\((height + 19) / 20)")
  }

  @Test("blocks of any colour: read back, they are the picture", arguments: sizes)
  func blocks(width: Int, height: Int) throws {
    for picture in [Self.picture(width, height), Self.noise(width, height)] {
      let lines = PictureBlocks.lines(picture, .direct)
      #expect(lines.count == (height + 1) / 2)
      #expect(try readBlocks(lines, rows: 2).error(to: picture) == 0)
    }
  }

  @Test("without UTF-8 a cell is one pixel") func ascii() throws {
    let picture = Self.picture(20, 9)
    let lines = PictureBlocks.lines(picture, .direct, isUTF8: false)
    #expect(lines.joined().utf8.allSatisfy { $0 < 0x80 })
    #expect(try readBlocks(lines, rows: 1).error(to: picture) == 0)
  }

  @Test("blocks of 256 colours: areas have theirs on average") func indexed() throws {
    let picture = Self.picture(96, 64)
    let drawn = try readBlocks(PictureBlocks.lines(picture, .indexed), rows: 2)
    #expect(drawn.blurredError(to: picture, side: 8) < 60)
  }

  @Test("the palette of 256 colours: each is its own nearest") func palette() {
    for index in UInt8(16)...255 {
      let colour = XtermPalette.shared[index]
      #expect(XtermPalette.shared[XtermPalette.shared.nearest(colour)] == colour, "\(index)")
    }
  }
}

/// How large a picture is drawn.
struct PictureSizingTests {
  static func terminal(
    _ language: PictureProtocol, cell: CellSize = .usual, columns: Int = 80, rows: Int = 24,
    isUTF8: Bool = true
  ) -> PictureTerminal {
    PictureTerminal(
      language: language, cell: cell, columns: columns, rows: rows, isUTF8: isUTF8)
  }

  @Test("blocks keep the proportions, whatever the shape of a cell")
  func proportions() {
    for cell in [CellSize(width: 10, height: 20), CellSize(width: 9, height: 16)] {
      let terminal = Self.terminal(.blocks(.direct), cell: cell)
      let size = terminal.pixels(width: 3000, height: 2000, in: .whole)
      let shown =
        Double(size.width * cell.width) / (Double(size.height) * Double(cell.height) / 2)
      #expect(abs(shown - 1.5) < 0.05, "\(size)")
      #expect(size.width <= 80 && size.height <= 46)
    }
  }

  @Test("a picture is never drawn larger than it is, and never vanishes")
  func limits() {
    for language in [PictureProtocol.kitty, .sixel(colours: 16), .blocks(.indexed)] {
      let terminal = Self.terminal(language)
      for (width, height) in [(1, 1), (3, 5), (65_500, 1), (1, 65_500), (320, 320), (16, 9000)] {
        let size = terminal.pixels(width: width, height: height, in: .small)
        #expect(size.width >= 1 && size.width <= width, "\(language) \(width)x\(height)")
        #expect(size.height >= 1 && size.height <= height, "\(language) \(width)x\(height)")
      }
    }
  }

  @Test("graphics take the cells of the box and no more")
  func graphics() {
    let terminal = Self.terminal(.kitty, cell: CellSize(width: 8, height: 17))
    let size = terminal.pixels(width: 1600, height: 1200, in: .small)
    #expect(size.width <= 36 * 8 && size.height <= 18 * 17)
    #expect(abs(Double(size.width) / Double(size.height) - 4.0 / 3) < 0.02)
  }

  @Test("a terminal of one line still gets one row", arguments: [1, 2])
  func tiny(rows: Int) {
    let terminal = Self.terminal(.blocks(.direct), columns: 1, rows: rows)
    let size = terminal.pixels(width: 100, height: 100, in: .whole)
    #expect(size.width == 1 && size.height >= 1 && size.height <= 2)
  }
}

/// Which way of showing pictures a terminal gets.
struct PictureDecisionTests {
  static let traits = Streams.Traits(
    isTerminal: true, color: true, width: 80, height: 24, isUTF8: true)

  private func decide(
    _ variables: [String: String], answers: String? = nil, isTerminal: Bool = true,
    color: Bool = true
  ) -> PictureProtocol? {
    var traits = Self.traits
    traits.isTerminal = isTerminal
    traits.color = color
    return PictureTerminal.decide(
      traits, Environment(variables), answers.map { TerminalAnswers(Array($0.utf8)) })
  }

  static let xterm = "\u{1B}[?64;1;2;4;6;9;15;18;21;22c"
  static let kitty = "\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?62;c"

  @Test("the terminal's own word counts")
  func answers() {
    #expect(decide(["TERM": "xterm-kitty"], answers: Self.kitty) == .kitty)
    #expect(decide(["TERM": "xterm"], answers: Self.xterm) == .sixel(colours: 256))
    #expect(
      decide(["TERM": "xterm"], answers: "\u{1B}[?1;0;16S" + Self.xterm) == .sixel(colours: 16))
    #expect(decide(["TERM": "xterm"], answers: "\u{1B}[?1;2c") == .blocks(.indexed))
    // Level 4 is no attribute 4.
    #expect(decide(["TERM": "xterm"], answers: "\u{1B}[?4;6c") == .blocks(.indexed))
    #expect(
      decide(["TERM": "xterm"], answers: "\u{1B}_Gi=31;ENOTSUP\u{1B}\\\u{1B}[?62c")
        == .blocks(.indexed))
    // A terminal that was asked and does not have it: what it inherited does not matter.
    #expect(
      decide(["TERM": "xterm", "KITTY_WINDOW_ID": "1"], answers: "\u{1B}[?1;2c")
        == .blocks(.indexed))
  }

  @Test("who could not be asked is taken by the environment")
  func hints() {
    #expect(decide(["TERM": "xterm-kitty"]) == .kitty)
    #expect(decide(["TERM": "xterm", "KITTY_WINDOW_ID": "3"], answers: "") == .kitty)
    #expect(decide(["TERM": "xterm"]) == .blocks(.indexed))
    #expect(decide(["TERM": "xterm", "COLORTERM": "truecolor"]) == .blocks(.direct))
    #expect(decide(["TERM": "xterm", "COLORTERM": "24bit"]) == .blocks(.direct))
    #expect(decide(["TERM": "xterm-direct"]) == .blocks(.direct))
    #expect(decide(["TERM": "xterm-direct", "COLORTERM": "no"]) == .blocks(.indexed))
    let colon = "\u{1B}P1$r0;48:2::1:2:3m\u{1B}\\\u{1B}[?1;2c"
    #expect(decide(["TERM": "xterm"], answers: colon) == .blocks(.direct))
    let near = "\u{1B}P1$r0;48;5;16m\u{1B}\\\u{1B}[?1;2c"
    #expect(decide(["TERM": "xterm"], answers: near) == .blocks(.indexed))
  }

  @Test("within tmux and screen, blocks")
  func multiplexed() {
    #expect(decide(["TERM": "tmux-256color"], answers: Self.kitty) == .blocks(.indexed))
    #expect(
      decide(["TERM": "xterm-kitty", "TMUX": "/tmp/x,1,0", "COLORTERM": "truecolor"])
        == .blocks(.direct))
    #expect(decide(["TERM": "screen.xterm", "STY": "1.x"]) == .blocks(.indexed))
  }

  @Test("no colour, no picture; forced colour on a pipe, blocks")
  func none() {
    #expect(decide(["TERM": "xterm-kitty"], answers: Self.kitty, color: false) == nil)
    #expect(decide(["COLORTERM": "truecolor"], isTerminal: false) == .blocks(.direct))
  }

  @Test("answers are read in any order, among keys, and cut off anywhere")
  func mixed() {
    let text =
      "abc\u{1B}[6;17;8t\u{1B}[A\u{1B}_Gi=31;OK\u{1B}\\x\u{1B}[?1;0;1024S" + Self.xterm + "q"
    let answers = TerminalAnswers(Array(text.utf8))
    #expect(answers.hasAnswered && answers.hasKittyGraphics && answers.hasSixel)
    #expect(answers.cell == CellSize(width: 8, height: 17))
    #expect(answers.sixelColours == 256)
    for end in 0..<text.utf8.count { _ = TerminalAnswers(Array(text.utf8.prefix(end))) }
    #expect(!TerminalAnswers.isComplete(Array(text.utf8.prefix(40))))
    for bad in ["\u{1B}[6;0;0t\u{1B}[?c", "\u{1B}[6;99999;1t\u{1B}[?1;0;99999999S\u{1B}[?9c"] {
      let answers = TerminalAnswers(Array(bad.utf8))
      #expect(answers.cell == nil && answers.sixelColours == 256)
    }
  }
}
