import CJPEG
import Testing

@testable import Photos

/// A decoded JPEG.
struct Pixels {
  var width = 0
  var height = 0
  var rgb: [UInt8] = []

  /// Decodes what the pipeline wrote; it must be a clean JPEG.
  init(_ jpeg: [UInt8]) throws {
    let structure = try JPEGScanner.structure(of: .bytes(jpeg), length: jpeg.count, maximumScans: 1)
    var options = PhotoOptions()
    options.damage = .strict
    try jpeg.withUnsafeBufferPointer { bytes in
      let decoder = try PhotoDecoder(
        tote_jpeg_source(bytes: bytes.baseAddress, descriptor: -1, end: bytes.count),
        structure: structure, options: options, memory: 100_000_000, deadline: .max)
      try decoder.startRows(TOTE_JPEG_RGB)
      (width, height) = (decoder.width, decoder.height)
      rgb = [UInt8](repeating: 0, count: 3 * width * height)
      try rgb.withUnsafeMutableBufferPointer { pixels in
        guard let base = pixels.baseAddress else { return }
        _ = try decoder.readRows(base, stride: 3 * width, count: height)
      }
      _ = try decoder.finish()
    }
  }

  subscript(x: Int, y: Int) -> [Int] {
    (0..<3).map { Int(rgb[3 * (y * width + x) + $0]) }
  }
}

/// Checks that a stored file is nothing but a picture: one start, JFIF's segment, tables, a
/// baseline frame of 8 bits, one scan and an end with nothing behind it.
func expectBarePicture(_ jpeg: [UInt8], _ comment: Comment) {
  var markers: [UInt8] = []
  var place = 2
  while place + 4 <= jpeg.count, jpeg[place] == 0xFF {
    let marker = jpeg[place + 1]
    markers.append(marker)
    if marker == 0xC0 {
      #expect(jpeg[place + 4] == 8 && [1, 3].contains(jpeg[place + 9]), comment)
    }
    place += 2 + Int(jpeg[place + 2]) << 8 + Int(jpeg[place + 3])
    if marker == 0xDA { break }
  }
  #expect(jpeg.starts(with: [0xFF, 0xD8]), comment)
  #expect(markers.first == 0xE0 && markers.filter { $0 == 0xE0 }.count == 1, comment)
  #expect(markers.last == 0xDA && markers.filter { $0 == 0xC0 }.count == 1, comment)
  #expect(Set(markers).isSubset(of: [0xE0, 0xDB, 0xC0, 0xC4, 0xDA]), comment)
  // In the data each FF is followed by 00, until the end.
  let data = jpeg[place...]
  let isPlain = zip(data.dropLast(2), data.dropFirst()).allSatisfy { $0 != 0xFF || $1 == 0 }
  #expect(isPlain && Array(jpeg.suffix(2)) == [0xFF, 0xD9], comment)
}

/// What came of a file: the photo or the refusal.
func outcome(
  _ file: [UInt8], _ options: PhotoOptions = PhotoOptions()
) -> Result<ProcessedPhoto, PhotoRefusal> {
  Result { () throws(PhotoRefusal) in try PhotoPipeline.process(.bytes(file), options) }
}

extension Result<ProcessedPhoto, PhotoRefusal> {
  /// The refusal's code, or "accepted".
  var verdict: String {
    switch self {
    case .success: "accepted"
    case .failure(let refusal): refusal.code
    }
  }
}

/// Checks a photo against the picture that its file was made of.
func expectPicture(
  _ photo: ProcessedPhoto, of fixture: PhotoFixture, tolerance: Int = 10, _ comment: Comment
) throws {
  let pixels = try Pixels(photo.full.bytes)
  #expect(pixels.width == fixture.uprightWidth && pixels.height == fixture.uprightHeight, comment)
  guard pixels.width == fixture.uprightWidth, pixels.height == fixture.uprightHeight else { return }
  var worst = 0
  for y in 0..<pixels.height {
    for x in 0..<pixels.width {
      for (got, wanted) in zip(pixels[x, y], fixture.pixel(x, y)) {
        worst = max(worst, abs(got - wanted))
      }
    }
  }
  #expect(worst <= tolerance, "off by \(worst): \(comment)")
}
