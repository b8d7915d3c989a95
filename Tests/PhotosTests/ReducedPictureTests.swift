import CPhotoFixtures
import TestSupport
import Testing

@testable import Photos

/// The smaller pictures: their sizes, and that they are averaged in linear light.
struct ReducedPictureTests {
  @Test(
    "sizes keep the picture's shape, and no side is 0",
    arguments: [
      (4000, 20, 1600, 8), (20, 4000, 8, 1600), (1700, 1, 1600, 1), (1601, 1601, 1600, 1600),
      (2000, 1500, 1600, 1200),
    ])
  func view(width: Int, height: Int, viewWidth: Int, viewHeight: Int) throws {
    let photo = try outcome(PhotoFixture(width: width, height: height).jpeg()).get()
    #expect(photo.view?.width == viewWidth && photo.view?.height == viewHeight)
    let side = min(320, viewWidth, viewHeight)
    #expect(photo.thumbnail.width == side && photo.thumbnail.height == side)
    #expect(photo.notes.isEmpty)
  }

  @Test("a picture no larger than the view has none")
  func noView() throws {
    #expect(try outcome(PhotoFixture(width: 1600, height: 30).jpeg()).get().view == nil)
  }

  @Test("the longest side can be bounded, and that is noted")
  func maximumSide() throws {
    var options = PhotoOptions()
    options.maximumSide = 60
    options.viewSide = 30
    options.thumbnailSide = 10
    let fixture = PhotoFixture(width: 120, height: 90)
    let photo = try outcome(fixture.jpeg(), options).get()
    #expect(photo.full.width == 60 && photo.full.height == 45)
    #expect(photo.view?.width == 30 && photo.thumbnail.width == 10)
    #expect(photo.notes == [.reduced])
    let pixels = try Pixels(photo.full.bytes)
    for (x, y) in [(3, 3), (30, 20), (56, 40)] {
      for (got, wanted) in zip(pixels[x, y], fixture.pixel(2 * x, 2 * y)) {
        #expect(abs(got - wanted) <= 12)
      }
    }
    expectBarePicture(photo.full.bytes, "reduced")
  }

  /// A grey picture of columns of two levels.
  static func columns(_ dark: UInt8, _ light: UInt8) -> [UInt8] {
    var fixture = tote_fixture()
    (fixture.width, fixture.height, fixture.given, fixture.stored) = (256, 256, 1, 1)
    (fixture.horizontal, fixture.vertical) = (1, 1)
    (fixture.chroma_horizontal, fixture.chroma_vertical, fixture.quality) = (1, 1, 100)
    let pixels = (0..<256 * 256).map { $0 % 2 == 0 ? dark : light }
    var size = 0
    guard let bytes = tote_fixture_encode(&fixture, pixels, &size) else { return [] }
    return Array(UnsafeBufferPointer(start: bytes, count: size))
  }

  @Test(
    "half black and half white is 188, not 128",
    arguments: [
      (0, 255, 188), (0, 128, 93), (64, 192, 145), (255, 255, 255), (0, 0, 0), (30, 30, 30),
    ])
  func linearLight(dark: Int, light: Int, mean: Int) throws {
    var options = PhotoOptions()
    options.thumbnailSide = 32
    options.thumbnailQuality = 100
    let photo = try outcome(Self.columns(UInt8(dark), UInt8(light)), options).get()
    let pixels = try Pixels(photo.thumbnail.bytes)
    for (x, y) in [(1, 1), (16, 16), (30, 9)] { #expect(abs(pixels[x, y][0] - mean) <= 2) }
  }

  @Test("each level comes back from linear light as it was")
  func levels() throws {
    // A picture that is not reduced goes through linear light to its thumbnail only.
    var options = PhotoOptions()
    options.thumbnailSide = 256
    options.thumbnailQuality = 100
    for level in stride(from: UInt8(0), through: 250, by: 10) {
      let photo = try outcome(Self.columns(level, level), options).get()
      #expect(abs(try Pixels(photo.thumbnail.bytes)[100, 100][0] - Int(level)) <= 1)
    }
  }

  @Test("weights of an output sum to one, and each source line counts the same")
  func weights() {
    var random = SeededGenerator(for: "ReducedPictureTests.weights")
    for _ in 0..<300 {
      let count = Int.random(in: 1...3000, using: &random)
      let outputs = Int.random(in: 1...count, using: &random)
      let weights = AreaWeights(count: count, outputs: outputs)
      var sums = [Int](repeating: 0, count: outputs + 1)
      var last = 0
      for line in 0..<count {
        let share = weights.share(of: line)
        #expect(
          share.here >= 0 && share.next >= 0 && share.output >= last && share.output < outputs)
        last = share.output
        sums[share.output] += share.here
        sums[share.output + 1] += share.next
        let fair = 16_384 * outputs / count
        #expect(abs(share.here + share.next - fair) <= 1)
        #expect(weights.ends(at: line, share.output) == (sums[share.output] == 16_384))
      }
      #expect(sums.dropLast().allSatisfy { $0 == 16_384 } && sums.last == 0)
      let columns = weights.columns()
      #expect(columns.weights.count == 2 * columns.pairs.reduce(0) { $0 + Int($1) })
      for (first, pairs) in zip(columns.first, columns.pairs) {
        #expect(first >= 0 && Int(first) + 2 * Int(pairs) <= count + 1)
      }
    }
  }
}
