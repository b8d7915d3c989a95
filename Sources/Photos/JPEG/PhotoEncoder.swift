import CJPEG

/// Writes one baseline JPEG without metadata.
///
/// Use from one thread at a time.
final class PhotoEncoder {
  /// Takes encoded bytes as they come.
  typealias Sink = (UnsafeRawBufferPointer) throws -> Void

  let width: Int
  let height: Int
  private var encoder: OpaquePointer?
  private let limits: PhotoLimits
  private let sink: Sink?
  private var bytes: [UInt8] = []
  private var length = 0

  /// Starts a picture.
  ///
  /// `channels` is 1 for grey and 3 for colour. With `takesPlanes`, strips of YCbCr 4:2:0 come
  /// instead of rows of RGB. The bytes go to `sink`; without one they are kept.
  init(
    width: Int, height: Int, channels: Int, quality: Int, takesPlanes: Bool,
    limits: PhotoLimits, sink: Sink? = nil
  ) throws(PhotoRefusal) {
    self.width = width
    self.height = height
    self.limits = limits
    self.sink = sink
    var output = tote_jpeg_output(
      width: Int32(width), height: Int32(height), components: Int32(channels),
      quality: Int32(min(max(quality, 1), 100)), takes_planes: takesPlanes ? 1 : 0,
      memory: limits.memory,
      write: { context, bytes, count in
        guard let context, let bytes else { return -1 }
        let this = Unmanaged<PhotoEncoder>.fromOpaque(context).takeUnretainedValue()
        return this.take(UnsafeRawBufferPointer(start: bytes, count: count)) ? 0 : -1
      }, context: Unmanaged.passUnretained(self).toOpaque())
    encoder = tote_jpeg_encoder_new(&output)
    guard encoder != nil else { throw .tooMuchMemory(limit: limits.memory) }
    try tote_jpeg_encoder_start(encoder).check(limits)
  }

  deinit { tote_jpeg_encoder_free(encoder) }

  /// Encodes the next 16 rows, or those that are left.
  func write(_ planes: tote_jpeg_planes) throws(PhotoRefusal) {
    var planes = planes
    try tote_jpeg_write_planes(encoder, &planes).check(limits)
  }

  /// Encodes rows of RGB or grey.
  func write(_ rows: UnsafePointer<UInt8>, stride: Int, count: Int) throws(PhotoRefusal) {
    try tote_jpeg_write_rows(encoder, rows, stride, Int32(count)).check(limits)
  }

  /// Ends the picture once all rows are written.
  func finish() throws(PhotoRefusal) -> EncodedPicture {
    try tote_jpeg_encoder_finish(encoder).check(limits)
    return EncodedPicture(width: width, height: height, bytes: bytes, length: length)
  }

  private func take(_ encoded: UnsafeRawBufferPointer) -> Bool {
    length += encoded.count
    guard let sink else {
      bytes.append(contentsOf: encoded)
      return true
    }
    do {
      try sink(encoded)
      return true
    } catch {
      return false
    }
  }
}
