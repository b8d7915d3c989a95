import CJPEG

/// Makes what is stored of a photo from what was sent: the one way that an upload over HTTP, a file
/// from the command line and an import go, with the same verdict.
///
/// Nothing that was sent is kept. The picture is decoded within ``PhotoLimits``, turned upright,
/// converted to sRGB and encoded anew, so that only pixels survive: no place, camera, comment or
/// thumbnail, and nothing that hides in padding or behind the end.
public enum PhotoPipeline {
  /// Makes a photo from a JPEG file.
  ///
  /// It blocks for as long as the work takes, some 10 ms for each megapixel, and may run on
  /// several threads for several photos. Memory is a few rows of an upright photo; a turned one
  /// needs 1.5 bytes for each pixel, a progressive one 3 to 6.
  ///
  /// - Parameters:
  ///   - source: the file.
  ///   - options: sizes, limits, and what to do with damage.
  ///   - sink: takes the bytes of the full picture as they come, on the caller's thread; nil keeps
  ///     them in the result. What it throws becomes `.unwritable`. When the photo is refused, what
  ///     it has taken so far is no picture.
  /// - Returns: the pictures and what the sender should know.
  /// - Throws: why the file is refused.
  public static func process(
    _ source: PhotoSource, _ options: PhotoOptions = PhotoOptions(),
    writingFullTo sink: ((UnsafeRawBufferPointer) throws -> Void)? = nil
  ) throws(PhotoRefusal) -> ProcessedPhoto {
    guard let sink else {
      return try run(source, options) { (run) throws(PhotoRefusal) in try run.process() }
    }
    return try withoutActuallyEscaping(sink) { sink in
      Result { () throws(PhotoRefusal) in
        try run(source, options, sink: sink) { (run) throws(PhotoRefusal) in try run.process() }
      }
    }.get()
  }

  /// Opens a file within the limits, and works on it.
  static func run<Value>(
    _ source: PhotoSource, _ options: PhotoOptions, sink: PhotoEncoder.Sink? = nil,
    _ work: (consuming PhotoRun) throws(PhotoRefusal) -> Value
  ) throws(PhotoRefusal) -> Value {
    let deadline = monotonicNanoseconds() + options.limits.time.nanoseconds
    let length = try source.length()
    let structure = try inspect(source, length: length, options)
    guard tote_jpeg_load() == 0 else { throw .noLibrary(package: "libjpeg62-turbo") }
    let end = structure.decodedLength(of: length)
    func run(_ source: tote_jpeg_source) -> Result<Value, PhotoRefusal> {
      Result { () throws(PhotoRefusal) in
        try work(PhotoRun(source, structure, options, deadline: deadline, sink: sink))
      }
    }
    switch source {
    case .bytes(let bytes):
      return try bytes.withUnsafeBufferPointer {
        run(tote_jpeg_source(bytes: $0.baseAddress, descriptor: -1, end: end))
      }.get()
    case .file(let descriptor):
      return try run(tote_jpeg_source(bytes: nil, descriptor: descriptor, end: end)).get()
    }
  }

  /// Reads a file's outline and refuses what its headers already tell.
  private static func inspect(
    _ source: PhotoSource, length: Int, _ options: PhotoOptions
  ) throws(PhotoRefusal) -> JPEGStructure {
    let limits = options.limits
    guard length > 0 else { throw .empty }
    var window = SourceWindow(source, length: length)
    let head = try window.bytes(in: 0..<min(length, FileFormat.headLength))
    // Two bytes of a JPEG are one that was cut off.
    let format = head == [0xFF, 0xD8] ? .jpeg : FileFormat(head: head)
    guard format == .jpeg else { throw .notJPEG(format) }
    guard length <= limits.bytes else { throw .tooManyBytes(limit: limits.bytes) }
    let structure = try JPEGScanner.structure(
      of: source, length: length, maximumScans: limits.scans)
    let frame = structure.frame
    let pixels = frame.width * frame.height
    func tooMany(_ limit: Int) -> PhotoRefusal {
      .tooManyPixels(width: frame.width, height: frame.height, limit: limit)
    }
    guard pixels <= limits.pixels else { throw tooMany(limits.pixels) }
    if structure.isTooShortForItsPicture && options.damage != .anything {
      throw .truncated(
        missing: frame.blocks - structure.dataLength * 8, total: max(1, frame.blocks))
    }
    if structure.isBuffered || frame.isArithmetic {
      guard pixels <= limits.bufferedPixels else { throw tooMany(limits.bufferedPixels) }
    }
    return structure
  }
}

extension Duration {
  /// Whole nanoseconds; what is too long for them is some 290 years.
  fileprivate var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflow || whole > Int64.max / 2 ? Int64.max / 2 : whole + attoseconds / 1_000_000_000
  }
}
