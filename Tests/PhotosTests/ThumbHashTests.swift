import Testing

@testable import Photos

/// The placeholder, against the hashes of the format's own library (thumbhash 0.1.2 of PyPI).
struct ThumbHashTests {
  static func picture(_ width: Int, _ height: Int) -> [UInt8] {
    (0..<width * height).flatMap { index -> [UInt8] in
      let (x, y) = (index % width, index / width)
      return [
        UInt8((x * 37 + y * 11) % 256), UInt8((y * 53 + x * 5) % 256), UInt8((x * y * 3) % 256),
      ]
    }
  }

  static let golden: [(Int, Int, [UInt8])] = [
    (
      32, 24,
      [
        94, 248, 5, 21, 130, 50, 68, 69, 48, 118, 119, 97, 134, 38, 134, 116, 239, 159, 125, 185,
        15,
      ]
    ),
    (
      24, 32,
      [94, 8, 6, 21, 0, 33, 52, 97, 135, 7, 85, 40, 135, 100, 73, 72, 239, 175, 252, 210, 72]
    ),
    (
      32, 32,
      [
        94, 248, 1, 23, 0, 32, 51, 52, 81, 118, 135, 65, 118, 23, 103, 73, 134, 116, 228, 254, 234,
        111, 125, 2,
      ]
    ),
    (1, 32, [82, 235, 37, 225, 14, 8, 135, 104, 152, 136, 135, 135, 8, 135, 134, 90, 8]),
    (1, 1, [0, 8, 2, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
  ]

  @Test("known pictures have known hashes", arguments: golden)
  func known(width: Int, height: Int, hash: [UInt8]) {
    let made = ThumbHash(rgb: Self.picture(width, height), width: width, height: height).bytes
    #expect(made == hash)
  }

  @Test("one colour has only a mean")
  func flat() {
    let hash = ThumbHash(rgb: [UInt8](repeating: 128, count: 300), width: 10, height: 10).bytes
    #expect(hash.count >= 20 && hash.count <= 25)
    #expect(hash[3] & 0b111 == 7)
  }
}
