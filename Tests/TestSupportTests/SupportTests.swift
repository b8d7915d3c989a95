import Glibc
import TestSupport
import Testing

@Suite("Builders and sources of chance")
struct SupportTests {
  @Test("a temporary folder is private, empty and gone afterwards, also after an error")
  func temporaryDirectory() throws {
    var seen = ""
    struct Failure: Error {}
    #expect(throws: Failure.self) {
      try withTemporaryDirectory { path in
        seen = path
        var information = stat()
        #expect(stat(path, &information) == 0)
        #expect(information.st_mode & 0o777 == 0o700)
        mkdir("\(path)/locked", 0o700)
        try writeText("x", to: "\(path)/locked/file")
        symlink("/etc", "\(path)/link")
        chmod("\(path)/locked", 0o500)
        throw Failure()
      }
    }
    #expect(!seen.isEmpty)
    #expect(access(seen, F_OK) != 0)
    #expect(access("/etc/passwd", F_OK) == 0)
  }

  @Test("equal seeds give equal numbers, other seeds others")
  func seeds() {
    var (first, second, third) = (
      SeededGenerator(seed: 7), SeededGenerator(seed: 7), SeededGenerator(seed: 8)
    )
    let numbers = (0..<100).map { _ in first.next() }
    #expect(numbers == (0..<100).map { _ in second.next() })
    #expect(numbers != (0..<100).map { _ in third.next() })
    #expect(Set(numbers).count == 100)
  }

  @Test("SplitMix64 gives the published numbers for seed 1234567")
  func splitMix() {
    var generator = SeededGenerator(seed: 1_234_567)
    #expect(generator.next() == 6_457_827_717_110_365_317)
    #expect(generator.next() == 3_203_168_211_198_807_973)
  }

  @Test("a fake clock stands still until it is moved")
  func clock() {
    let clock = FakeClock()
    #expect(clock.seconds == 1_893_499_200)
    #expect(clock.now == clock.now)
    clock.advance(by: .milliseconds(1_500))
    #expect(clock.seconds == 1_893_499_201)
    clock.advance(by: .seconds(-2))
    #expect(clock.seconds == 1_893_499_199)
  }

  @Test("the built program is found beside the test bundle")
  func binary() throws {
    let path = try ToteBinary.path()
    #expect(path.hasSuffix("/tote"))
    try withTote { tote in
      #expect(tote.environment["HOME"]?.hasPrefix(tote.directory) == true)
      let found = try tote.shell("command -v tote")
      #expect(found.output == path + "\n")
    }
  }
}
