import CJPEG
import TestSupport
import Testing

/// The C loops over pixels, against plain ones, for every width: wide vectors, narrow ones and rests.
struct PixelLoopTests {
  @Test("turning copies each byte to its place")
  func turning() {
    var random = SeededGenerator(for: "PixelLoopTests.turning")
    for _ in 0..<200 {
      let width = Int.random(in: 1...70, using: &random)
      let height = Int.random(in: 1...40, using: &random)
      let source = (0..<width * height).map { _ in UInt8.random(in: 0...255, using: &random) }
      // What is asked for has `outWidth` columns: the source's, or its rows.
      for swaps in [false, true] {
        for (reversesColumns, reversesRows) in [
          (false, false), (true, false), (false, true), (true, true),
        ] {
          let (outWidth, outHeight) = swaps ? (height, width) : (width, height)
          let columnStep = (swaps ? width : 1) * (reversesColumns ? -1 : 1)
          let rowStep = (swaps ? 1 : width) * (reversesRows ? -1 : 1)
          let origin =
            (reversesColumns ? outWidth - 1 : 0) * abs(columnStep)
            + (reversesRows ? outHeight - 1 : 0) * abs(rowStep)
          var out = [UInt8](repeating: 0, count: outWidth * outHeight)
          source.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return }
            tote_turn(base + origin, rowStep, columnStep, &out, outWidth, outWidth, outHeight)
          }
          let wanted = (0..<outHeight).flatMap { row in
            (0..<outWidth).map { source[origin + row * rowStep + $0 * columnStep] }
          }
          #expect(out == wanted, "\(width)x\(height) \(swaps) \(reversesColumns) \(reversesRows)")
        }
      }
    }
  }

  @Test("rows are averaged by their weights, in any width and number")
  func rows() {
    var random = SeededGenerator(for: "PixelLoopTests.rows")
    for width in 1...80 {
      let count = Int.random(in: 1...9, using: &random)
      let stride = (width + 7) & ~7
      let samples = (0..<count * stride).map { _ in
        Int16.random(in: 0...Int16(TOTE_LINEAR_WHITE), using: &random)
      }
      var weights = (1..<count).map { _ in Int16(16_384 / count) }
      weights.append(16_384 - weights.reduce(0, +))
      var sums = [Int32](repeating: 0, count: stride)
      var out = [Int16](repeating: 0, count: stride)
      samples.withUnsafeBufferPointer { rows in
        var pointers: [UnsafePointer<Int16>?] = (0..<count).map { index in
          rows.baseAddress.map { $0 + index * stride }
        }
        // In two parts, as when a strip ends within an output row.
        let part = count / 2
        tote_add_rows(&pointers, weights, Int32(part), &sums, width)
        var rest = Array(pointers[part...])
        tote_add_rows(&rest, Array(weights[part...]), Int32(count - part), &sums, width)
      }
      tote_take_sums(&sums, &out, width)
      for x in 0..<width {
        let sum = (0..<count).reduce(0) { $0 + Int(samples[$1 * stride + x]) * Int(weights[$1]) }
        #expect(Int(out[x]) == (sum + 8192) >> 14)
      }
      #expect(sums.allSatisfy { $0 == 0 })
    }
  }

  @Test("a colour becomes the same light wherever it stands in a row")
  func light() {
    var random = SeededGenerator(for: "PixelLoopTests.light")
    let width = 80
    for _ in 0..<300 {
      let colour = (0..<3).map { _ in UInt8.random(in: 0...255, using: &random) }
      let y = [UInt8](repeating: colour[0], count: width)
      let cb = [UInt8](repeating: colour[1], count: width / 2)
      let cr = [UInt8](repeating: colour[2], count: width / 2)
      var (red, green, blue) = (
        [Int16](repeating: -1, count: width), [Int16](repeating: -1, count: width),
        [Int16](repeating: -1, count: width)
      )
      tote_linear_from_ycc(y, cb, cr, &red, &green, &blue, width)
      var rgb = [UInt8](repeating: 0, count: 3 * width)
      tote_rgb_from_linear(red, green, blue, &rgb, width)
      // JFIF 1.02, page 3.
      let (luma, b, r) = (Double(colour[0]), Double(colour[1]) - 128, Double(colour[2]) - 128)
      let wanted = [luma + 1.402 * r, luma - 0.344136 * b - 0.714136 * r, luma + 1.772 * b]
      for x in 0..<width {
        for channel in 0..<3 {
          let level = min(max(wanted[channel], 0), 255)
          #expect(abs(Double(rgb[3 * x + channel]) - level) <= 1)
        }
      }
    }
  }
}
