import CJPEG

/// Turns a picture upright.
///
/// It needs the whole picture first, in YCbCr 4:2:0: 1.5 bytes for each pixel.
final class TurnedStrips: StripProducer {
  let shape: StripShape
  private let source: any StripProducer
  private let orientation: Orientation
  private var picture: StripBuffer?
  private var strip = 0

  init(_ source: any StripProducer, _ orientation: Orientation) {
    self.source = source
    self.orientation = orientation
    let stored = source.shape
    shape = StripShape(
      width: orientation.swapsSides ? stored.height : stored.width,
      height: orientation.swapsSides ? stored.width : stored.height, isGrey: stored.isGrey)
  }

  func next(into planes: tote_jpeg_planes) throws(PhotoRefusal) -> Int {
    let picture = try decodedPicture()
    let first = strip * StripShape.rows
    let rows = min(StripShape.rows, shape.height - first)
    guard rows > 0 else { return 0 }
    strip += 1
    let stored = source.shape
    let from = picture.planes()
    turn(
      from.base.0, stride: stored.stride, storedWidth: stored.width, storedHeight: stored.height,
      into: planes.base.0, outStride: shape.stride, width: shape.width, rows: first..<first + rows)
    if !shape.isGrey {
      let half = first / 2..<first / 2 + (rows + 1) / 2
      for (from, to) in [(from.base.1, planes.base.1), (from.base.2, planes.base.2)] {
        turn(
          from, stride: stored.chromaStride, storedWidth: stored.chromaWidth,
          storedHeight: stored.chromaHeight, into: to, outStride: shape.chromaStride,
          width: shape.chromaWidth, rows: half)
      }
    }
    shape.continueEdges(of: planes, rows: rows)
    return rows
  }

  /// Decodes the whole picture at the first call.
  private func decodedPicture() throws(PhotoRefusal) -> StripBuffer {
    if let picture { return picture }
    let made = try StripBuffer(source.shape, strips: source.shape.strips)
    for strip in 0..<source.shape.strips {
      guard try source.next(into: made.planes(strip)) > 0 else { break }
    }
    shiftChroma(of: made)
    picture = made
    return made
  }

  /// Turns some rows of a plane.
  private func turn(
    _ plane: UnsafeMutablePointer<UInt8>?, stride: Int, storedWidth: Int, storedHeight: Int,
    into out: UnsafeMutablePointer<UInt8>?, outStride: Int, width: Int, rows: Range<Int>
  ) {
    guard let plane, let out else { return }
    let swaps = orientation.swapsSides
    // Where the upright picture's first pixel is stored, and the ways along its rows and columns.
    let columnStep = (swaps ? stride : 1) * (orientation.reversesColumns ? -1 : 1)
    let rowStep = (swaps ? 1 : stride) * (orientation.reversesRows ? -1 : 1)
    let lastColumn = orientation.reversesColumns ? (swaps ? storedHeight : storedWidth) - 1 : 0
    let lastRow = orientation.reversesRows ? (swaps ? storedWidth : storedHeight) - 1 : 0
    let origin = plane + lastColumn * abs(columnStep) + lastRow * abs(rowStep)
    tote_turn(
      origin + rows.lowerBound * rowStep, rowStep, columnStep, out, outStride, width, rows.count)
  }

  // MARK: - Odd sizes

  /// Where an axis of odd length is reversed, each chroma sample would come to lie over another
  /// pair of pixels than it was taken from; so it becomes the mean of the two that it lies over.
  private func shiftChroma(of picture: StripBuffer) {
    let stored = source.shape
    guard !stored.isGrey else { return }
    let swaps = orientation.swapsSides
    let (columns, rows) = (orientation.reversesColumns, orientation.reversesRows)
    let planes = picture.planes()
    for plane in [planes.base.1, planes.base.2] {
      guard let plane else { continue }
      if (swaps ? rows : columns) && stored.width % 2 == 1 {
        stored.shiftChromaColumns(plane, rows: stored.chromaHeight)
      }
      if (swaps ? columns : rows) && stored.height % 2 == 1 { shiftRows(plane, stored) }
    }
  }

  private func shiftRows(_ plane: UnsafeMutablePointer<UInt8>, _ shape: StripShape) {
    for row in Swift.stride(from: shape.chromaHeight - 1, to: 0, by: -1) {
      let row = plane + row * shape.chromaStride
      tote_average_two_rows(row, row - shape.chromaStride, row, shape.chromaWidth)
    }
  }
}

/// Mirrors a picture left to right, a strip at a time.
final class MirroredStrips: StripProducer {
  let shape: StripShape
  private let source: any StripProducer
  private let buffer: StripBuffer

  init(_ source: any StripProducer) throws(PhotoRefusal) {
    self.source = source
    shape = source.shape
    buffer = try StripBuffer(source.shape)
  }

  func next(into planes: tote_jpeg_planes) throws(PhotoRefusal) -> Int {
    let from = buffer.planes()
    let rows = try source.next(into: from)
    guard rows > 0 else { return 0 }
    mirror(from.base.0, into: planes.base.0, width: shape.width, stride: shape.stride, rows: rows)
    if !shape.isGrey {
      for (from, to) in [(from.base.1, planes.base.1), (from.base.2, planes.base.2)] {
        guard let from else { continue }
        if shape.width % 2 == 1 { shape.shiftChromaColumns(from, rows: (rows + 1) / 2) }
        mirror(
          from, into: to, width: shape.chromaWidth, stride: shape.chromaStride,
          rows: (rows + 1) / 2)
      }
    }
    shape.continueEdges(of: planes, rows: rows)
    return rows
  }

  private func mirror(
    _ from: UnsafeMutablePointer<UInt8>?, into to: UnsafeMutablePointer<UInt8>?, width: Int,
    stride: Int, rows: Int
  ) {
    guard let from, let to else { return }
    tote_turn(from + width - 1, stride, -1, to, stride, width, rows)
  }
}

extension StripShape {
  /// Moves chroma by half a sample to the left, for a mirrored picture of odd width.
  fileprivate func shiftChromaColumns(_ plane: UnsafeMutablePointer<UInt8>, rows: Int) {
    for row in 0..<rows {
      let row = plane + row * chromaStride
      for column in Swift.stride(from: chromaWidth - 1, to: 0, by: -1) {
        row[column] = UInt8((Int(row[column]) + Int(row[column - 1]) + 1) / 2)
      }
    }
  }
}
