/// What a file is, told by its first bytes and by nothing else.
///
/// Names, extensions and media types that came with a file are the sender's words; they are never
/// asked.
public enum FileFormat: String, Sendable, CaseIterable {
  /// The one format that photos are taken in.
  case jpeg = "JPEG"
  /// Pictures of other formats.
  case png = "PNG"
  case gif = "GIF"
  case webP = "WebP"
  case heic = "HEIC"
  case avif = "AVIF"
  case jpeg2000 = "JPEG 2000"
  case jpegXL = "JPEG XL"
  case tiff = "TIFF"
  case bmp = "BMP"
  case icon = "icon"
  case photoshop = "Photoshop"
  case svg = "SVG"
  /// Films, documents, archives and programs.
  case film = "film"
  case pdf = "PDF"
  case postScript = "PostScript"
  case zip = "ZIP"
  case gzip = "gzip"
  case elf = "ELF program"
  case windowsProgram = "Windows program"
  case php = "PHP script"
  case script = "script"
  case html = "HTML"
  case xml = "XML"
  case text = "text"
  /// Bytes of no known format.
  case unknown = "unknown"

  /// How many bytes at the start of a file are looked at.
  public static let headLength = 256

  /// Tells the format of a file.
  ///
  /// - Parameter head: the file's first bytes, ``headLength`` of them if it has so many.
  public init(head: some Collection<UInt8>) {
    let bytes = Array(head.prefix(Self.headLength))
    self =
      Self.magics.first { $0.matches(bytes) }?.format
      ?? Self.container(bytes) ?? Self.writing(bytes) ?? .unknown
  }

  /// Bytes that a format has at a fixed place.
  private struct Magic {
    let format: FileFormat
    let bytes: [UInt8]
    var offset = 0

    func matches(_ head: [UInt8]) -> Bool { head.dropFirst(offset).starts(with: bytes) }
  }

  private static let magics: [Magic] = [
    Magic(format: .jpeg, bytes: [0xFF, 0xD8, 0xFF]),
    Magic(format: .png, bytes: [0x89, 0x50, 0x4E, 0x47]),
    Magic(format: .gif, bytes: Array("GIF8".utf8)),
    Magic(format: .jpeg2000, bytes: [0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20]),
    Magic(format: .jpeg2000, bytes: [0xFF, 0x4F, 0xFF, 0x51]),
    Magic(format: .jpegXL, bytes: [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20]),
    Magic(format: .jpegXL, bytes: [0xFF, 0x0A]),
    Magic(format: .tiff, bytes: [0x49, 0x49, 0x2A, 0]),
    Magic(format: .tiff, bytes: [0x4D, 0x4D, 0, 0x2A]),
    Magic(format: .tiff, bytes: [0x49, 0x49, 0x2B, 0]),
    Magic(format: .tiff, bytes: [0x4D, 0x4D, 0, 0x2B]),
    Magic(format: .icon, bytes: [0, 0, 1, 0]),
    Magic(format: .photoshop, bytes: Array("8BPS".utf8)),
    Magic(format: .pdf, bytes: Array("%PDF".utf8)),
    Magic(format: .postScript, bytes: Array("%!".utf8)),
    Magic(format: .zip, bytes: [0x50, 0x4B, 3, 4]),
    Magic(format: .zip, bytes: [0x50, 0x4B, 5, 6]),
    Magic(format: .gzip, bytes: [0x1F, 0x8B]),
    Magic(format: .elf, bytes: [0x7F, 0x45, 0x4C, 0x46]),
    Magic(format: .film, bytes: [0x1A, 0x45, 0xDF, 0xA3]),
  ]

  /// Formats whose first bytes only say how they are packed.
  private static func container(_ head: [UInt8]) -> FileFormat? {
    func text(_ range: Range<Int>) -> Substring? {
      guard head.count >= range.upperBound else { return nil }
      return Substring(decoding: head[range], as: UTF8.self)
    }
    switch text(0..<4) {
    case "RIFF": return text(8..<12) == "WEBP" ? .webP : text(8..<12) == "AVI " ? .film : nil
    default: break
    }
    if text(4..<8) == "ftyp" {
      // ISO 14496-12 §4.3: a major brand, then others that the file is compatible with.
      let length = min(head.count, head.count >= 4 ? Int(head[3]) : 0)
      let others = length >= 20 ? stride(from: 16, to: length - 3, by: 4).map { $0 } : []
      let brands = ([8] + others).compactMap { text($0..<$0 + 4) }
      if brands.contains(where: { $0 == "avif" || $0 == "avis" }) { return .avif }
      let still: Set<Substring> = ["heic", "heix", "hevc", "heim", "heis", "hevm", "mif1", "msf1"]
      return brands.contains { still.contains($0) } ? .heic : .film
    }
    if text(0..<2) == "BM", head.count >= 14, head[6...9].allSatisfy({ $0 == 0 }) { return .bmp }
    if text(0..<2) == "MZ" { return .windowsProgram }
    return nil
  }

  /// Formats that people write.
  private static func writing(_ head: [UInt8]) -> FileFormat? {
    var bytes = head[...]
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    let text = String(decoding: bytes, as: UTF8.self).lowercased()
    // The last character may be cut off.
    let isPlain =
      bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }
      && bytes.count > 3 && !text.dropLast(3).contains("\u{FFFD}")
    guard !bytes.isEmpty, isPlain || bytes.first == UInt8(ascii: "<") else { return nil }
    let start = text.drop { $0.isWhitespace }
    if start.hasPrefix("<?php") || start.hasPrefix("<?=") { return .php }
    if start.hasPrefix("#!") { return start.contains("php") ? .php : .script }
    if text.contains("<svg") { return .svg }
    if start.hasPrefix("<!doctype html") || start.hasPrefix("<html") { return .html }
    if start.hasPrefix("<?xml") { return .xml }
    return isPlain ? .text : nil
  }
}
