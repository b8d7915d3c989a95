/// The outline of a JPEG file, found before anything is decoded.
struct JPEGStructure {
  /// From the frame header.
  struct Frame {
    var width = 0
    var height = 0
    var isProgressive = false
    var isArithmetic = false
    var components: [Component] = []

    struct Component {
      var id: UInt8
      var horizontal: Int
      var vertical: Int
    }

    /// Blocks of 8 × 8 samples, of all components.
    var blocks: Int {
      let widest = components.map(\.horizontal).max() ?? 1
      let tallest = components.map(\.vertical).max() ?? 1
      return components.reduce(0) { sum, component in
        let across = (width * component.horizontal + 8 * widest - 1) / (8 * widest)
        let down = (height * component.vertical + 8 * tallest - 1) / (8 * tallest)
        return sum + across * down
      }
    }
  }

  var frame = Frame()
  var scans = 0
  /// Progressive, or its components come in several scans: decoding needs all coefficients.
  var isBuffered = false
  /// Components that a scan brings at least coarsely.
  var componentsSeen: Set<UInt8> = []
  /// Bytes of entropy-coded data.
  var dataLength = 0
  /// Where the picture ends: behind its last scan's data, before what follows.
  var end = 0
  /// An EOI marker is at `end`.
  var hasEOI = false
  /// Bytes of the file behind the picture and its EOI.
  var trailing = 0
  /// A second picture is announced, or follows.
  var hasExtraPictures = false
  /// The first Exif block, without its name.
  var exif: [UInt8]?
  /// The colour profile, put together; nil when there is none.
  var profile: [UInt8]?
  /// A profile was there, but not all of it, or too large.
  var hasBrokenProfile = false
  /// Adobe's marker was there.
  var hasAdobeMarker = false
}

extension JPEGStructure {
  /// How much of the file the decoder is given.
  ///
  /// It stops by itself behind the only scan; with
  /// several scans it would take what follows the picture for another one.
  func decodedLength(of length: Int) -> Int { isBuffered ? end + (hasEOI ? 2 : 0) : length }

  /// Bytes of memory for all coefficients, which are of 16 bits.
  var coefficientBytes: Int { isBuffered ? frame.blocks * 128 : 0 }

  /// There are fewer bits than the picture's blocks cost at least.
  ///
  /// Each costs a code for its first coefficient, and in a sequential file one for its end. So a
  /// small file that claims a huge picture is told before memory is taken for it.
  var isTooShortForItsPicture: Bool {
    guard !frame.isArithmetic else { return false }
    return dataLength * 8 < frame.blocks * (frame.isProgressive ? 1 : 2)
  }
}
