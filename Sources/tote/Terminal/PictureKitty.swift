import Core
import Photos

/// Writes pictures in the graphics protocol of kitty.
enum PictureKitty {
  /// The most characters of base 64 in one piece, as the protocol demands.
  static let pieceLength = 4096

  /// The control sequences that show a picture at the cursor, which then stands right of its last row.
  ///
  /// The picture is placed on cells of the text, so it moves with them when the screen scrolls and
  /// goes with them. The terminal is told not to answer: nobody would read that.
  static func encoded(_ picture: PhotoPreview, cell: CellSize) -> [UInt8] {
    let columns = (picture.width + cell.width - 1) / cell.width
    let rows = (picture.height + cell.height - 1) / cell.height
    let data = Array(base64(picture.rgb).utf8)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(data.count + data.count / 200 + 256)
    var start = 0
    while start < data.count {
      let end = min(start + pieceLength, data.count)
      let more = end < data.count ? 1 : 0
      let keys =
        start == 0
        ? "a=T,f=24,s=\(picture.width),v=\(picture.height),c=\(columns),r=\(rows),q=2,m=\(more)"
        : "q=2,m=\(more)"
      bytes += "\u{1B}_G\(keys);".utf8
      bytes += data[start..<end]
      bytes += "\u{1B}\\".utf8
      start = end
    }
    return bytes
  }
}
