import CJPEG
import Glibc

/// The size of a picture in YCbCr 4:2:0 or grey, and of the buffers that hold its rows.
struct StripShape: Equatable {
  let width: Int
  let height: Int
  let isGrey: Bool

  /// Rows in a strip: those of one row of 4:2:0 blocks.
  static let rows = 16

  /// Bytes from a row of Y to the next: whole groups of 16, as loops and blocks need.
  var stride: Int { (width + 15) & ~15 }
  /// Bytes from a row of Cb or Cr to the next.
  var chromaStride: Int { stride / 2 }
  var chromaWidth: Int { (width + 1) / 2 }
  var chromaHeight: Int { (height + 1) / 2 }
  var strips: Int { (height + Self.rows - 1) / Self.rows }
  var channels: Int { isGrey ? 1 : 3 }
}

/// Rows of a picture in memory: those of one strip, or of all of them.
///
/// The rows below the picture's last are there too, up to a whole strip.
final class StripBuffer {
  let shape: StripShape
  private let mapping: UnsafeMutableRawPointer
  private let mappedBytes: Int
  private let base: UnsafeMutablePointer<UInt8>
  private let capacity: Int

  private static let hugePage = 2 << 20

  /// Takes memory for some strips; its bytes are 0, and the system gives pages as they are used.
  ///
  /// - Throws: `.tooMuchMemory` when the system has no more.
  init(_ shape: StripShape, strips: Int = 1) throws(PhotoRefusal) {
    self.shape = shape
    capacity = strips
    // Loops read up to 16 bytes past a row's end.
    let bytes = Self.bytes(shape, strips: strips) + 64
    // Turning goes down the columns, from page to page: large pages halve its time.
    let isHuge = bytes > 2 * Self.hugePage
    mappedBytes = isHuge ? bytes + Self.hugePage : bytes
    guard
      let memory = mmap(
        nil, mappedBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      memory != MAP_FAILED
    else { throw .tooMuchMemory(limit: bytes) }
    mapping = memory
    let start = isHuge ? memory.alignedUp(toMultipleOf: Self.hugePage) : memory
    if isHuge { madvise(start, bytes, MADV_HUGEPAGE) }
    base = start.assumingMemoryBound(to: UInt8.self)
  }

  deinit { munmap(mapping, mappedBytes) }

  /// Bytes that some strips take.
  static func bytes(_ shape: StripShape, strips: Int) -> Int {
    let luma = strips * StripShape.rows * shape.stride
    return shape.isGrey ? luma : luma + luma / 2
  }

  /// The planes from the first row of a strip on.
  func planes(_ strip: Int = 0) -> tote_jpeg_planes {
    var planes = tote_jpeg_planes()
    let luma = StripShape.rows * shape.stride
    planes.base.0 = base + strip * luma
    planes.stride.0 = shape.stride
    guard !shape.isGrey else { return planes }
    planes.base.1 = base + capacity * luma + strip * luma / 4
    planes.base.2 = base + capacity * luma + capacity * luma / 4 + strip * luma / 4
    planes.stride.1 = shape.chromaStride
    planes.stride.2 = shape.chromaStride
    return planes
  }
}

/// Makes the strips of a picture, one after the other from the top.
protocol StripProducer: AnyObject {
  var shape: StripShape { get }
  /// Fills the next strip, with its edges continued to the buffer's.
  ///
  /// - Returns: how many rows it has, 0 after the last strip.
  func next(into planes: tote_jpeg_planes) throws(PhotoRefusal) -> Int
}

/// Continues a plane's last column and row over the rest of a buffer, so that nothing from outside
/// the picture (the sender's padding can hold anything) gets into a block.
func continueEdges(
  _ base: UnsafeMutablePointer<UInt8>?, stride: Int, width: Int, rows: Int, of capacity: Int
) {
  guard let base, width > 0, rows > 0 else { return }
  if width < stride {
    for row in 0..<rows {
      let end = base + row * stride + width
      end.update(repeating: end[-1], count: stride - width)
    }
  }
  let last = base + (rows - 1) * stride
  for row in rows..<max(rows, capacity) {
    (base + row * stride).update(from: last, count: stride)
  }
}

extension UnsafeMutableRawPointer {
  fileprivate func alignedUp(toMultipleOf size: Int) -> UnsafeMutableRawPointer {
    self + (size - Int(bitPattern: self) % size) % size
  }
}

extension StripShape {
  /// Continues the edges of a strip with so many rows.
  func continueEdges(of planes: tote_jpeg_planes, rows: Int) {
    let all = Self.rows
    Photos.continueEdges(planes.base.0, stride: stride, width: width, rows: rows, of: all)
    guard !isGrey else { return }
    for chroma in [planes.base.1, planes.base.2] {
      Photos.continueEdges(
        chroma, stride: chromaStride, width: chromaWidth, rows: (rows + 1) / 2, of: all / 2)
    }
  }
}
