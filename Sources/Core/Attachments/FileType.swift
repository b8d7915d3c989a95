/// Media types of files, told by their first bytes and then by their names.
public enum FileType {
  /// What is known to be nothing in particular.
  public static let unknown = "application/octet-stream"

  /// How many of a file's first bytes `guess` looks at.
  public static let headSize = 512

  /// Guesses the type of a file.
  ///
  /// The bytes decide where they have a signature, since names lie more often; text formats have none,
  /// so there the extension decides, and only if the bytes are text.
  ///
  /// - Parameters:
  ///   - name: the file's name; its extension is looked at.
  ///   - head: the first `headSize` bytes, or all if there are fewer.
  /// - Returns: a type such as `image/jpeg`; `text/plain` for other text.
  public static func guess(name: String, head: some Collection<UInt8>) -> String {
    let head = Array(head.prefix(headSize))
    let byName = fileExtension(of: name).flatMap { extensions[$0] }
    if let found = bySignature(head) {
      // Office documents, books and packages are all zip archives.
      return found == "application/zip" ? byName ?? found : found
    }
    guard isText(head) else {
      return byName.map { isText($0) ? unknown : $0 } ?? unknown
    }
    return byName ?? "text/plain"
  }

  /// Whether a type is one that people read as text.
  public static func isText(_ type: String) -> Bool {
    let plain = type.prefix { $0 != ";" && $0 != " " }.lowercased()
    return plain.hasPrefix("text/") || plain.hasSuffix("+json") || plain.hasSuffix("+xml")
      || textTypes.contains(plain)
  }

  /// Whether the first bytes of a file look like UTF-8 text: no control characters but those of text;
  /// a character cut at their end is no fault.
  public static func isText(_ head: [UInt8]) -> Bool {
    let isControl = head.contains { byte in
      byte < 0x20 && !(0x07...0x0d).contains(byte) && byte != 0x1b
    }
    if isControl { return false }
    let cuts = head.count < headSize ? 0...0 : 0...3
    return cuts.contains { String(validating: head.dropLast($0), as: UTF8.self) != nil }
  }

  private static func fileExtension(of name: String) -> String? {
    let base = name.split(separator: "/").last ?? ""
    guard let dot = base.lastIndex(of: "."), dot != base.startIndex else { return nil }
    return base[base.index(after: dot)...].lowercased()
  }

  private static func bySignature(_ head: [UInt8]) -> String? {
    if let found = signatures.first(where: { head.starts(with: $0.bytes) }) { return found.type }
    guard head.count >= 12 else { return nil }
    let kind = String(decoding: head[8..<12], as: UTF8.self)
    if head.starts(with: "RIFF".utf8) {
      return ["WEBP": "image/webp", "WAVE": "audio/wav", "AVI ": "video/x-msvideo"][kind]
    }
    // ISO base media files (ISO/IEC 14496-12) name their brand in the first box.
    guard head[4..<8].elementsEqual("ftyp".utf8) else { return nil }
    switch kind {
    case "heic", "heix", "mif1": return "image/heic"
    case "avif": return "image/avif"
    case "qt  ": return "video/quicktime"
    case "M4A ": return "audio/mp4"
    default: return "video/mp4"
    }
  }

  private static let signatures: [(bytes: [UInt8], type: String)] = [
    ([0xff, 0xd8, 0xff], "image/jpeg"),
    ([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], "image/png"),
    (Array("GIF8".utf8), "image/gif"),
    (Array("BM".utf8), "image/bmp"),
    ([0x49, 0x49, 0x2a, 0x00], "image/tiff"),
    ([0x4d, 0x4d, 0x00, 0x2a], "image/tiff"),
    (Array("%PDF-".utf8), "application/pdf"),
    ([0x50, 0x4b, 0x03, 0x04], "application/zip"),
    ([0x50, 0x4b, 0x05, 0x06], "application/zip"),
    ([0x1f, 0x8b], "application/gzip"),
    ([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], "application/x-xz"),
    ([0x28, 0xb5, 0x2f, 0xfd], "application/zstd"),
    (Array("BZh".utf8), "application/x-bzip2"),
    (Array("7z".utf8) + [0xbc, 0xaf, 0x27, 0x1c], "application/x-7z-compressed"),
    (Array("OggS".utf8), "audio/ogg"),
    (Array("fLaC".utf8), "audio/flac"),
    (Array("ID3".utf8), "audio/mpeg"),
    ([0xff, 0xfb], "audio/mpeg"),
    ([0x1a, 0x45, 0xdf, 0xa3], "video/webm"),
    (Array("SQLite format 3".utf8) + [0], "application/vnd.sqlite3"),
    ([0x7f, 0x45, 0x4c, 0x46], "application/x-elf"),
    (Array("wOFF".utf8), "font/woff"),
    (Array("wOF2".utf8), "font/woff2"),
  ]

  private static let textTypes: Set<String> = [
    "application/json", "application/xml", "application/javascript", "application/x-ndjson",
    "application/yaml", "application/toml", "application/x-sh",
  ]

  private static let extensions: [String: String] = [
    "txt": "text/plain", "log": "text/plain", "md": "text/markdown", "csv": "text/csv",
    "tsv": "text/tab-separated-values", "html": "text/html", "htm": "text/html",
    "css": "text/css", "js": "text/javascript", "mjs": "text/javascript",
    "json": "application/json", "jsonl": "application/x-ndjson",
    "ndjson": "application/x-ndjson", "xml": "application/xml", "svg": "image/svg+xml",
    "yaml": "application/yaml", "yml": "application/yaml", "toml": "application/toml",
    "ics": "text/calendar", "vcf": "text/vcard", "rtf": "application/rtf",
    "sh": "application/x-sh", "swift": "text/x-swift", "c": "text/x-c", "h": "text/x-c",
    "py": "text/x-python", "eml": "message/rfc822",
    "doc": "application/msword", "xls": "application/vnd.ms-excel",
    "ppt": "application/vnd.ms-powerpoint",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "odt": "application/vnd.oasis.opendocument.text",
    "ods": "application/vnd.oasis.opendocument.spreadsheet",
    "odp": "application/vnd.oasis.opendocument.presentation",
    "epub": "application/epub+zip", "jar": "application/java-archive",
    "tar": "application/x-tar", "mp3": "audio/mpeg", "aac": "audio/aac", "wasm": "application/wasm",
    "ttf": "font/ttf", "otf": "font/otf", "ico": "image/vnd.microsoft.icon",
  ]
}
