import Glibc
import Photos

/// Runs the photo pipeline over hostile files.
///
/// `make fuzz` builds it with libFuzzer, which makes
/// them up; built in the ordinary way it runs those whose paths are given, to see one again.
///
/// The first byte of an input chooses the options, the others are the file; with its highest bit it
/// is a form instead, for ``FormFuzz``.
enum PhotoFuzz {
  static func run(_ input: UnsafeRawBufferPointer) {
    guard let first = input.first else { return }
    guard first & 0x80 == 0 else { return FormFuzz.run(input) }
    var options = PhotoOptions()
    // Small, so that a run meets many inputs rather than a few large pictures.
    options.limits.pixels = 250_000
    options.limits.bufferedPixels = 125_000
    options.limits.memory = 20_000_000
    options.limits.scans = 20
    options.wantsCaptureTime = true
    options.viewSide = 64
    options.thumbnailSide = 16
    options.maximumSide = first & 1 == 0 ? nil : 100
    options.usesTwoThreads = first & 2 != 0
    switch first >> 2 & 3 {
    case 0: options.damage = .strict
    case 1: options.damage = .recoverable
    default: options.damage = .anything
    }
    let source = PhotoSource.bytes(Array(input.dropFirst()))
    guard let photo = try? PhotoPipeline.process(source, options) else { return }
    // What was made is a photo itself, and whole.
    var strict = PhotoOptions()
    strict.damage = .strict
    let again = try? PhotoPipeline.process(.bytes(photo.full.bytes), strict)
    precondition(again?.notes == [], "the output is not a clean photo")
    precondition(again?.full.width == photo.full.width, "the output has another size")
  }
}

#if FUZZING
  /// What libFuzzer calls with each input.
  @_cdecl("LLVMFuzzerTestOneInput")
  public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    PhotoFuzz.run(UnsafeRawBufferPointer(start: bytes, count: count))
    return 0
  }
#else
  @main
  struct Replay {
    static func main() {
      for path in CommandLine.arguments.dropFirst() {
        guard let file = fopen(path, "rb") else {
          perror(path)
          continue
        }
        var bytes = [UInt8](repeating: 0, count: 1 << 24)
        bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
        fclose(file)
        bytes.withUnsafeBytes { PhotoFuzz.run($0) }
      }
    }
  }
#endif
