import Testing

@testable import Photos

/// Pictures made small for a terminal.
struct PreviewTests {
  @Test("a preview is the upright picture, small", arguments: 1...8)
  func upright(orientation: Int) throws {
    var fixture = PhotoFixture(width: 120, height: 80)
    fixture.orientation = orientation
    var asked: (Int, Int)?
    let preview = try PhotoPipeline.preview(of: .bytes(fixture.jpeg())) { width, height in
      asked = (width, height)
      return (width / 4, height / 4)
    }
    #expect(asked ?? (0, 0) == (fixture.uprightWidth, fixture.uprightHeight))
    #expect(preview.width == fixture.uprightWidth / 4)
    #expect(preview.height == fixture.uprightHeight / 4)
    for y in 0..<preview.height {
      for x in 0..<preview.width {
        let wanted = fixture.pixel(4 * x + 2, 4 * y + 2)
        for part in 0..<3 {
          let got = Int(preview.rgb[3 * (y * preview.width + x) + part])
          #expect(abs(got - wanted[part]) <= 8, "\(x),\(y)")
        }
      }
    }
  }

  @Test("proportions may change, for cells that are not square; sizes are clamped")
  func sizes() throws {
    let file = PhotoFixture(width: 96, height: 64).jpeg()
    for (wanted, given) in [
      ((10, 60), (10, 60)), ((500, 500), (96, 64)), ((0, -3), (1, 1)), ((96, 64), (96, 64)),
    ] {
      let preview = try PhotoPipeline.preview(of: .bytes(file)) { _, _ in
        (wanted.0, wanted.1)
      }
      #expect((preview.width, preview.height) == given)
      #expect(preview.rgb.count == 3 * given.0 * given.1)
    }
  }

  @Test("grey and CMYK come as RGB; what is no picture is refused as everywhere")
  func kinds() throws {
    for stored in [PhotoFixture.Colours.grey, .cmyk, .rgb] {
      var fixture = PhotoFixture(width: 40, height: 30, stored: stored)
      fixture.luma = (1, 1)
      let preview = try PhotoPipeline.preview(of: .bytes(fixture.jpeg())) { _, _ in (4, 3) }
      #expect(preview.rgb.count == 36)
    }
    #expect(throws: PhotoRefusal.empty) {
      try PhotoPipeline.preview(of: .bytes([])) { _, _ in (1, 1) }
    }
    for entry in CorpusTests.entries where entry.expect == "reject" {
      #expect(throws: PhotoRefusal.self, "\(entry.file)") {
        try PhotoPipeline.preview(of: .bytes(CorpusTests.bytes(entry.file))) { _, _ in (8, 8) }
      }
    }
  }
}
