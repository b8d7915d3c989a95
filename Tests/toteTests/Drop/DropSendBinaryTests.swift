import Core
import Drop
import Foundation
import HTTP
import Synchronization
import TestSupport
import Testing

/// `tote drop send` and `tote drop receive` of the built program, two processes over TLS.
@Suite(.serialized) struct DropSendBinaryTests {
  /// A receiver that waits, and what its sender needs.
  struct Pair {
    let tote: ToteBinary
    let receiver: ChildProcess
    let ticket: String

    var inbox: String { "\(tote.directory)/inbox" }
    var source: String { "\(tote.directory)/source" }

    /// Writes a file to send.
    @discardableResult
    func write(_ name: String, _ bytes: [UInt8], modified: Double? = nil) throws -> String {
      let path = "\(source)/\(name)"
      try FileManager.default.createDirectory(
        atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      if let modified {
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSince1970: modified)], ofItemAtPath: path)
      }
      return path
    }

    func send(
      _ words: [String], input: String? = nil, environment: [String: String] = [:],
      within limit: Duration = .seconds(120)
    ) throws -> ProcessResult {
      try tote.run(
        ["drop", "send"] + words, input: input ?? "\(ticket)\n", environment: environment,
        within: limit)
    }

    func received(_ name: String) throws -> [UInt8] {
      Array(try Data(contentsOf: URL(fileURLWithPath: "\(inbox)/\(name)")))
    }
  }

  static func run(_ options: [String] = [], _ body: (Pair) throws -> Void) throws {
    try withTote { tote in
      let inbox = "\(tote.directory)/inbox"
      for folder in [inbox, "\(tote.directory)/source"] { mkdir(folder, 0o700) }
      let receiver = try ChildProcess(
        try tote.launch(
          ["drop", "receive", "--into", inbox, "--bind", "127.0.0.1", "--yes", "--jsonl"] + options)
      )
      defer { receiver.send(SIGKILL) }
      let line = try #require(try receiver.nextLine())
      let ticket = try #require(try JSON(parsing: line)["ticket"]?.stringValue)
      try body(Pair(tote: tote, receiver: receiver, ticket: ticket))
      #expect(try FileManager.default.contentsOfDirectory(atPath: "\(tote.directory)/tmp").isEmpty)
    }
  }

  static func times(_ path: String) throws -> (Int, Int) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw SupportError.badSetup("no file at \(path)") }
    return (Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec))
  }

  // MARK: What arrives

  @Test("photos, empty files, and names in every script arrive with digests and times")
  func exchange() throws {
    try Self.run { pair in
      let corpus = SourceTests.root.appendingPathComponent("Tests/PhotosTests/Corpus").path
      let photos = try FileManager.default.contentsOfDirectory(atPath: corpus).filter {
        $0.hasSuffix(".jpg")
      }.prefix(12)
      for photo in photos {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(corpus)/\(photo)"))
        try pair.write("all/photos/\(photo)", Array(bytes), modified: 1_500_000_000.25)
      }
      let names = [
        "\u{00E9}t\u{00E9}.txt", "e\u{301}.txt", "\u{65E5}\u{672C}\u{8A9E}.txt",
        "\u{0440}\u{0443}\u{0441}",
        "\u{05E2}\u{05D1}\u{05E8}\u{05D9}\u{05EA}",
        "\u{0939}\u{093F}\u{0928}\u{094D}\u{0926}\u{0940}",
        "\u{D55C}\u{AE00}", "\u{1F469}\u{1F3FD} photo.bin", "a b  c", "percent %2F 100%", "empty",
      ]
      for (index, name) in names.enumerated() {
        try pair.write(
          "all/names/\(name)", name == "empty" ? [] : Array("file \(index)".utf8),
          modified: 1_000_000_000 + Double(index))
      }
      let result = try pair.send(["-", "\(pair.source)/all", "--json"])
      #expect(result.exitCode == 0, "\(result.errors)")
      let json = try JSON(parsing: result.output)
      #expect(json["ok"] == true && json["failed"] == 0)
      let files = try #require(json["files"]?.arrayValue)
      #expect(files.count == names.count + photos.count)
      for file in files {
        let (from, to) = (
          try #require(file["file"]?.stringValue), try #require(file["saved"]?.stringValue)
        )
        let bytes = try pair.received(to)
        #expect(bytes == Array(try Data(contentsOf: URL(fileURLWithPath: from))), "\(from)")
        var hash = SHA256()
        hash.update(bytes)
        #expect(file["sha256"]?.stringValue == hexadecimal(hash.finish()))
        #expect(try Self.times("\(pair.inbox)/\(to)") == Self.times(from))
      }
      let done = try pair.receiver.finish()
      #expect(done.exitCode == 0)
      #expect(try JSON(parsing: done.lines.last ?? "")["saved"] == .integer(Int64(files.count)))
    }
  }

  @Test("ten thousand small files arrive, with memory flat on both sides")
  func many() async throws { try await offPool { try Self.sendMany() } }

  private static func sendMany() throws {
    try run { pair in
      for index in 0..<10_000 {
        try pair.write("many/\(index / 100)/\(index)", Array("\(index)".utf8))
      }
      let result = try pair.send(["-", "\(pair.source)/many"], within: .seconds(400))
      #expect(result.exitCode == 0, "\(result.errors)")
      let done = try pair.receiver.finish()
      #expect(try FileManager.default.subpathsOfDirectory(atPath: pair.inbox).count == 10_101)
      #expect(try pair.received("many/77/7777") == Array("7777".utf8))
      #expect(result.peakMemory < 250 << 20, "\(result.peakMemory >> 20) MiB")
      #expect(done.peakMemory < 250 << 20, "\(done.peakMemory >> 20) MiB")
    }
  }

  @Test("a sparse file of 1 GiB arrives with memory flat on both sides")
  func large() async throws { try await offPool { try Self.sendLarge() } }

  private static func sendLarge() throws {
    try run { pair in
      let path = try pair.write("large", [1])
      #expect(truncate(path, 1 << 30) == 0)
      let result = try pair.send(["-", path, "--json"], within: .seconds(400))
      #expect(result.exitCode == 0, "\(result.errors)")
      let done = try pair.receiver.finish()
      var status = stat()
      #expect(stat("\(pair.inbox)/large", &status) == 0 && status.st_size == 1 << 30)
      #expect(result.peakMemory < 150 << 20, "\(result.peakMemory >> 20) MiB")
      #expect(done.peakMemory < 150 << 20, "\(done.peakMemory >> 20) MiB")
    }
  }

  @Test("a photo goes out without its location, the file itself is left as it is")
  func location() throws {
    try Self.run { pair in
      let corpus = SourceTests.root.appendingPathComponent("Tests/PhotosTests/Corpus")
      let photo = Array(try Data(contentsOf: corpus.appendingPathComponent("exif_gps_fake.jpg")))
      let path = try pair.write("gps.jpg", photo)
      let film = try pair.write("film.mp4", [0, 0, 0, 24] + Array("ftypmp42\0\0\0\0mp42isom".utf8))
      let text = try pair.write("notes.txt", Array("hello".utf8))
      let result = try pair.send(["-", path, film, text, "--strip-location", "--json"])
      #expect(result.exitCode == 1)
      let files = try #require(try JSON(parsing: result.output)["files"]?.arrayValue)
      #expect(files.compactMap { $0["status"]?.stringValue } == ["sent", "sent", "failed"])
      #expect(files.last?["code"] == "unsupported")
      let sent = try pair.received("gps.jpg")
      #expect(sent.count == photo.count && sent != photo)
      #expect(try Array(Data(contentsOf: URL(fileURLWithPath: path))) == photo)
      #expect(!FileManager.default.fileExists(atPath: "\(pair.inbox)/film.mp4"))
    }
  }

  // MARK: The ticket

  @Test("the ticket is taken from a picture, and from the environment")
  func pictures() throws {
    for isPicture in [true, false] {
      try Self.run(["--qr-file", "code.png"]) { pair in
        let path = try pair.write("a", [7])
        let result =
          isPicture
          ? try pair.send(["--qr", "\(pair.tote.directory)/code.png", path], input: "")
          : try pair.send([path], input: "", environment: ["TOTE_DROP_TICKET": pair.ticket])
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try pair.received("a") == [7])
      }
    }
  }

  @Test("a ticket among the arguments is taken, with a note on who sees it there")
  func argument() throws {
    try Self.run { pair in
      let path = try pair.write("a", [7])
      let result = try pair.send([pair.ticket, path], input: "")
      #expect(result.exitCode == 0)
      #expect(result.errors.contains("'-' reads it"))
      let token = try #require(pair.ticket.split(separator: "/").dropFirst(2).first)
      #expect(!result.errors.contains(token) && !result.output.contains(token))
    }
  }

  @Test(
    "what is no ticket, or none, is told without repeating it",
    arguments: [
      ("nonsense", 65), ("https://10.0.0.1:5/ABC", 65), ("\n\n", 65),
    ])
  func noTicket(text: String, status: Int32) throws {
    try withTote { tote in
      let result = try tote.run("drop", "send", "-", "file", input: text)
      #expect(result.exitCode == status && !result.errors.contains("ABC"))
      #expect(try tote.run("drop", "send", "file").exitCode == 64)
      #expect(try tote.run("drop", "send", "-", input: "x").exitCode != 0)
    }
  }

  // MARK: Who it is

  @Test("a proxy in the middle with another key gets no byte of a request")
  func stranger() async throws {
    let requests = Requests()
    var options = HTTPServer.Options()
    options.identity = try TLSIdentity.selfSigned(commonName: "tote drop", addresses: ["127.0.0.1"])
    let server = try HTTPServer(options) { _ in
      requests.count.withLock { $0 += 1 }
      return HTTPResponse(status: 200)
    }
    try Self.run { pair in
      let path = try pair.write("a", [7])
      var ticket = try DropTicket(parsing: pair.ticket)
      ticket.port = server.port
      let result = try pair.send(["-", path, "--json"], input: ticket.text)
      #expect(result.exitCode == 69)
      #expect(try JSON(parsing: result.errors)["error"]?["code"] == "pin_mismatch")
    }
    #expect(requests.count.withLock { $0 } == 0)
    await server.stop(draining: .zero)
  }

  final class Requests: Sendable { let count = Mutex(0) }

  @Test("an old ticket, and a receiver that has ended")
  func old() throws {
    try Self.run { pair in
      let path = try pair.write("a", [7])
      var ticket = try DropTicket(parsing: pair.ticket)
      ticket.token = .random()
      let result = try pair.send(["-", path, "--json"], input: ticket.text)
      #expect(result.exitCode == 77)
      #expect(try JSON(parsing: result.errors)["error"]?["code"] == "stale_ticket")
      #expect(try pair.send(["-", path]).exitCode == 0)
      _ = try pair.receiver.finish()
      let late = try pair.send(["-", path, "--json"])
      #expect(late.exitCode == 69)
      #expect(try JSON(parsing: late.errors)["error"]?["code"] == "unreachable")
    }
  }

  // MARK: What is told

  @Test("some that fail make the status 1, each is told, and the others arrive")
  func partly() throws {
    try Self.run { pair in
      let paths = try ["a", "b"].map { try pair.write($0, Array($0.utf8)) }
      let result = try pair.send(["-", paths[0], "\(pair.source)/none", paths[1], "--jsonl"])
      #expect(result.exitCode == 1)
      let lines = try result.lines.map { try JSON(parsing: $0) }
      let events = lines.compactMap { $0["event"]?.stringValue }.filter { $0 != "progress" }
      #expect(events == ["failed", "connected", "sending", "sent", "sent", "done"])
      #expect(lines.last?["ok"] == false && lines.last?["sent"] == 2)
      #expect(lines.first?["code"] == "not_found" && lines.last?["files"] == nil)
      #expect(try JSON(parsing: result.errors)["error"]?["code"] == "partial")
      #expect(try pair.received("b") == Array("b".utf8))
    }
  }

  @Test("nothing to send is told before anybody is asked")
  func nothing() throws {
    try Self.run { pair throws in
      #expect(try pair.send(["-"]).exitCode == 64)
      #expect(try pair.send(["-", pair.source]).exitCode == 66)
      #expect(try pair.send(["-", "\(pair.source)/none"]).exitCode == 66)
    }
  }
}
