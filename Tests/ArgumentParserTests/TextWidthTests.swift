import ArgumentParser
import Testing

@Suite struct TextWidthTests {
  @Test(
    "cells are counted by grapheme",
    arguments: [
      ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本語", 6), ("ｱ", 1), ("Ａ", 2),
      ("👩‍👩‍👧‍👦", 2), ("🇩🇪", 2), ("🇩", 2), ("👍🏽", 2), ("✅", 2), ("❤", 1), ("❤️", 2), ("☺️", 2),
      ("\u{1FAE9}", 2), ("한", 2), ("\u{1112}\u{1161}\u{11AB}", 2), ("\u{200B}", 0), ("\u{AD}", 0),
      ("\u{0}", 0), ("a\tb", 2), ("…", 1), ("·", 1), ("𝔘", 1), ("กำ", 2), ("नि", 1), ("１", 2),
      ("\u{3000}", 2), ("#️⃣", 2), ("\u{1F3F4}\u{E0067}\u{E0062}\u{E007F}", 2), ("\u{FEFF}", 0),
    ])
  func probes(text: String, cells: Int) { #expect(TextWidth.cells(of: text) == cells) }

  @Test("a cut text never exceeds its width and never splits a grapheme")
  func truncation() {
    #expect(TextWidth.truncated("abcdef", to: 6) == "abcdef")
    #expect(TextWidth.truncated("abcdef", to: 4) == "abc…")
    #expect(TextWidth.truncated("日本語", to: 5) == "日本…")
    #expect(TextWidth.truncated("日本語", to: 4) == "日…")
    #expect(TextWidth.truncated("日本語", to: 6) == "日本語")
    #expect(TextWidth.truncated("👩‍👩‍👧‍👦👩‍👩‍👧‍👦", to: 3) == "👩‍👩‍👧‍👦…")
    #expect(TextWidth.truncated("abc", to: 0) == "")
    #expect(TextWidth.truncated("abcdef", to: 5, mark: "...") == "ab...")
    #expect(TextWidth.truncated("abcdef", to: 2, mark: "...") == "ab")
    #expect(TextWidth.padded("日本", to: 6) == "日本  ")
    #expect(TextWidth.padded("abc", to: 2) == "abc")
  }
}
