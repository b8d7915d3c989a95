import CJPEG

/// Strips from rows of pixels, for pictures whose planes cannot be taken as they are: stored as
/// RGB or CMYK, with a colour profile to convert from, or of an unusual sampling.
final class PixelStrips: StripProducer {
  let shape: StripShape
  private let decoder: PhotoDecoder
  private let colours: tote_jpeg_colours
  private let profile: ColourProfile?
  private let pixels: UInt8Buffer
  /// RGB, where what is decoded is something else.
  private let converted: UInt8Buffer?
  private let isInverted: Bool

  /// Starts decoding.
  init(_ decoder: PhotoDecoder, profile: ColourProfile?) throws(PhotoRefusal) {
    self.decoder = decoder
    self.profile = profile
    shape = StripShape(width: decoder.width, height: decoder.height, isGrey: false)
    isInverted = decoder.info.saw_adobe_marker != 0
    let bytes = StripShape.rows * shape.stride
    switch decoder.info.colours {
    case TOTE_JPEG_CMYK: colours = TOTE_JPEG_CMYK
    case TOTE_JPEG_YCC where profile == nil: colours = TOTE_JPEG_YCC
    case TOTE_JPEG_YCC, TOTE_JPEG_RGB: colours = TOTE_JPEG_RGB
    // One component of an unusual sampling comes here too.
    case TOTE_JPEG_GREY: colours = TOTE_JPEG_RGB
    default: throw .unsupported("its colours")
    }
    let isCMYK = colours == TOTE_JPEG_CMYK
    pixels = UInt8Buffer(bytes * (isCMYK ? 4 : 3))
    converted = isCMYK || profile != nil ? UInt8Buffer(bytes * 3) : nil
    try decoder.startRows(colours)
  }

  func next(into planes: tote_jpeg_planes) throws(PhotoRefusal) -> Int {
    let depth = colours == TOTE_JPEG_CMYK ? 4 : 3
    let rows = try decoder.readRows(
      pixels.base, stride: depth * shape.stride, count: StripShape.rows)
    guard rows > 0, let y = planes.base.0, let cb = planes.base.1, let cr = planes.base.2 else {
      return 0
    }
    for row in 0..<rows { convert(row, depth: depth) }
    let stride = 3 * shape.stride
    let source = (converted ?? pixels).base
    Self.continuePixels(source, stride: stride, width: shape.width, rows: rows)
    for row in Swift.stride(from: 0, to: rows, by: 2) {
      let from = source + row * stride
      let luma = y + row * shape.stride
      let (blue, red) = (cb + row / 2 * shape.chromaStride, cr + row / 2 * shape.chromaStride)
      if colours == TOTE_JPEG_YCC {
        tote_ycc_from_ycc(from, stride, luma, shape.stride, blue, red, shape.stride)
      } else {
        tote_ycc_from_rgb(from, stride, luma, shape.stride, blue, red, shape.stride)
      }
    }
    shape.continueEdges(of: planes, rows: rows)
    return rows
  }

  private func convert(_ row: Int, depth: Int) {
    guard let converted else { return }
    let from = pixels.base + row * depth * shape.stride
    let to = converted.base + row * 3 * shape.stride
    if let profile {
      profile.convert(from, to: to, count: shape.width)
    } else {
      tote_rgb_from_cmyk(from, to, shape.width, isInverted ? 1 : 0)
    }
  }

  /// Continues the last column by one and an odd last row by one: chroma is averaged over both.
  private static func continuePixels(
    _ base: UnsafeMutablePointer<UInt8>, stride: Int, width: Int, rows: Int
  ) {
    if 3 * width < stride {
      for row in 0..<rows {
        let end = base + row * stride + 3 * width
        for byte in 0..<stride - 3 * width { end[byte] = end[byte - 3] }
      }
    }
    if rows % 2 == 1 {
      (base + rows * stride).update(from: base + (rows - 1) * stride, count: stride)
    }
  }
}
