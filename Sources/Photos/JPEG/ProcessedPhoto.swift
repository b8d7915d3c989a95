/// Something the sender of an accepted photo should know.
public enum PhotoNote: String, Sendable, CaseIterable {
  /// The file lacks its end mark; all pixels are there.
  case noEOI = "no_eoi"
  /// Some data was damaged; the picture may show it.
  case damaged
  /// Part of the picture is missing. Only with ``DamagePolicy/anything``.
  case missingPixels = "missing_pixels"
  /// Further pictures in the file (a gain map, a depth map, a second view) were dropped.
  case extraPicturesDropped = "extra_pictures_dropped"
  /// Other data after the picture, such as a short film, was dropped.
  case trailingDataDropped = "trailing_data_dropped"
  /// The colour profile was not usable; the colours were taken as sRGB.
  case profileIgnored = "profile_ignored"
  /// The picture was made smaller.
  case reduced
}

/// One JPEG that was written.
public struct EncodedPicture: Sendable, Equatable {
  /// Pixels from left to right.
  public var width: Int
  /// Pixels from top to bottom.
  public var height: Int
  /// The JPEG: baseline, with no metadata.
  ///
  /// Empty when the bytes went to a receiver.
  public var bytes: [UInt8]
  /// The number of bytes, also of those that went to a receiver.
  public var length: Int
}

/// What came of an accepted file.
public struct ProcessedPhoto: Sendable, Equatable {
  /// The picture, upright and in sRGB.
  public var full: EncodedPicture
  /// A smaller one for screens; nil when the full picture is no larger than that.
  public var view: EncodedPicture?
  /// The middle square, small.
  public var thumbnail: EncodedPicture
  /// A ThumbHash of the whole picture: about 25 bytes to show while loading.
  public var placeholder: [UInt8]
  /// When the photo was taken, if that was asked for and is known.
  public var captured: CaptureTime?
  /// What the sender should know, in the order of ``PhotoNote``.
  public var notes: [PhotoNote]
}
