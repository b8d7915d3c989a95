import Synchronization
import Testing

@testable import Photos

/// What a file may cost, and that it is refused before it costs more.
struct PhotoLimitTests {
  /// A header that claims a size, with a little data.
  static func claim(
    _ width: Int, _ height: Int, frame: UInt8 = 0xC0, components: UInt8 = 3
  ) throws -> [UInt8] {
    var fixture = PhotoFixture(width: 16, height: 16, stored: components == 1 ? .grey : .ycc)
    fixture.luma = components == 1 ? (1, 1) : (2, 2)
    fixture.isProgressive = frame == 0xC2
    fixture.isArithmetic = frame >= 0xC9
    var file = fixture.jpeg()
    let place = try #require(file.place(of: frame)) + 5
    file.replaceSubrange(
      place..<place + 4,
      with: [UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255)])
    return file
  }

  @Test("sizes above the limits are refused by the header", arguments: [UInt8(0xC0), 0xC2, 0xC9])
  func pixels(frame: UInt8) throws {
    let file = try Self.claim(65_500, 65_500, frame: frame)
    #expect(
      outcome(file) == .failure(.tooManyPixels(width: 65_500, height: 65_500, limit: 100_000_000)))
  }

  @Test("a small file that claims a large picture is cut off, and takes no memory")
  func claims() throws {
    var options = PhotoOptions()
    // Not even for one row of it.
    options.limits.memory = 1000
    for frame in [UInt8(0xC0), 0xC2] {
      #expect(outcome(try Self.claim(9000, 9000, frame: frame), options).verdict == "truncated")
    }
  }

  @Test("arithmetic-coded and progressive pictures have a smaller limit")
  func buffered() throws {
    var options = PhotoOptions()
    options.damage = .anything
    #expect(outcome(try Self.claim(9000, 9000, frame: 0xC9), options).verdict == "too_many_pixels")
    #expect(outcome(try Self.claim(9000, 9000, frame: 0xC2), options).verdict == "too_many_pixels")
  }

  @Test("limits of pixels are settings")
  func settings() throws {
    let file = PhotoFixture(width: 100, height: 50).jpeg()
    var options = PhotoOptions()
    options.limits.pixels = 5000
    #expect(outcome(file, options).verdict == "accepted")
    options.limits.pixels = 4999
    #expect(outcome(file, options).verdict == "too_many_pixels")
    options.limits.pixels = 5000
    options.limits.bytes = file.count - 1
    #expect(outcome(file, options).verdict == "too_many_bytes")
  }

  @Test("libjpeg-turbo#284: more scans than the limit are refused before decoding")
  func scans() throws {
    var fixture = PhotoFixture(width: 64, height: 64)
    fixture.isProgressive = true
    let file = fixture.jpeg()
    let last = try #require(file.place(of: 0xDA, last: true))
    let scan = file[last..<file.count - 2]
    let scans = Array((0..<100).map { _ in scan }.joined())
    let many = Array(file.dropLast(2)) + scans + [0xFF, 0xD9]
    #expect(outcome(many) == .failure(.tooManyScans(limit: 100)))
    var options = PhotoOptions()
    options.limits.scans = 3
    #expect(outcome(file, options) == .failure(.tooManyScans(limit: 3)))
  }

  @Test("memory is refused before it is taken", arguments: [false, true])
  func memory(isProgressive: Bool) throws {
    var fixture = PhotoFixture(width: 640, height: 480)
    fixture.isProgressive = isProgressive
    fixture.orientation = isProgressive ? 1 : 8
    var options = PhotoOptions()
    // Less than the coefficients, or than the turned planes.
    options.limits.memory = 400_000
    #expect(outcome(fixture.jpeg(), options).verdict == "too_much_memory")
    options.limits.memory = 3_000_000
    #expect(outcome(fixture.jpeg(), options).verdict == "accepted")
    fixture.orientation = 1
    fixture.isProgressive = false
    options.limits.memory = 10_000
    #expect(outcome(fixture.jpeg(), options).verdict == "too_much_memory")
  }

  @Test("what takes longer than its time is refused", arguments: [false, true])
  func time(usesTwoThreads: Bool) throws {
    var options = PhotoOptions()
    options.limits.time = .zero
    options.usesTwoThreads = usesTwoThreads
    #expect(outcome(PhotoFixture().jpeg(), options) == .failure(.tooSlow(limit: .zero)))
  }

  @Test("the caller can give up, at any moment", arguments: [false, true])
  func cancelled(usesTwoThreads: Bool) throws {
    let file = PhotoFixture(width: 320, height: 640).jpeg()
    for calls in 0..<30 {
      var options = PhotoOptions()
      options.usesTwoThreads = usesTwoThreads
      let counter = Counter(calls)
      options.isCancelled = { counter.isSpent }
      let result = outcome(file, options)
      #expect(["cancelled", "accepted"].contains(result.verdict))
      if calls == 0 { #expect(result.verdict == "cancelled") }
    }
  }

  /// True after some questions.
  final class Counter: Sendable {
    private let left: Atomic<Int>

    init(_ calls: Int) { left = Atomic(calls) }

    var isSpent: Bool { left.subtract(1, ordering: .relaxed).newValue < 0 }
  }

  @Test("a receiver that fails ends the work", arguments: [false, true])
  func receiver(usesTwoThreads: Bool) throws {
    struct Full: Error {}
    var fixture = PhotoFixture(width: 400, height: 400)
    fixture.noise = 40
    var options = PhotoOptions()
    options.usesTwoThreads = usesTwoThreads
    #expect(throws: PhotoRefusal.unwritable(0)) {
      try PhotoPipeline.process(.bytes(fixture.jpeg()), options) { _ in throw Full() }
    }
  }

  @Test("a receiver gets what the result would hold")
  func streamed() throws {
    var fixture = PhotoFixture(width: 400, height: 400)
    fixture.noise = 40
    var received: [UInt8] = []
    let photo = try PhotoPipeline.process(.bytes(fixture.jpeg())) {
      received.append(contentsOf: $0)
    }
    let whole = try PhotoPipeline.process(.bytes(fixture.jpeg()))
    #expect(received == whole.full.bytes)
    #expect(photo.full.bytes.isEmpty && photo.full.length == received.count)
  }

  @Test("a descriptor that is no file is refused")
  func noFile() {
    #expect(throws: PhotoRefusal.self) { try PhotoPipeline.process(.file(descriptor: -1)) }
  }

  @Test("a header without end is refused, not walked for ever")
  func endlessHeader() {
    let comment = Segment(marker: 0xFE, body: []).bytes
    let file = [0xFF, 0xD8] + Array((0..<30_000).map { _ in comment }.joined())
    #expect(outcome(file).verdict == "corrupt")
  }
}
