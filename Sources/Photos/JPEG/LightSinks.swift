import CJPEG

/// Turns strips into rows of linear light.
final class LightSource {
  private let shape: StripShape
  private let linear: Int16Buffer
  private let sinks: [any LinearSink]

  /// Rows at a time: few, so that they are still in the processor's cache when they are averaged.
  private static let rows = 4

  init(_ shape: StripShape, sinks: [any LinearSink]) {
    self.shape = shape
    self.sinks = sinks
    linear = Int16Buffer(shape.channels * Self.rows * shape.stride)
  }

  func take(_ planes: tote_jpeg_planes, rows: Int) throws(PhotoRefusal) {
    guard !sinks.isEmpty else { return }
    for first in stride(from: 0, to: rows, by: Self.rows) {
      let count = min(Self.rows, rows - first)
      for row in 0..<count { convert(planes, row: first + row, to: row) }
      let bases = (0..<shape.channels).map {
        UnsafePointer(linear.base + $0 * Self.rows * shape.stride)
      }
      let result = LinearRows(planes: bases, stride: shape.stride, count: count)
      for sink in sinks { try sink.take(result) }
    }
  }

  private func convert(_ planes: tote_jpeg_planes, row: Int, to target: Int) {
    guard let luma = planes.base.0 else { return }
    let y = luma + row * shape.stride
    let out = linear.base + target * shape.stride
    let plane = Self.rows * shape.stride
    if let cb = planes.base.1, let cr = planes.base.2 {
      let chroma = row / 2 * shape.chromaStride
      tote_linear_from_ycc(
        y, cb + chroma, cr + chroma, out, out + plane, out + 2 * plane, shape.stride)
    } else {
      tote_linear_from_grey(y, out, shape.stride)
    }
  }
}

/// Encodes a reduced picture.
final class PictureSink: LinearSink {
  private let encoder: PhotoEncoder
  private let channels: Int
  private let bytes: UInt8Buffer
  private var rows = 0

  init(_ encoder: PhotoEncoder, channels: Int) {
    self.encoder = encoder
    self.channels = channels
    bytes = UInt8Buffer(channels * StripShape.rows * encoder.width)
  }

  func take(_ linear: LinearRows) throws(PhotoRefusal) {
    let width = encoder.width
    for row in 0..<linear.count {
      linear.level(row, width: width, into: bytes.base + row * channels * width)
    }
    rows += linear.count
    try encoder.write(bytes.base, stride: channels * width, count: linear.count)
  }

  func finish() throws(PhotoRefusal) -> EncodedPicture { try encoder.finish() }
}

/// Keeps the pixels of a small picture, for the placeholder.
final class PixelSink: LinearSink {
  let width: Int
  let height: Int
  private(set) var rgb: [UInt8] = []

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  func take(_ linear: LinearRows) throws(PhotoRefusal) {
    let isGrey = linear.planes.count == 1
    let row = UInt8Buffer(3 * width)
    for index in 0..<linear.count {
      linear.level(index, width: width, into: row.base)
      for byte in 0..<3 * width { rgb.append(row.base[isGrey ? byte / 3 : byte]) }
    }
  }
}

extension LinearRows {
  /// Writes a row as sRGB: grey, or red, green and blue side by side.
  fileprivate func level(_ row: Int, width: Int, into bytes: UnsafeMutablePointer<UInt8>) {
    let offset = row * stride
    if planes.count == 1 {
      tote_grey_from_linear(planes[0] + offset, bytes, width)
    } else {
      tote_rgb_from_linear(
        planes[0] + offset, planes[1] + offset, planes[2] + offset, bytes, width)
    }
  }
}
