import CQREncode

/// A QR code: a square of dark and light modules, without the light margin that scanners need.
public struct QRCode: Sendable, Hashable {
  /// Modules of a side: 21, 25, … 177.
  public let width: Int
  /// Row by row; true is dark.
  private let modules: [Bool]

  /// How much of a code may be unreadable.
  public enum Level: Int32, Sendable, CaseIterable {
    /// 7 %.
    case low = 0
    /// 15 %.
    case medium = 1
    /// 25 %.
    case quartile = 2
    /// 30 %.
    case high = 3
  }

  /// Why no code was made.
  public enum Fault: Error, Sendable {
    /// libqrencode is not installed.
    case libraryMissing
    /// No code holds so much.
    case tooLong
    /// There is no memory for it.
    case outOfMemory
  }

  /// Encodes a text in the smallest code of a level.
  ///
  /// - Parameters:
  ///   - text: what a scanner shall read.
  ///   - level: the error correction.
  /// - Throws: `Fault`.
  public init(_ text: String, level: Level = .medium) throws(Fault) {
    let room = Int(TOTE_QR_MAXIMUM_WIDTH * TOTE_QR_MAXIMUM_WIDTH)
    var bytes = [UInt8](repeating: 0, count: room)
    let width = Int(tote_qr_encode(text, level.rawValue, &bytes))
    switch Int32(width) {
    case TOTE_QR_NO_LIBRARY: throw .libraryMissing
    case TOTE_QR_NO_MEMORY: throw .outOfMemory
    case ..<1: throw .tooLong
    default: break
    }
    self.width = width
    modules = bytes.prefix(width * width).map { $0 != 0 }
  }

  /// Whether a module is dark; outside of the code all is light, as its margin must be.
  public func isDark(column: Int, row: Int) -> Bool {
    guard (0..<width).contains(column), (0..<width).contains(row) else { return false }
    return modules[row * width + column]
  }
}
