import Glibc
import Photos

/// Runs the photo pipeline over files again and again, for `bench/photos/run.py`.
///
///     photo-bench ROUNDS [two-threads] PHOTO…
///
/// Prints a line for each photo: the best and the median CPU milliseconds, the best milliseconds by
/// the clock, the bytes of the full picture and the thumbnail, and the megabytes by which memory
/// grew at most.
@main
struct PhotoBench {
  static func main() {
    var words = CommandLine.arguments.dropFirst()
    guard let rounds = words.popFirst().flatMap({ Int($0) }), rounds > 0 else {
      fail("usage: photo-bench ROUNDS [two-threads] PHOTO…")
    }
    var options = PhotoOptions()
    if words.first == "two-threads" {
      options.usesTwoThreads = true
      words.removeFirst()
    }
    for path in words { measure(path, rounds: rounds, options) }
  }

  private static func measure(_ path: String, rounds: Int, _ options: PhotoOptions) {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { fail("cannot open \(path)") }
    defer { close(descriptor) }
    var processor: [Double] = []
    var clock: [Double] = []
    var written = 0
    let before = peakMegabytes()
    for _ in 0..<rounds {
      let start = (milliseconds(CLOCK_PROCESS_CPUTIME_ID), milliseconds(CLOCK_MONOTONIC))
      do throws(PhotoRefusal) {
        let photo = try PhotoPipeline.process(.file(descriptor: descriptor), options)
        written = photo.full.length + photo.thumbnail.length
      } catch {
        fail("\(path): \(error)")
      }
      processor.append(milliseconds(CLOCK_PROCESS_CPUTIME_ID) - start.0)
      clock.append(milliseconds(CLOCK_MONOTONIC) - start.1)
    }
    processor.sort()
    print(
      processor[0], processor[rounds / 2], clock.min() ?? 0, written, peakMegabytes() - before)
  }

  private static func milliseconds(_ clock: clockid_t) -> Double {
    var now = timespec()
    clock_gettime(clock, &now)
    return Double(now.tv_sec) * 1e3 + Double(now.tv_nsec) / 1e6
  }

  /// The most memory that this process has had.
  ///
  /// Unlike that of `getrusage`, the kernel's own figure
  /// leaves out what the process was before it became this program.
  private static func peakMegabytes() -> Double {
    let descriptor = open("/proc/self/status", O_RDONLY)
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 8192)
    let count = read(descriptor, &bytes, bytes.count)
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    let kilobytes = line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Double($0) } ?? 0
    return kilobytes * 1024 / 1e6
  }

  private static func fail(_ text: String) -> Never {
    let line = Array("\(text)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    exit(64)
  }
}
