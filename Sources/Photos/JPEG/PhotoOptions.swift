/// What one photo may cost.
public struct PhotoLimits: Sendable, Equatable {
  /// Bytes of the file.
  public var bytes = 64_000_000
  /// Pixels of a picture.
  public var pixels = 100_000_000
  /// Pixels of a picture that is progressive, arithmetic-coded or in several scans: these need all
  /// their coefficients in memory, or far more time.
  public var bufferedPixels = 50_000_000
  /// Scans that the picture comes in.
  public var scans = 100
  /// Bytes of memory for decoding, turning and encoding, beside the file itself and the result.
  public var memory = 400_000_000
  /// Time for one photo, by the clock.
  public var time = Duration.seconds(30)

  /// The limits that fit what cameras and phones make.
  public init() {}
}

/// What to do with damaged data.
public enum DamagePolicy: Sendable {
  /// Refuse what is damaged in any way.
  case strict
  /// Take what could be repaired, with the note ``PhotoNote/damaged``; refuse missing pixels.
  case recoverable
  /// Take whatever can be decoded, even with pixels missing.
  case anything
}

/// How a photo is made.
public struct PhotoOptions: Sendable {
  /// What it may cost.
  public var limits = PhotoLimits()
  /// What to do with damage.
  public var damage = DamagePolicy.recoverable
  /// The longer side of the full picture, in pixels; nil keeps its size.
  public var maximumSide: Int?
  /// The longer side of the view, in pixels.
  public var viewSide = 1600
  /// The side of the square thumbnail, in pixels.
  public var thumbnailSide = 320
  /// JPEG quality of the full picture and of the view, 1 to 100.
  public var quality = 85
  /// JPEG quality of the thumbnail.
  public var thumbnailQuality = 82
  /// Whether to report when the photo was taken.
  ///
  /// Nothing else of the metadata is ever read.
  public var wantsCaptureTime = false
  /// Whether the decoder gets a thread of its own: faster for one photo, not for many at once.
  public var usesTwoThreads = false
  /// Asked now and then, from any thread; true ends the work.
  public var isCancelled: (@Sendable () -> Bool)?

  /// The options of an ordinary upload.
  public init() {}
}
