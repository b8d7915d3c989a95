import CJPEG

/// All pictures that are made of one photo, from one pass over its strips.
///
/// The full picture takes the strips as they are, unless it is to be smaller. Whatever is smaller
/// is reduced from the next larger one, before that is rounded to bytes.
final class PhotoOutputs {
  private let full: PhotoEncoder
  /// The full picture, if it is reduced.
  private let reduced: PictureSink?
  private let view: PictureSink?
  private let thumbnail: PictureSink
  private let placeholder: PixelSink
  private let light: LightSource

  /// The longer side of the picture that the placeholder is made of: more would not show.
  private static let placeholderSide = 32

  /// Plans the pictures of one photo.
  ///
  /// `shape` is that of the upright picture as it is decoded. The full picture's bytes go to
  /// `sink`; without one they are kept.
  init(
    _ shape: StripShape, _ options: PhotoOptions, sink: PhotoEncoder.Sink?
  ) throws(PhotoRefusal) {
    let channels = shape.channels
    func encoder(
      _ size: PixelSize, _ quality: Int, takesPlanes: Bool = false, sink: PhotoEncoder.Sink? = nil
    ) throws(PhotoRefusal) -> PhotoEncoder {
      try PhotoEncoder(
        width: size.width, height: size.height, channels: channels, quality: quality,
        takesPlanes: takesPlanes, limits: options.limits, sink: sink)
    }
    let decoded = PixelSize(width: shape.width, height: shape.height)
    let fullSize = decoded.fitted(to: options.maximumSide)
    let viewSize = fullSize.fitted(to: options.viewSide)
    let isReduced = fullSize != decoded
    full = try encoder(fullSize, options.quality, takesPlanes: !isReduced, sink: sink)

    // The small ones first: each hands its rows to those below it.
    let parent = viewSize
    let square = min(parent.width, parent.height)
    let side = min(max(1, options.thumbnailSide), square)
    thumbnail = PictureSink(
      try encoder(PixelSize(width: side, height: side), options.thumbnailQuality),
      channels: channels)
    let crop = AreaReducer.Crop(
      left: (parent.width - square) / 2, top: (parent.height - square) / 2, width: square,
      height: square)
    let small = parent.fitted(to: Self.placeholderSide)
    placeholder = PixelSink(width: small.width, height: small.height)
    var sinks: [any LinearSink] = [
      AreaReducer(crop, channels: channels, outWidth: side, outHeight: side, sinks: [thumbnail]),
      parent.reducer(to: small, channels: channels, sinks: [placeholder]),
    ]
    if viewSize == fullSize {
      view = nil
    } else {
      let picture = PictureSink(try encoder(viewSize, options.quality), channels: channels)
      view = picture
      sinks = [fullSize.reducer(to: viewSize, channels: channels, sinks: [picture] + sinks)]
    }
    if isReduced {
      let picture = PictureSink(full, channels: channels)
      reduced = picture
      sinks = [decoded.reducer(to: fullSize, channels: channels, sinks: [picture] + sinks)]
    } else {
      reduced = nil
    }
    light = LightSource(shape, sinks: sinks)
  }

  /// Takes the next strip.
  func take(_ planes: tote_jpeg_planes, rows: Int) throws(PhotoRefusal) {
    if reduced == nil { try full.write(planes) }
    try light.take(planes, rows: rows)
  }

  /// Ends every picture, once all strips have come.
  func finish() throws(PhotoRefusal) -> ProcessedPhoto {
    let hash = ThumbHash(
      rgb: placeholder.rgb, width: placeholder.width, height: placeholder.height)
    return ProcessedPhoto(
      full: try full.finish(), view: try view?.finish(), thumbnail: try thumbnail.finish(),
      placeholder: hash.bytes, captured: nil, notes: [])
  }
}

/// Pixels of a picture.
private struct PixelSize: Equatable {
  var width: Int
  var height: Int

  /// The size with no side longer than `side`, and none of 0.
  func fitted(to side: Int?) -> PixelSize {
    guard let side = side.map({ max(1, $0) }), max(width, height) > side else { return self }
    let longer = max(width, height)
    return PixelSize(
      width: max(1, (width * side + longer / 2) / longer),
      height: max(1, (height * side + longer / 2) / longer))
  }

  func reducer(to size: PixelSize, channels: Int, sinks: [any LinearSink]) -> AreaReducer {
    AreaReducer(
      AreaReducer.Crop(width: width, height: height), channels: channels, outWidth: size.width,
      outHeight: size.height, sinks: sinks)
  }
}
