import CJPEG
import Glibc

/// One run of libjpeg's decoder, with the verdict on damage.
///
/// Use from one thread at a time.
final class PhotoDecoder {
  let structure: JPEGStructure
  private(set) var info = tote_jpeg_info()
  private let decoder: OpaquePointer
  private let limits: PhotoLimits
  private let policy: DamagePolicy
  private let cancellation: Cancellation

  /// Reads the header.
  ///
  /// The source's bytes must stay where they are while the decoder lives. `memory` is in bytes,
  /// `deadline` in nanoseconds of the monotonic clock.
  init(
    _ source: tote_jpeg_source, structure: JPEGStructure, options: PhotoOptions, memory: Int,
    deadline: Int64
  ) throws(PhotoRefusal) {
    self.structure = structure
    limits = options.limits
    policy = options.damage
    cancellation = Cancellation(options.isCancelled)
    var source = source
    var limits = tote_jpeg_limits(
      memory: memory, scans: Int32(clamping: options.limits.scans), deadline: deadline,
      is_cancelled: { context in
        guard let context else { return 0 }
        return Unmanaged<Cancellation>.fromOpaque(context).takeUnretainedValue().isSet ? 1 : 0
      }, context: Unmanaged.passUnretained(cancellation).toOpaque())
    guard let decoder = tote_jpeg_decoder_new(&source, &limits) else {
      throw .tooMuchMemory(limit: options.limits.memory)
    }
    self.decoder = decoder
    try check(tote_jpeg_read_header(decoder, &info))
    // What was checked is what gets decoded.
    guard info.width == structure.frame.width, info.height == structure.frame.height,
      info.components == structure.frame.components.count
    else { throw .corrupt("two frame headers") }
  }

  deinit { tote_jpeg_decoder_free(decoder) }

  var width: Int { Int(info.width) }
  var height: Int { Int(info.height) }

  /// Starts decoding to planes; with several scans this reads them all.
  func startPlanes() throws(PhotoRefusal) {
    try check(tote_jpeg_start_planes(decoder))
    try judge()
  }

  /// Starts decoding to rows of pixels.
  func startRows(_ colours: tote_jpeg_colours) throws(PhotoRefusal) {
    try check(tote_jpeg_start_rows(decoder, colours))
    try judge()
  }

  /// Decodes a row of blocks.
  ///
  /// - Returns: how many rows of the picture it has, 0 after the last.
  func readPlanes(_ planes: tote_jpeg_planes) throws(PhotoRefusal) -> Int {
    var planes = planes
    var rows: Int32 = 0
    try check(tote_jpeg_read_planes(decoder, &planes, &rows))
    try judge()
    return Int(rows)
  }

  /// Decodes up to `count` rows of pixels.
  ///
  /// - Returns: how many, 0 after the last.
  func readRows(
    _ base: UnsafeMutablePointer<UInt8>, stride: Int, count: Int
  ) throws(PhotoRefusal) -> Int {
    var rows: Int32 = 0
    try check(tote_jpeg_read_rows(decoder, base, stride, Int32(count), &rows))
    try judge()
    return Int(rows)
  }

  private func check(_ status: tote_jpeg_status) throws(PhotoRefusal) {
    try status.check(limits)
  }
}

// MARK: - Damage

extension PhotoDecoder {
  /// Judges the whole picture, once all rows are read.
  ///
  /// - Returns: notes on damage.
  func finish() throws(PhotoRefusal) -> [PhotoNote] {
    let damage = tote_jpeg_decoder_damage(decoder)
    var notes: [PhotoNote] = []
    if isMissingPixels(damage) {
      notes.append(.missingPixels)
    } else if !structure.hasEOI && damage.missing == 0 {
      notes.append(.noEOI)
    }
    if damage.warnings > 0 || damage.incompleteness > 0 || hasUnreadData {
      if policy == .strict { throw .damaged }
      notes.append(.damaged)
    }
    return notes
  }

  /// All rows were made from less data than there is.
  ///
  /// Data that is read wrongly from some place on can end early without one wrong code. With
  /// several scans libjpeg warns of this itself.
  private var hasUnreadData: Bool {
    guard !structure.isBuffered else { return false }
    let unread = structure.end - tote_jpeg_decoder_position(decoder)
    return unread > max(64, structure.dataLength / 1000)
  }

  /// Refuses what the policy does not allow.
  private func judge() throws(PhotoRefusal) {
    guard policy != .anything else { return }
    let damage = tote_jpeg_decoder_damage(decoder)
    if isMissingPixels(damage) {
      // A marker other than EOI amid the data is no cut but a fault.
      let isFault = damage.missing > 0 && !damage.ran_out.isTrue && !structure.hasEOI
      if isFault && !structure.isBuffered { throw .damaged }
      throw .truncated(
        missing: damage.missing > 0 ? Int(damage.missing) : Int(TOTE_JPEG_WHOLE),
        total: Int(TOTE_JPEG_WHOLE))
    }
    if policy == .strict && (damage.warnings > 0 || damage.incompleteness > 0) { throw .damaged }
  }

  /// Tells missing pixels from damage that was got over.
  ///
  /// A wrong bit mostly costs some blocks at the end of the data, since those after it were read
  /// in the wrong places: up to an eighth of the picture, or one row of blocks, counts as damage.
  private func isMissingPixels(_ damage: tote_jpeg_damage) -> Bool {
    if structure.componentsSeen.count < structure.frame.components.count { return true }
    // libjpeg does not say when arithmetic-coded data ends early.
    if structure.frame.isArithmetic && !structure.hasEOI { return true }
    if damage.incompleteness == 2 { return true }
    // Detail that was never sent is no loss, unless the file ends before it, or amid a scan.
    if damage.incompleteness == 1 && (!structure.hasEOI || damage.early_ends > 0) { return true }
    guard damage.missing > 0 else { return false }
    return damage.ran_out.isTrue
      || damage.missing > max(TOTE_JPEG_WHOLE / 8, TOTE_JPEG_WHOLE / max(1, damage.rows))
  }
}

extension Int32 {
  /// C's truth.
  fileprivate var isTrue: Bool { self != 0 }
}

extension tote_jpeg_status {
  /// Throws the refusal that a status stands for.
  func check(_ limits: PhotoLimits) throws(PhotoRefusal) {
    switch self {
    case TOTE_JPEG_OK: return
    case TOTE_JPEG_CORRUPT: throw .corrupt("its data breaks the rules of the format")
    case TOTE_JPEG_UNSUPPORTED: throw .unsupported("its size or sampling")
    case TOTE_JPEG_MEMORY: throw .tooMuchMemory(limit: limits.memory)
    case TOTE_JPEG_SCANS: throw .tooManyScans(limit: limits.scans)
    case TOTE_JPEG_DEADLINE: throw .tooSlow(limit: limits.time)
    case TOTE_JPEG_CANCELLED: throw .cancelled
    case TOTE_JPEG_READ: throw .unreadable(errno)
    case TOTE_JPEG_WRITE: throw .unwritable(0)
    default: throw .corrupt("its data breaks the rules of the format")
    }
  }
}

/// The caller's wish to stop, as an object that C can point to.
private final class Cancellation {
  private let body: (@Sendable () -> Bool)?

  init(_ body: (@Sendable () -> Bool)?) { self.body = body }

  var isSet: Bool { body?() ?? false }
}

/// Nanoseconds of a clock that only goes forward.
func monotonicNanoseconds() -> Int64 {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}
