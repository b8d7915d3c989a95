/// Rows in linear light, a plane for each channel: samples of 16 bits.
struct LinearRows {
  /// The first row of each plane: one for grey, three for red, green and blue.
  var planes: [UnsafePointer<Int16>]
  /// Samples from a row to the next.
  var stride: Int
  var count: Int
}

/// Takes the rows of a picture in linear light, in order.
protocol LinearSink: AnyObject {
  func take(_ rows: LinearRows) throws(PhotoRefusal)
}

/// Samples that stay where they are.
final class Int16Buffer {
  let base: UnsafeMutablePointer<Int16>

  /// Takes memory, all 0, and a little more than asked for: loops read whole groups.
  init(_ count: Int) {
    base = .allocate(capacity: count + 64)
    base.initialize(repeating: 0, count: count + 64)
  }

  deinit { base.deallocate() }
}
