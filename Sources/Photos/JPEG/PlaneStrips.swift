import CJPEG

/// Strips from a picture whose planes can be taken as they are stored, or halved.
///
/// These are grey, and YCbCr in 4:2:0, 4:2:2, 4:4:0 and 4:4:4; no sample goes through RGB.
final class PlaneStrips: StripProducer {
  let shape: StripShape
  private let decoder: PhotoDecoder
  /// Rows of Y in a row of blocks: 8 or 16.
  private let blockRows: Int
  private let halvesColumns: Bool
  private let halvesRows: Bool
  /// Chroma as it is stored, when it must be halved: two planes of 16 rows.
  private let scratch: [UInt8Buffer]
  private let table: [UInt8]?

  /// Starts decoding; nil when the picture is of another kind.
  ///
  /// `greyTable` says what each level of a grey picture becomes.
  init?(_ decoder: PhotoDecoder, greyTable: [UInt8]? = nil) throws(PhotoRefusal) {
    let info = decoder.info
    let isGrey = info.colours == TOTE_JPEG_GREY
    guard isGrey || info.colours == TOTE_JPEG_YCC else { return nil }
    self.decoder = decoder
    table = greyTable
    shape = StripShape(width: decoder.width, height: decoder.height, isGrey: isGrey)
    blockRows = 8 * Int(info.vertical.0)
    guard blockRows <= StripShape.rows else { return nil }
    if isGrey {
      (halvesColumns, halvesRows) = (false, false)
    } else {
      let horizontal = info.horizontal
      let vertical = info.vertical
      guard horizontal.1 == horizontal.2, vertical.1 == vertical.2,
        [1, 2].contains(where: { horizontal.0 == $0 * horizontal.1 }),
        [1, 2].contains(where: { vertical.0 == $0 * vertical.1 })
      else { return nil }
      halvesColumns = horizontal.0 == horizontal.1
      halvesRows = vertical.0 == vertical.1
    }
    let needsScratch = halvesColumns || halvesRows
    let size = StripShape.rows * shape.stride
    scratch = needsScratch ? (0..<2).map { _ in UInt8Buffer(size) } : []
    try decoder.startPlanes()
  }

  func next(into planes: tote_jpeg_planes) throws(PhotoRefusal) -> Int {
    var rows = 0
    while rows < StripShape.rows {
      var target = planes
      target.base.0 = planes.base.0.map { $0 + rows * shape.stride }
      if !scratch.isEmpty {
        let offset = (halvesRows ? rows : rows / 2) * chromaStride
        target.base.1 = scratch[0].base + offset
        target.base.2 = scratch[1].base + offset
        target.stride.1 = chromaStride
        target.stride.2 = chromaStride
      } else if rows > 0 {
        target.base.1 = planes.base.1.map { $0 + rows / 2 * shape.chromaStride }
        target.base.2 = planes.base.2.map { $0 + rows / 2 * shape.chromaStride }
      }
      let count = try decoder.readPlanes(target)
      rows += count
      if count < blockRows { break }
    }
    guard rows > 0 else { return 0 }
    if !scratch.isEmpty {
      halve(scratch[0].base, into: planes.base.1, rows: rows)
      halve(scratch[1].base, into: planes.base.2, rows: rows)
    }
    if let table, let luma = planes.base.0 { tote_map_bytes(luma, table, rows * shape.stride) }
    shape.continueEdges(of: planes, rows: rows)
    return rows
  }

  /// Bytes from a row of stored chroma to the next.
  private var chromaStride: Int { halvesColumns ? shape.stride : shape.chromaStride }

  private func halve(
    _ stored: UnsafeMutablePointer<UInt8>, into chroma: UnsafeMutablePointer<UInt8>?, rows: Int
  ) {
    guard let chroma else { return }
    let width = halvesColumns ? shape.width : shape.chromaWidth
    let storedRows = halvesRows ? rows : (rows + 1) / 2
    // An odd column or row is averaged with itself.
    continueEdges(
      stored, stride: chromaStride, width: width, rows: storedRows,
      of: halvesRows ? (rows + 1) & ~1 : storedRows)
    let step = halvesRows ? 2 * chromaStride : chromaStride
    for row in 0..<(rows + 1) / 2 {
      let from = stored + row * step
      let out = chroma + row * shape.chromaStride
      switch (halvesColumns, halvesRows) {
      case (true, true):
        tote_average_squares(from, from + chromaStride, out, shape.chromaStride)
      case (true, false): tote_average_two_columns(from, out, shape.chromaStride)
      case (false, _): tote_average_two_rows(from, from + chromaStride, out, shape.chromaStride)
      }
    }
  }
}

/// Bytes that stay where they are.
final class UInt8Buffer {
  let base: UnsafeMutablePointer<UInt8>

  /// Takes memory, all 0, and a little more than asked for: loops read whole groups.
  init(_ count: Int) {
    base = .allocate(capacity: count + 64)
    base.initialize(repeating: 0, count: count + 64)
  }

  deinit { base.deallocate() }
}
