import CZBar

/// Finds QR codes in pictures.
public enum QRScan {
  /// Why a picture was not looked at.
  public enum Fault: Error, Sendable {
    /// zbar is not installed.
    case libraryMissing
    /// There is no memory for it.
    case outOfMemory
  }

  /// The texts of the QR codes in a picture of grey values, dark on light or light on dark.
  ///
  /// - Parameters:
  ///   - pixels: one byte a pixel, 0 black, rows without gaps.
  ///   - width: pixels of a row.
  ///   - height: rows.
  /// - Returns: each text once.
  /// - Throws: `Fault`.
  public static func texts(
    in pixels: [UInt8], width: Int, height: Int
  ) throws(Fault) -> [String] {
    precondition(pixels.count >= width * height, "a picture with fewer pixels than it says")
    var found: [String] = []
    let count = withUnsafeMutablePointer(to: &found) { found in
      tote_zbar_scan(
        pixels, UInt32(width), UInt32(height),
        { context, text, size in
          guard let context, let text else { return }
          let bytes = UnsafeRawBufferPointer(start: text, count: size)
          let content = String(decoding: bytes, as: UTF8.self)
          let found = context.assumingMemoryBound(to: [String].self)
          if !found.pointee.contains(content) { found.pointee.append(content) }
        }, found)
    }
    switch count {
    case TOTE_ZBAR_NO_LIBRARY: throw .libraryMissing
    case TOTE_ZBAR_NO_MEMORY: throw .outOfMemory
    default: return found
    }
  }
}
