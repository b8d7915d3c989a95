import Testing

@testable import Photos

/// Turned pictures come out upright, whatever their size and sampling.
struct OrientationTests {
  static let samplings: [(luma: (Int32, Int32), chroma: (Int32, Int32))] = [
    ((2, 2), (1, 1)), ((2, 1), (1, 1)), ((1, 1), (1, 1)), ((1, 2), (1, 1)), ((4, 1), (1, 1)),
    ((2, 1), (2, 1)), ((4, 1), (2, 1)), ((1, 4), (1, 1)), ((2, 2), (2, 1)), ((1, 1), (2, 2)),
  ]
  static let sizes = [(64, 48), (37, 53), (33, 17), (16, 16), (31, 48), (5, 3), (1, 1), (130, 1)]

  @Test("pixel by pixel, for each sampling and odd sizes", arguments: 1...8)
  func upright(orientation: Int) throws {
    for sampling in Self.samplings {
      for (width, height) in Self.sizes {
        var fixture = PhotoFixture(width: width, height: height)
        fixture.luma = sampling.luma
        fixture.chroma = sampling.chroma
        fixture.orientation = orientation
        let name = "\(orientation) \(sampling) \(width)x\(height)"
        let result = outcome(fixture.jpeg())
        guard case .success(let photo) = result else {
          Issue.record("\(name): \(result)")
          continue
        }
        // Few pixels for a chroma sample, or a picture of a few: colours run into each other.
        let isCoarse = sampling.luma.0 + sampling.luma.1 > 4 || min(width, height) < 16
        let tolerance = min(width, height) < 4 ? 140 : isCoarse ? 60 : 14
        try expectPicture(photo, of: fixture, tolerance: tolerance, "\(name)")
        #expect(photo.notes.isEmpty, "\(name)")
      }
    }
  }

  @Test("grey pictures are turned too", arguments: 1...8)
  func grey(orientation: Int) throws {
    var fixture = PhotoFixture(width: 67, height: 45, stored: .grey)
    fixture.luma = (1, 1)
    fixture.orientation = orientation
    try expectPicture(outcome(fixture.jpeg()).get(), of: fixture, tolerance: 6, "\(orientation)")
  }

  @Test("so are those that are converted: RGB, CMYK", arguments: 1...8)
  func converted(orientation: Int) throws {
    for colours in [PhotoFixture.Colours.rgb, .cmyk, .ycck] {
      var fixture = PhotoFixture(width: 49, height: 36, stored: colours)
      fixture.luma = (1, 1)
      fixture.orientation = orientation
      let name = "\(orientation) \(colours)"
      try expectPicture(outcome(fixture.jpeg()).get(), of: fixture, tolerance: 14, "\(name)")
    }
  }

  @Test("thumbnail and view are turned with the picture")
  func smaller() throws {
    var options = PhotoOptions()
    options.viewSide = 40
    options.thumbnailSide = 16
    for orientation in 1...8 {
      var fixture = PhotoFixture(width: 96, height: 64)
      fixture.orientation = orientation
      let photo = try outcome(fixture.jpeg(), options).get()
      let view = try Pixels(try #require(photo.view).bytes)
      let (width, height) = (fixture.uprightWidth, fixture.uprightHeight)
      #expect(max(view.width, view.height) == 40 && (view.width > view.height) == (width > height))
      let thumbnail = try Pixels(photo.thumbnail.bytes)
      #expect(thumbnail.width == 16 && thumbnail.height == 16)
      let square = min(width, height)
      for (x, y) in [(2, 2), (13, 2), (2, 13), (13, 13)] {
        let wanted = fixture.pixel(
          (width - square) / 2 + x * square / 16, (height - square) / 2 + y * square / 16)
        for (got, wanted) in zip(thumbnail[x, y], wanted) { #expect(abs(got - wanted) < 20) }
      }
    }
  }
}
