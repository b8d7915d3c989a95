import CJPEG

/// Makes a picture smaller: each new pixel is the average of the area it covers, in linear light.
///
/// It takes rows as they come and hands reduced ones on, eight at a time. Only the rows of one
/// output row and of eight reduced ones are in memory.
final class AreaReducer: LinearSink {
  /// The part of the source that is reduced.
  struct Crop {
    var left = 0
    var top = 0
    var width: Int
    var height: Int
  }

  private let crop: Crop
  private let channels: Int
  private let outWidth: Int
  private let rows: AreaWeights
  private let sinks: [any LinearSink]
  /// Sums of the output row that is being made, for each channel.
  private let sums: UnsafeMutablePointer<Int32>
  private let sumStride: Int
  /// Output rows of full width, eight for each channel.
  private let tall: Int16Buffer
  private let reduced: Int16Buffer
  private let scratch: Int16Buffer
  private let columns: (first: [Int32], pairs: [Int32], weights: [Int16])
  /// The next source row, counted from the source's top.
  private var line = 0
  private var output = 0
  private var filled = 0
  private var pending: [(offset: Int, weight: Int16)] = []

  private static let batch = 8

  /// Makes a reducer; no side of the result may be longer than that of the crop.
  init(
    _ crop: Crop, channels: Int, outWidth: Int, outHeight: Int, sinks: [any LinearSink]
  ) {
    precondition(outWidth <= crop.width && outHeight <= crop.height, "pictures only get smaller")
    self.crop = crop
    self.channels = channels
    self.outWidth = outWidth
    self.sinks = sinks
    rows = AreaWeights(count: crop.height, outputs: outHeight)
    columns = AreaWeights(count: crop.width, outputs: outWidth).columns()
    sumStride = (crop.width + 15) & ~7
    sums = .allocate(capacity: channels * sumStride)
    sums.initialize(repeating: 0, count: channels * sumStride)
    tall = Int16Buffer(channels * Self.batch * sumStride)
    reduced = Int16Buffer(channels * Self.batch * Self.stride(outWidth))
    scratch = Int16Buffer(Self.batch * (crop.width + 16))
  }

  deinit { sums.deallocate() }

  func take(_ source: LinearRows) throws(PhotoRefusal) {
    for row in 0..<source.count {
      let inside = line - crop.top
      line += 1
      guard inside >= 0, inside < rows.count else { continue }
      let share = rows.share(of: inside)
      let offset = row * source.stride + crop.left
      if share.here > 0 { pending.append((offset, Int16(share.here))) }
      if rows.ends(at: inside, output) {
        try endOutput(source)
        if share.next > 0 { pending.append((offset, Int16(share.next))) }
      }
    }
    // The rows' memory is the caller's; what is left of them is in the sums.
    addPending(source)
  }

  private func addPending(_ source: LinearRows) {
    guard !pending.isEmpty else { return }
    let weights = pending.map(\.weight)
    for channel in 0..<channels {
      let plane = source.planes[channel]
      var pointers: [UnsafePointer<Int16>?] = pending.map { plane + $0.offset }
      tote_add_rows(
        &pointers, weights, Int32(weights.count), sums + channel * sumStride, crop.width)
    }
    pending.removeAll(keepingCapacity: true)
  }

  private func endOutput(_ source: LinearRows) throws(PhotoRefusal) {
    addPending(source)
    for channel in 0..<channels {
      let row = tall.base + (channel * Self.batch + filled) * sumStride
      tote_take_sums(sums + channel * sumStride, row, crop.width)
    }
    filled += 1
    output += 1
    if filled == Self.batch || output == rows.outputs { try handOn() }
  }

  private func handOn() throws(PhotoRefusal) {
    let stride = Self.stride(outWidth)
    var planes: [UnsafePointer<Int16>] = []
    columns.first.withUnsafeBufferPointer { first in
      columns.pairs.withUnsafeBufferPointer { pairs in
        columns.weights.withUnsafeBufferPointer { weights in
          var spans = tote_columns(
            first: first.baseAddress, pairs: pairs.baseAddress, weights: weights.baseAddress)
          for channel in 0..<channels {
            let from = tall.base + channel * Self.batch * sumStride
            let to = reduced.base + channel * Self.batch * stride
            // A last batch that is not full averages old rows along, which nobody gets.
            var rows: [UnsafePointer<Int16>?] = (0..<Self.batch).map {
              UnsafePointer(from + $0 * sumStride)
            }
            var outs: [UnsafeMutablePointer<Int16>?] = (0..<Self.batch).map { to + $0 * stride }
            tote_average_columns(&rows, crop.width, &spans, &outs, outWidth, scratch.base)
            planes.append(UnsafePointer(to))
          }
        }
      }
    }
    let result = LinearRows(planes: planes, stride: stride, count: filled)
    filled = 0
    for sink in sinks { try sink.take(result) }
  }

  /// Samples from a reduced row to the next.
  private static func stride(_ width: Int) -> Int { (width + 23) & ~7 }
}
