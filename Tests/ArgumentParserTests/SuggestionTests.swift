import Testing

@testable import ArgumentParser

@Suite struct SuggestionTests {
  @Test(
    "near words are offered, nearest first, never the word itself, at most three",
    arguments: [
      ("lsit", ["list", "add"], ["list"]), ("hi", ["high", "low"], ["high"]),
      ("LIST", ["list"], ["list"]), ("list", ["list"], []), ("xyz", ["list"], []), ("", ["a"], []),
      ("x", ["a", "b"], []), ("delte", ["delete", "select", "deflate"], ["delete"]),
      ("s", ["store", "sync", "stop", "show"], ["store", "sync", "stop"]),
      ("--prio", ["--priority", "--print"], ["--priority"]),
      ("strore", ["stores", "store"], ["store", "stores"]),
      ("ab", ["ba"], ["ba"]), ("abcdef", ["abc"], []), ("priorty", ["priority"], ["priority"]),
    ])
  func nearest(word: String, candidates: [String], expected: [String]) {
    #expect(Suggestions.nearest(to: word, in: candidates) == expected)
  }

  @Test("edits are counted with swaps of neighbours as one")
  func distance() {
    func distance(_ a: String, _ b: String) -> Int {
      Suggestions.distance(Array(a.utf8), Array(b.utf8))
    }
    #expect(distance("ca", "abc") == 3)
    #expect(distance("list", "lsit") == 1)
    #expect(distance("", "abc") == 3)
    #expect(distance("kitten", "sitting") == 3)
    #expect(distance("same", "same") == 0)
  }

  @Test("hidden commands and options are not offered")
  func hidden() { #expect(message("storra") == "unknown command 'storra'; did you mean 'store'?") }

  @Test("a tail offers one, two or three words")
  func tail() {
    #expect(Suggestions.sentence([]) == "")
    #expect(Suggestions.sentence(["a", "b", "c"]) == "; did you mean 'a', 'b' or 'c'?")
  }
}
