import TestSupport
import Testing

@testable import Photos

/// Every kind of colours comes out as sRGB.
struct ColourTests {
  @Test("each kind of coding gives the picture", arguments: 0..<12)
  func coding(kind: Int) throws {
    var fixture = PhotoFixture(width: 83, height: 59)
    fixture.luma = (1, 1)
    switch kind {
    case 0: fixture.stored = .grey
    case 1: fixture.stored = .rgb
    case 2: (fixture.stored, fixture.isBare) = (.rgb, true)
    case 3: fixture.stored = .cmyk
    case 4: (fixture.stored, fixture.isBare) = (.cmyk, true)
    case 5: fixture.stored = .ycck
    case 6: fixture.isProgressive = true
    case 7: fixture.isArithmetic = true
    case 8: (fixture.isArithmetic, fixture.isProgressive) = (true, true)
    case 9: fixture.isSeparate = true
    case 10: fixture.restartInterval = 1
    default: fixture.isBare = true
    }
    try expectPicture(outcome(fixture.jpeg()).get(), of: fixture, tolerance: 14, "\(kind)")
  }

  @Test("grey of an odd declared sampling is read too")
  func greySampling() throws {
    for sampling in [(Int32(2), Int32(2)), (1, 2), (3, 3), (4, 4)] {
      var fixture = PhotoFixture(width: 50, height: 70, stored: .grey)
      fixture.luma = sampling
      try expectPicture(outcome(fixture.jpeg()).get(), of: fixture, tolerance: 6, "\(sampling)")
    }
  }

  @Test("a profile that is changed anywhere gives an answer, the same each time")
  func damagedProfile() throws {
    var random = SeededGenerator(for: "ColourTests.damagedProfile")
    for name in ["icc_adobe_rgb.jpg", "icc_swapped_red_green.jpg"] {
      let whole = try CorpusTests.bytes(name)
      let start = try #require(whole.place(of: 0xE2)) + 18
      for _ in 0..<80 {
        var file = whole
        for _ in 0..<Int.random(in: 1...8, using: &random) {
          let place = Int.random(in: start..<start + 400, using: &random)
          file[place] =
            [0, 0xFF, .random(in: 0...255, using: &random)].randomElement(using: &random) ?? 0
        }
        let first = outcome(file)
        #expect(outcome(file) == first)
        #expect(first.verdict == "accepted")
      }
    }
  }

  @Test("a profile with a part missing, doubled or in disorder is not used unless it is whole")
  func profileParts() throws {
    let source = try CorpusTests.bytes("icc_swapped_red_green.jpg")
    let structure = try JPEGScanner.structure(
      of: .bytes(source), length: source.count, maximumScans: 10)
    let profile = try #require(structure.profile)
    let half = profile.count / 2
    func part(_ number: UInt8, of count: UInt8, _ bytes: ArraySlice<UInt8>) -> Segment {
      Segment(marker: 0xE2, body: Array("ICC_PROFILE\0".utf8) + [number, count] + bytes)
    }
    let plain = PhotoFixture().jpeg()
    let first = part(1, of: 2, profile[..<half])
    let second = part(2, of: 2, profile[half...])
    let notes = { (file: [UInt8]) in try outcome(file).get().notes }
    #expect(try notes(plain.inserting(first, second)) == [])
    #expect(try notes(plain.inserting(second, first)) == [])
    #expect(try notes(plain.inserting(first)) == [.profileIgnored])
    #expect(try notes(plain.inserting(first, first, second)) == [.profileIgnored])
    #expect(
      try notes(plain.inserting(first, part(2, of: 3, profile[half...]))) == [.profileIgnored])
    // Red and green change places, so it shows whether the profile counts.
    let (used, unused) = (
      try Pixels(try outcome(plain.inserting(second, first)).get().full.bytes),
      try Pixels(try outcome(plain).get().full.bytes)
    )
    #expect(used[80, 10] != unused[80, 10])
  }

  @Test("a profile for other colours than the picture's is not used")
  func wrongProfile() throws {
    let source = try CorpusTests.bytes("icc_adobe_rgb.jpg")
    let structure = try JPEGScanner.structure(
      of: .bytes(source), length: source.count, maximumScans: 10)
    let segment = Segment(
      marker: 0xE2, body: Array("ICC_PROFILE\0".utf8) + [1, 1] + (try #require(structure.profile)))
    for colours in [PhotoFixture.Colours.grey, .cmyk] {
      var fixture = PhotoFixture(width: 40, height: 40, stored: colours)
      fixture.luma = (1, 1)
      let photo = try outcome(fixture.jpeg().inserting(segment)).get()
      #expect(photo.notes == [.profileIgnored])
      try expectPicture(photo, of: fixture, tolerance: 14, "\(colours)")
    }
  }
}
