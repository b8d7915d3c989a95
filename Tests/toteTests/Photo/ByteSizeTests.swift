import Testing

@testable import tote

struct ByteSizeTests {
  @Test("sizes are read as people write them")
  func sizes() throws {
    for (text, count) in [
      ("40MB", 40_000_000), ("100M", 100_000_000), ("512k", 512_000), ("7", 7),
      ("64mib", 64 << 20), ("1G", 1_000_000_000), ("2GiB", 2 << 30),
    ] {
      #expect(ByteSize(argument: text)?.count == count, "\(text)")
    }
    for text in ["", "MB", "-1", "0", "1.5M", "1T", "99999999999999999999", "1 M", "４"] {
      #expect(ByteSize(argument: text) == nil, "\(text)")
    }
    #expect(ByteSize(64_000_000).defaultValueDescription == "64M")
  }
}
