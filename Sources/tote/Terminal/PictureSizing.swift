/// The largest area a picture may take on a terminal, in cells.
struct PictureBox: Sendable, Equatable {
  var columns: Int
  var rows: Int

  /// For one of many in a list.
  static let small = PictureBox(columns: 36, rows: 18)
  /// For the only one: as much as the terminal has.
  static let whole = PictureBox(columns: .max, rows: .max)
}

extension PictureTerminal {
  /// The area a picture takes here, for a box: never more than the terminal has, one row left for
  /// what is written below it.
  func limited(_ box: PictureBox) -> PictureBox {
    PictureBox(
      columns: max(1, min(box.columns, columns)), rows: max(1, min(box.rows, rows - 1)))
  }

  /// The pixels of a picture on this terminal, with its proportions and no larger than it is.
  ///
  /// - Parameters:
  ///   - width: the picture's width in pixels.
  ///   - height: its height.
  ///   - box: the cells it may take.
  /// - Returns: how many pixels are drawn, each side at least 1.
  func pixels(width: Int, height: Int, in box: PictureBox) -> (width: Int, height: Int) {
    let box = limited(box)
    let pixel = pixelSize
    let (boxWidth, boxHeight) = (box.columns * cell.width, box.rows * cell.height)
    // Lengths in the terminal's pixels for each of the picture's.
    let scale = min(
      Double(boxWidth) / Double(width), Double(boxHeight) / Double(height), Double(pixel.width),
      Double(pixel.height))
    func length(_ side: Int, _ unit: Double, _ limit: Int) -> Int {
      min(max(1, Int((Double(side) * scale / unit).rounded())), limit)
    }
    return (
      length(width, pixel.width, min(width, Int(Double(boxWidth) / pixel.width))),
      length(height, pixel.height, min(height, Int(Double(boxHeight) / pixel.height)))
    )
  }

  /// The size of what is drawn as one pixel, in the terminal's pixels.
  private var pixelSize: (width: Double, height: Double) {
    guard case .blocks = language else { return (1, 1) }
    let parts = isUTF8 ? 2.0 : 1.0
    return (Double(cell.width), Double(cell.height) / parts)
  }
}
