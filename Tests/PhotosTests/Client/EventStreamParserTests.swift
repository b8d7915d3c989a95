import TestSupport
import Testing

@testable import Photos

struct EventStreamParserTests {
  private static let text =
    "\u{feff}: hello\n\nevent: added\nid: 7\ndata: one\ndata:two\r\n\r\nretry: 250\rdata\r\r"
    + "id: 8\nevent: removed\ndata:  x\nunknown: y\n\ndata: unfinished\n"

  @Test("events come whole, however the bytes are cut")
  func pieces() throws {
    let bytes = Array(Self.text.utf8)
    for size in 1...bytes.count {
      var parser = EventStreamParser()
      var events: [EventStreamParser.Event] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        events += try parser.feed(Array(bytes[start..<min(start + size, bytes.count)]))
      }
      #expect(
        events == [
          .init(name: "added", data: "one\ntwo"), .init(name: "", data: ""),
          .init(name: "removed", data: " x"),
        ])
      #expect(parser.lastID == "8" && parser.retry == 250)
    }
  }

  @Test("a line or an event without an end is refused")
  func endless() {
    var parser = EventStreamParser()
    let piece = [UInt8](repeating: 0x61, count: 1 << 16)
    #expect(throws: EventStreamParser.TooLong.self) {
      for _ in 0..<20 { _ = try parser.feed(piece) }
    }
    var other = EventStreamParser()
    let line = Array("data: ".utf8) + piece + [0x0a]
    #expect(throws: EventStreamParser.TooLong.self) {
      for _ in 0..<20 { _ = try other.feed(line) }
    }
  }
}
