import Foundation
import TestSupport
import Testing

@testable import Drop

@Suite struct FileGatheringTests {
  private func make(_ path: String, _ text: String = "x") throws {
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  @Test("a folder's files keep their places; links and special files in it are left out and named")
  func folder() throws {
    try withTemporaryDirectory { home in
      try make("\(home)/trip/b.txt")
      try make("\(home)/trip/a/1.txt")
      try make("\(home)/secret/key")
      symlink("\(home)/secret", "\(home)/trip/out")
      symlink("/etc/hostname", "\(home)/trip/host")
      mkfifo("\(home)/trip/pipe", 0o600)
      let found = try FileGathering(["\(home)/trip///"])
      #expect(found.files.map(\.path) == ["trip/a/1.txt", "trip/b.txt"])
      #expect(found.files.map(\.name) == ["1.txt", "b.txt"])
      #expect(
        found.skipped.map(\.label) == ["host", "out", "pipe"].map { "\(home)/trip///\($0)" })
      #expect(found.failures.isEmpty)
    }
  }

  @Test("a link that is named itself is followed, a pipe is a failure, and a missing file too")
  func named() throws {
    try withTemporaryDirectory { home in
      try make("\(home)/real")
      symlink("\(home)/real", "\(home)/link")
      mkfifo("\(home)/pipe", 0o600)
      let found = try FileGathering(
        ["\(home)/link", "\(home)/pipe", "\(home)/none", "/dev/null", "\(home)/link"])
      #expect(found.files.map(\.name) == ["link"])
      #expect(found.files.first?.path == nil)
      #expect(found.failures.map(\.failure.code) == [.unsupported, .notFound, .unsupported])
      #expect(found.skipped.map(\.reason) == ["it was named twice"])
    }
  }

  @Test("a name that is no UTF-8 is found, told with replacement characters, and opened")
  func broken() throws {
    try withTemporaryDirectory { home in
      let name = Array("\(home)/bad-".utf8) + [0xFF, 0xFE, 0]
      let descriptor = name.map { CChar(bitPattern: $0) }.withUnsafeBufferPointer {
        open($0.baseAddress!, O_CREAT | O_WRONLY, 0o600)
      }
      #expect(write(descriptor, "abc", 3) == 3)
      close(descriptor)
      let file = try #require(try FileGathering([home]).files.first)
      #expect(file.name == "bad-\u{FFFD}\u{FFFD}" && file.size == 3)
      let content = try OutgoingContent(file)
      #expect(try content.rest(before: 3) == Array("abc".utf8))
    }
  }

  @Test("what may not be read is a failure, the rest is found", .enabled(if: geteuid() != 0))
  func unreadable() throws {
    try withTemporaryDirectory { home in
      try make("\(home)/d/a")
      try make("\(home)/d/b")
      chmod("\(home)/d/a", 0)
      let found = try FileGathering(["\(home)/d"])
      #expect(found.files.map(\.name) == ["b"])
      #expect(found.failures.map(\.failure.code) == [.forbidden])
    }
  }

  @Test("the folder '.' is called what it is called")
  func dot() throws {
    try withTemporaryDirectory { home in
      try make("\(home)/photos/a")
      let found = try FileGathering(["\(home)/photos/."])
      #expect(found.files.map(\.path) == ["photos/a"])
    }
  }
}
