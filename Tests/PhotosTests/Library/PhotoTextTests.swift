import Foundation
import Testing

@testable import Photos

struct PhotoTextTests {
  /// The manifest's hostile titles and names of files.
  static let manifest: (titles: [String], names: [String]) = {
    struct Manifest: Decodable {
      var titles: [String]
      var upload_names: [String]
    }
    guard let url = CorpusTests.folder?.appendingPathComponent("manifest.json"),
      let data = try? Data(contentsOf: url),
      let manifest = try? JSONDecoder().decode(Manifest.self, from: data)
    else { return ([], []) }
    return (manifest.titles, manifest.upload_names)
  }()

  @Test("hostile titles lose what controls or are refused; all else stays as it was written")
  func hostileTitles() throws {
    #expect(!Self.manifest.titles.isEmpty)
    for title in Self.manifest.titles + Self.manifest.names {
      guard let cleaned = try? PhotoText.title(title) else {
        #expect(title.unicodeScalars.count > PhotoText.titleLimit)
        continue
      }
      for scalar in cleaned.unicodeScalars {
        #expect(scalar.value >= 0x20 && !(0x7f...0x9f).contains(scalar.value))
        #expect(!(0x202a...0x202e).contains(scalar.value))
      }
      #expect(try PhotoText.title(cleaned) == cleaned)
    }
    #expect(
      try PhotoText.title("<b>&lt;\"'=1+1 café cafe\u{301} 🦉")
        == "<b>&lt;\"'=1+1 café cafe\u{301} 🦉")
    #expect(
      try PhotoText.title("a\u{0}b\u{1b}[31m\r\n\tc\u{202e}d\u{2066}\u{feff}") == "ab[31m  cd")
    #expect(try PhotoText.title("  \n ") == "")
    // What was sent is counted, in the characters of the API's description.
    let longest = String(repeating: "🦉", count: 500)
    #expect(try PhotoText.title(longest) == longest)
    for more in ["a", "\u{9e}", " "] {
      #expect(throws: PhotoLibraryError.titleTooLong) { try PhotoText.title(longest + more) }
    }
    // Normal forms are kept apart: nothing is composed or decomposed.
    #expect(Array(try PhotoText.title("cafe\u{301}").utf8) == Array("cafe\u{301}".utf8))
  }

  @Test("names of users are small letters, digits and three marks")
  func userNames() throws {
    #expect(try PhotoText.userName("Ann-2_b.c") == "ann-2_b.c")
    #expect(try PhotoText.userName(String(repeating: "a", count: 64)).utf8.count == 64)
    for name in [
      "", "_ann", ".ann", "-a", "an n", "ann:b", "änn", "a/b", "..", "a\u{0}",
      "ａnn", "a\u{301}", String(repeating: "a", count: 65), "<b>", "a@b",
    ] {
      #expect(throws: PhotoLibraryError.invalidUserName, "\(name)") {
        try PhotoText.userName(name)
      }
    }
  }
}
