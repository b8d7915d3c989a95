import CJPEG

/// One photo's way through the pipeline.
struct PhotoRun {
  private let structure: JPEGStructure
  private let options: PhotoOptions
  private let deadline: Int64
  private let sink: PhotoEncoder.Sink?
  private let decoder: PhotoDecoder
  private let exif: ExifReader?
  private var notes: Set<PhotoNote> = []

  init(
    _ source: tote_jpeg_source, _ structure: JPEGStructure, _ options: PhotoOptions,
    deadline: Int64, sink: PhotoEncoder.Sink?
  ) throws(PhotoRefusal) {
    self.structure = structure
    self.options = options
    self.deadline = deadline
    self.sink = sink
    exif = structure.exif.flatMap(ExifReader.init)
    // A turned picture is held as a whole beside what libjpeg holds.
    let orientation = exif?.orientation ?? .upright
    let shape = StripShape(
      width: structure.frame.width, height: structure.frame.height, isGrey: false)
    let turned =
      orientation == .upright || orientation == .mirrored
      ? 0 : StripBuffer.bytes(shape, strips: shape.strips)
    let memory = options.limits.memory - turned
    guard memory > 0, structure.coefficientBytes < memory else {
      throw .tooMuchMemory(limit: options.limits.memory)
    }
    decoder = try PhotoDecoder(
      source, structure: structure, options: options, memory: memory, deadline: deadline)
  }

  consuming func process() throws(PhotoRefusal) -> ProcessedPhoto {
    let producer = try producer()
    let shape = producer.shape
    let outputs = try PhotoOutputs(shape, options, sink: sink)
    try forEachStrip(of: producer) { (planes, rows) throws(PhotoRefusal) in
      try outputs.take(planes, rows: rows)
    }
    notes.formUnion(try decoder.finish())
    var photo = try outputs.finish()
    photo.captured = options.wantsCaptureTime ? exif?.captureTime : nil
    if photo.full.width < shape.width || photo.full.height < shape.height { notes.insert(.reduced) }
    if structure.hasExtraPictures {
      notes.insert(.extraPicturesDropped)
    } else if structure.trailing > 0 {
      notes.insert(.trailingDataDropped)
    }
    photo.notes = PhotoNote.allCases.filter(notes.contains)
    return photo
  }

  /// Makes a small picture and nothing else; `size` says how large, from the upright picture's size.
  consuming func preview(
    _ size: (_ width: Int, _ height: Int) -> (width: Int, height: Int)
  ) throws(PhotoRefusal) -> PhotoPreview {
    let producer = try producer()
    let shape = producer.shape
    let wanted = size(shape.width, shape.height)
    let pixels = PixelSink(
      width: min(max(1, wanted.width), shape.width),
      height: min(max(1, wanted.height), shape.height))
    let reducer = AreaReducer(
      AreaReducer.Crop(width: shape.width, height: shape.height), channels: shape.channels,
      outWidth: pixels.width, outHeight: pixels.height, sinks: [pixels])
    let light = LightSource(shape, sinks: [reducer])
    try forEachStrip(of: producer) { (planes, rows) throws(PhotoRefusal) in
      try light.take(planes, rows: rows)
    }
    _ = try decoder.finish()
    return PhotoPreview(width: pixels.width, height: pixels.height, rgb: pixels.rgb)
  }

  private func forEachStrip(
    of producer: any StripProducer, _ body: (tote_jpeg_planes, Int) throws(PhotoRefusal) -> Void
  ) throws(PhotoRefusal) {
    if options.usesTwoThreads {
      try StripRing(producer).forEach { (planes, rows) throws(PhotoRefusal) in
        try checkLimits()
        try body(planes, rows)
      }
      return
    }
    let strip = try StripBuffer(producer.shape)
    let planes = strip.planes()
    while case let rows = try producer.next(into: planes), rows > 0 {
      try checkLimits()
      try body(planes, rows)
    }
  }

  /// The decoder looks at the clock too; this is for what comes after it.
  private func checkLimits() throws(PhotoRefusal) {
    guard monotonicNanoseconds() <= deadline else { throw .tooSlow(limit: options.limits.time) }
    if let isCancelled = options.isCancelled, isCancelled() { throw .cancelled }
  }

  // MARK: - Decoding

  private mutating func producer() throws(PhotoRefusal) -> any StripProducer {
    let stored = try storedStrips()
    switch exif?.orientation ?? .upright {
    case .upright: return stored
    case .mirrored: return try MirroredStrips(stored)
    case let orientation: return TurnedStrips(stored, orientation)
    }
  }

  private mutating func storedStrips() throws(PhotoRefusal) -> any StripProducer {
    let profile = try profile()
    switch (decoder.info.colours, profile) {
    case (TOTE_JPEG_GREY, let profile?):
      if let strips = try PlaneStrips(decoder, greyTable: profile.greyTable) { return strips }
      return try PixelStrips(decoder, profile: nil)
    case (_, nil):
      if let strips = try PlaneStrips(decoder) { return strips }
      return try PixelStrips(decoder, profile: nil)
    case (_, let profile?): return try PixelStrips(decoder, profile: profile)
    }
  }

  /// The conversion that the picture's profile asks for.
  private mutating func profile() throws(PhotoRefusal) -> ColourProfile? {
    if structure.hasBrokenProfile { notes.insert(.profileIgnored) }
    guard let bytes = structure.profile, let input else { return nil }
    switch try ColourProfile.read(bytes, for: input) {
    case .conversion(let profile): return profile
    case .standard: return nil
    case .unusable:
      notes.insert(.profileIgnored)
      return nil
    }
  }

  private var input: tote_colour_input? {
    switch decoder.info.colours {
    case TOTE_JPEG_GREY: TOTE_COLOUR_GREY
    case TOTE_JPEG_RGB, TOTE_JPEG_YCC: TOTE_COLOUR_RGB
    case TOTE_JPEG_CMYK:
      decoder.info.saw_adobe_marker != 0 ? TOTE_COLOUR_CMYK_INVERTED : TOTE_COLOUR_CMYK
    default: nil
    }
  }
}
