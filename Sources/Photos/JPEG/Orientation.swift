/// How the stored picture must be turned to be upright: the values of Exif's `Orientation`.
enum Orientation: Int, CaseIterable, Sendable {
  case upright = 1
  case mirrored
  case upsideDown
  case upsideDownMirrored
  case transposed
  /// The stored picture's left side is the upright one's top: turn clockwise.
  case turnedLeft
  case transversed
  case turnedRight

  /// Rows become columns.
  var swapsSides: Bool { rawValue >= 5 }

  /// The upright picture's columns run against the stored axis they lie on.
  var reversesColumns: Bool {
    switch self {
    case .mirrored, .upsideDown, .turnedLeft, .transversed: true
    case .upright, .upsideDownMirrored, .transposed, .turnedRight: false
    }
  }

  /// The upright picture's rows run against the stored axis they lie on.
  var reversesRows: Bool {
    switch self {
    case .upsideDown, .upsideDownMirrored, .transversed, .turnedRight: true
    case .upright, .mirrored, .transposed, .turnedLeft: false
    }
  }
}
