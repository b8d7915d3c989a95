/// The pixels of a picture made small, for places that show pixels and no JPEG: a terminal.
public struct PhotoPreview: Sendable, Equatable {
  /// Pixels from left to right.
  public let width: Int
  /// Pixels from top to bottom.
  public let height: Int
  /// Red, green and blue of each pixel in sRGB, row by row from the upper left one:
  /// 3 · `width` · `height` bytes.
  public let rgb: [UInt8]

  /// Makes a preview of pixels that are there already.
  ///
  /// - Parameters:
  ///   - width: pixels from left to right, at least 1.
  ///   - height: pixels from top to bottom, at least 1.
  ///   - rgb: red, green and blue of each.
  public init(width: Int, height: Int, rgb: [UInt8]) {
    precondition(
      width > 0 && height > 0 && rgb.count == 3 * width * height, "a picture has all its pixels")
    self.width = width
    self.height = height
    self.rgb = rgb
  }
}

extension PhotoPipeline {
  /// Decodes a JPEG file to few pixels, upright and in sRGB, each the average of the area it covers.
  ///
  /// It blocks, some 5 ms for each megapixel of the file, and needs memory as ``process(_:_:writingFullTo:)``
  /// does.
  ///
  /// - Parameters:
  ///   - source: the file.
  ///   - options: limits, and what to do with damage; its sizes do not matter here.
  ///   - size: told the size of the upright picture in pixels, answers that of the preview. Sides
  ///     are clamped: at least 1, and never longer than the picture's own.
  /// - Returns: the pixels.
  /// - Throws: why the file is refused.
  public static func preview(
    of source: PhotoSource, _ options: PhotoOptions = PhotoOptions(),
    size: (_ width: Int, _ height: Int) -> (width: Int, height: Int)
  ) throws(PhotoRefusal) -> PhotoPreview {
    try run(source, options) { (run) throws(PhotoRefusal) in try run.preview(size) }
  }
}
