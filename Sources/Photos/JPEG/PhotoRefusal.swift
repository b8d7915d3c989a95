/// Why a file is not taken as a photo.
///
/// ``code`` is the machine-readable reason, the same whichever way the file came; ``message`` says
/// it to people.
public enum PhotoRefusal: Error, Sendable, Equatable {
  /// The file has no bytes.
  case empty
  /// The file is of another format.
  case notJPEG(FileFormat)
  /// The file breaks the format's rules so that no picture can be made of it.
  case corrupt(String)
  /// The picture's data ends early: `missing` of `total` rows of blocks are not there.
  case truncated(missing: Int, total: Int)
  /// The data is damaged, and the policy does not allow it.
  case damaged
  /// A legal JPEG of a kind that is not decoded; the text names it.
  case unsupported(String)
  /// The file has more bytes than the limit.
  case tooManyBytes(limit: Int)
  /// The picture has more pixels than the limit for its kind of coding.
  case tooManyPixels(width: Int, height: Int, limit: Int)
  /// The picture comes in more scans than the limit.
  case tooManyScans(limit: Int)
  /// Decoding would need more memory than the limit, in bytes.
  case tooMuchMemory(limit: Int)
  /// Decoding took longer than the limit.
  case tooSlow(limit: Duration)
  /// The caller gave up.
  case cancelled
  /// The file could not be read; the number is the system's error.
  case unreadable(Int32)
  /// The receiver of the picture failed; the number is the system's error, or 0.
  case unwritable(Int32)
  /// A library that the work needs is not installed; its Debian package.
  case noLibrary(package: String)

  /// The reason as a stable word, for JSON and logs.
  public var code: String {
    switch self {
    case .empty: "empty"
    case .notJPEG: "not_jpeg"
    case .corrupt: "corrupt"
    case .truncated: "truncated"
    case .damaged: "damaged"
    case .unsupported: "unsupported"
    case .tooManyBytes: "too_many_bytes"
    case .tooManyPixels: "too_many_pixels"
    case .tooManyScans: "too_many_scans"
    case .tooMuchMemory: "too_much_memory"
    case .tooSlow: "too_slow"
    case .cancelled: "cancelled"
    case .unreadable: "unreadable"
    case .unwritable: "unwritable"
    case .noLibrary: "no_library"
    }
  }

  /// Tells whether the file itself is at fault, so that sending it again is of no use.
  public var isFinal: Bool {
    switch self {
    case .tooSlow, .cancelled, .unreadable, .unwritable, .noLibrary: false
    default: true
    }
  }

  /// The reason for people, without the name of the file.
  public var message: String {
    switch self {
    case .empty: "the file is empty"
    case .notJPEG(.unknown): "not a JPEG picture"
    case .notJPEG(let format): "not a JPEG picture but \(format.phrase)"
    case .corrupt(let detail): "not a valid JPEG picture: \(detail)"
    case .truncated(let missing, let total):
      "the picture is cut off: \(max(1, 100 * missing / max(1, total))) % of it is missing"
    case .damaged: "the picture's data is damaged"
    case .unsupported(let kind): "this kind of JPEG is not supported: \(kind)"
    case .tooManyBytes(let limit): "larger than the limit of \(limit / 1_000_000) MB"
    case .tooManyPixels(let width, let height, let limit):
      "\(width) × \(height) pixels are more than the limit of \(limit / 1_000_000) megapixels"
    case .tooManyScans(let limit): "the picture has more than \(limit) scans"
    case .tooMuchMemory(let limit):
      "decoding would need more than \(limit / 1_000_000) MB of memory"
    case .tooSlow(let limit): "decoding took longer than \(limit)"
    case .cancelled: "cancelled"
    case .unreadable(let code): "could not be read (error \(code))"
    case .unwritable(let code):
      code == 0 ? "could not be written" : "could not be written (error \(code))"
    case .noLibrary(let package): "needs the library of the package '\(package)'"
    }
  }
}

extension PhotoRefusal: CustomStringConvertible {
  /// The code and the message.
  public var description: String { "\(code): \(message)" }
}

extension FileFormat {
  /// The format with its article, as in "but a PNG picture".
  fileprivate var phrase: String {
    switch self {
    case .jpeg, .png, .webP, .jpeg2000, .jpegXL, .tiff, .bmp, .photoshop, .gif, .heic:
      "a \(rawValue) picture"
    case .avif, .svg: "an \(rawValue) picture"
    case .icon: "an icon"
    case .film: "a film"
    case .pdf, .postScript: "a \(rawValue) document"
    case .zip, .gzip: "a \(rawValue) archive"
    case .elf: "an ELF program"
    case .windowsProgram: "a Windows program"
    case .php: "a PHP script"
    case .script: "a script"
    case .html: "an HTML page"
    case .xml: "an XML document"
    case .text: "text"
    case .unknown: "something unknown"
    }
  }
}
