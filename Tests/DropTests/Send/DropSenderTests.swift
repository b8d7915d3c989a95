import Core
import Foundation
import HTTP
import Synchronization
import TestSupport
import Testing

@testable import Drop

/// A sender against a scripted receiver.
@Suite(.serialized) struct DropSenderTests {
  /// Runs a sender with files below a private folder.
  struct World {
    let folder: String
    let receiver: ScriptedReceiver

    func write(_ name: String, _ bytes: [UInt8]) throws -> String {
      let path = "\(folder)/\(name)"
      try FileManager.default.createDirectory(
        atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      return path
    }

    func send(
      _ paths: [String], port: UInt16? = nil, ticket: DropTicket? = nil,
      change: (inout DropSender.Options) -> Void = { _ in },
      prepare: (inout FileGathering) throws -> Void = { _ in },
      event: @escaping @Sendable (DropSendEvent) -> Void = { _ in }
    ) async throws -> DropSendReport {
      var gathering = try FileGathering(paths)
      try prepare(&gathering)
      var options = DropSender.Options(
        folder: "\(folder)/offer-\(UInt32.random(in: 0...UInt32.max))")
      options.name = "the sender"
      options.pause = { _ in try await Task.sleep(for: .milliseconds(20)) }
      change(&options)
      let sender = DropSender(
        gathering.files, to: ticket ?? receiver.ticket(port: port), options: options)
      let report = try await sender.run {
        event($0)
      }
      #expect(!FileManager.default.fileExists(atPath: options.folder))
      return report
    }
  }

  static func run(
    _ script: ScriptedReceiver.Script = ScriptedReceiver.Script(),
    _ body: (borrowing World) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let receiver = try ScriptedReceiver(script)
      try await body(World(folder: folder, receiver: receiver))
      await receiver.stop()
    }
  }

  static func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, size in
      for index in 0..<count { buffer[index] = UInt8(truncatingIfNeeded: random.next() >> 24) }
      size = count
    }
  }

  static func failure(_ outcome: DropSendReport.Outcome) -> FileFailure? {
    if case .failed(let failure) = outcome { failure } else { nil }
  }

  // MARK: What arrives

  @Test("files and folders arrive as they are, with their names, places, times and sizes")
  func arrives() async throws {
    try await Self.run { world in
      let large = Self.noise(3 << 20 | 17)
      let paths = [
        try world.write("one.bin", large), try world.write("empty", []),
        try world.write("trip/day 1/\u{65E5}\u{672C}.txt", Array("hello".utf8)),
      ]
      let report = try await world.send([paths[0], paths[1], "\(world.folder)/trip/"])
      #expect(report.failedCount == 0 && report.results.count == 3)
      let one = try #require(world.receiver.file("one.bin"))
      #expect(one.bytes == large && one.isSaved)
      // All but the last bytes, then these with the digest.
      #expect(one.patches == 2)
      #expect(one.document["sender"]?.stringValue == "the sender")
      #expect(one.document["@datatype"]?.stringValue == "DropFile")
      #expect(one.document["path"] == nil && one.document["_attachments"] == nil)
      let attributes = try FileManager.default.attributesOfItem(atPath: paths[0])
      let modified = try #require(attributes[.modificationDate] as? Date)
      let told = try #require(
        one.document["modified"]?.stringValue.flatMap { Instant(rfc3339: $0) })
      #expect(abs(Double(told.seconds) - modified.timeIntervalSince1970) < 1.1)
      #expect(world.receiver.file("empty")?.isSaved == true)
      let nested = try #require(world.receiver.file("\u{65E5}\u{672C}.txt"))
      #expect(nested.document["path"]?.stringValue == "trip/day 1/\u{65E5}\u{672C}.txt")
      #expect(nested.document["type"]?.stringValue == "text/plain")
      guard case .saved(let name, let digest) = report.results[0].outcome else {
        throw SupportError.badSetup("not saved")
      }
      #expect(name == "one.bin" && digest.count == 64)
      #expect(world.receiver.isDone)
    }
  }

  @Test("a thousand small files are offered in batches")
  func many() async throws {
    try await Self.run { world in
      for index in 0..<1_000 {
        _ = try world.write("many/\(index % 100)/f\(index)", Array("file \(index)".utf8))
      }
      let report = try await world.send(["\(world.folder)/many"])
      #expect(report.failedCount == 0 && report.results.count == 1_000)
      #expect(world.receiver.bulks < 25)
      for index in 0..<1_000 {
        #expect(world.receiver.file("f\(index)")?.bytes == Array("file \(index)".utf8))
      }
      // Requests that carry many; the last files have one each.
      #expect(world.receiver.requests.count < 150)
    }
  }

  @Test("what goes wrong with one of many small files is that file's", arguments: [true, false])
  func manyWithTrouble(together: Bool) async throws {
    var script = ScriptedReceiver.Script()
    script.takesTogether = together
    script.refused = ["f7"]
    script.patch = { file, _ in
      let isBad = file.name == "f9" || file.name == "f8" && file.patches == 1
      return isBad
        ? HTTPResponse(
          status: 422, body: Array("{\"error\":\"digest\",\"reason\":\"the digest differs\"}".utf8))
        : nil
    }
    script.receipt = { receipt in
      guard receipt["name"] == "f11", var members = receipt.objectValue else { return receipt }
      members["sha256"] = .string(String(repeating: "0", count: 64))
      return .object(members)
    }
    try await Self.run(script) { world in
      var paths: [String] = []
      for index in 0..<200 {
        paths.append(try world.write("f\(index)", Self.noise(index * 31, seed: UInt64(index))))
      }
      paths.append(try world.write("large", Self.noise(300_000)))
      let report = try await world.send(
        paths,
        prepare: { _ in
          _ = try world.write("f3", [1])
          try FileManager.default.removeItem(atPath: paths[5])
        })
      let failures: [String: FileFailure.Code] = Dictionary(
        uniqueKeysWithValues: report.results.compactMap { result in
          Self.failure(result.outcome).map { (result.file.name, $0.code) }
        })
      #expect(
        failures == [
          "f3": .changed, "f5": .notFound, "f7": .refused, "f9": .digest, "f11": .digest,
        ])
      for index in 0..<200 where failures["f\(index)"] == nil {
        let expected = Self.noise(index * 31, seed: UInt64(index))
        let isSame = world.receiver.file("f\(index)")?.bytes == expected
        #expect(isSame, "f\(index)")
      }
      #expect(world.receiver.file("large")?.isSaved == true)
    }
  }

  @Test("what is saved is told also when the run ends with another file of the same request")
  func knownOutcomes() async throws {
    var script = ScriptedReceiver.Script()
    script.patch = { file, _ in
      guard file.name == "f3" else { return nil }
      return HTTPResponse(status: file.patches == 1 ? 423 : 410)
    }
    try await Self.run(script) { world in
      let paths = try (0..<40).map { try world.write("f\($0)", [UInt8($0)]) }
      let report = try await world.send(paths, change: { $0.connections = 1 })
      #expect(report.stop != nil)
      let saved = Set(report.results.filter(\.outcome.isSuccess).map(\.file.name))
      #expect(saved.isSuperset(of: ["f0", "f1", "f2", "f4", "f5", "f19"]) && !saved.contains("f3"))
      #expect(saved == Set(world.receiver.files.filter(\.isSaved).map(\.name)))
    }
  }

  @Test(
    "a receiver whose disk did not keep what it confirmed is told as that", arguments: [500, 507])
  func notKept(status: Int) async throws {
    var script = ScriptedReceiver.Script()
    script.done = status
    try await Self.run(script) { world in
      let report = try await world.send([try world.write("a", [1])])
      #expect(report.failedCount == 0)
      guard case DropSendError.notKept? = report.stop else {
        Issue.record("\(String(describing: report.stop))")
        return
      }
    }
  }

  @Test("a sender is the same one from wherever it sends, and another with another ticket")
  func agent() {
    let (token, other) = (DropToken.random(), DropToken.random())
    let key = SenderAgent.key(of: SenderAgent.field(token))
    #expect(key != nil && key == SenderAgent.key(of: SenderAgent.field(token)))
    #expect(key != SenderAgent.key(of: SenderAgent.field(other)))
    #expect(!SenderAgent.field(token).contains(token.text))
    #expect(SenderAgent.key(of: "curl/8") == nil && SenderAgent.key(of: nil) == nil)
  }

  @Test("nothing is sent before the receiver's person has agreed, and nothing when they refuse")
  func asking() async throws {
    var script = ScriptedReceiver.Script()
    script.asking = 3
    try await Self.run(script) { world in
      let path = try world.write("a", [1, 2, 3])
      let asked = Asked()
      _ = try await world.send(
        [path],
        event: { event in
          if case .asking = event { asked.count.withLock { $0 += 1 } }
        })
      #expect(asked.count.withLock { $0 } == 1)
      let patches = world.receiver.requests.firstIndex { $0.hasPrefix("PATCH") }
      let heads = world.receiver.requests.lastIndex { $0.hasPrefix("HEAD") }
      #expect(try #require(patches) > #require(heads))
    }
    script = ScriptedReceiver.Script()
    script.refused = ["a", "b"]
    try await Self.run(script) { world in
      let paths = [try world.write("a", [1]), try world.write("b", [2])]
      await #expect {
        try await world.send(paths)
      } throws: { error in
        if case .declined? = error as? DropSendError { true } else { false }
      }
      #expect(world.receiver.bodyBytes == 0)
    }
  }

  final class Asked: Sendable { let count = Mutex(0) }

  @Test("a file that the receiver refuses is that file's failure, and the receiver is told the end")
  func partly() async throws {
    var script = ScriptedReceiver.Script()
    script.refused = ["b"]
    script.patch = { file, _ in
      file.name == "c"
        ? HTTPResponse(
          status: 507, body: Array("{\"error\":\"full\",\"reason\":\"the disk is full\"}".utf8))
        : nil
    }
    try await Self.run(script) { world in
      let paths = try ["a", "b", "c", "d"].map { try world.write($0, Array($0.utf8)) }
      let report = try await world.send(paths)
      #expect(report.failedCount == 2)
      #expect(Self.failure(report.results[1].outcome)?.code == .refused)
      #expect(
        Self.failure(report.results[2].outcome) == FileFailure(.noSpace, "the disk is full"))
      #expect(world.receiver.file("d")?.isSaved == true)
      #expect(world.receiver.isDone)
    }
  }

  @Test("a receipt that names other bytes or another size is a failure")
  func receipt() async throws {
    var script = ScriptedReceiver.Script()
    script.receipt = { receipt in
      var members = receipt.objectValue ?? [:]
      if members["name"]?.stringValue == "a" { members["sha256"] = .string("00") }
      if members["name"]?.stringValue == "b" { members["size"] = 7 }
      return .object(members)
    }
    try await Self.run(script) { world in
      let paths = try ["a", "b", "c"].map { try world.write($0, Array($0.utf8)) }
      let report = try await world.send(paths)
      #expect(report.results.map { Self.failure($0.outcome)?.code } == [.digest, .digest, nil])
    }
  }

  // MARK: Who it is

  @Test("another key is refused before the first byte of a request")
  func wrongKey() async throws {
    try await Self.run { world in
      let path = try world.write("a", [1])
      var ticket = world.receiver.ticket()
      ticket.pin = TLSPin([UInt8](repeating: 3, count: 32))
      await #expect {
        try await world.send([path], ticket: ticket)
      } throws: { error in
        if case .wrongKey? = error as? DropSendError { true } else { false }
      }
      #expect(world.receiver.requests.isEmpty)
    }
  }

  @Test("an old ticket is told as such")
  func stale() async throws {
    try await Self.run { world in
      let path = try world.write("a", [1])
      var ticket = world.receiver.ticket()
      ticket.token = .random()
      await #expect {
        try await world.send([path], ticket: ticket)
      } throws: { error in
        if case .staleTicket? = error as? DropSendError { true } else { false }
      }
    }
  }

  @Test("of several addresses the one with the right key is taken")
  func addresses() async throws {
    let stranger = try ScriptedReceiver()
    try await Self.run { world in
      let path = try world.write("a", [1])
      // The same port on another loopback address, where somebody else listens.
      var options = HTTPServer.Options()
      options.address = "127.0.0.2"
      options.port = world.receiver.port
      options.identity = stranger.identity
      let server = try HTTPServer(options) { _ in HTTPResponse(status: 200) }
      var ticket = world.receiver.ticket()
      ticket.addresses = ["127.0.0.2", "127.0.0.3", "127.0.0.1"]
      let report = try await world.send([path], ticket: ticket)
      #expect(report.failedCount == 0 && report.address == "127.0.0.1")
      await server.stop()
    }
    await stranger.stop()
  }

  @Test("nobody at any address is an error that names them")
  func nobody() async throws {
    try await Self.run { world in
      let path = try world.write("a", [1])
      let ticket = world.receiver.ticket()
      await world.receiver.stop()
      await #expect {
        try await world.send([path], ticket: ticket)
      } throws: { error in
        guard case .unreachable(["127.0.0.1"], _)? = error as? DropSendError else { return false }
        return true
      }
    }
  }

  // MARK: Broken connections

  @Test("a connection cut at 30, 60 and 95 % goes on where it was", arguments: [1, 4])
  func cut(files: Int) async throws {
    try await Self.run { world in
      let total = 48 << 20
      let cuts = [0.3, 0.6, 0.95].map { Int(Double(total) * $0) }
      let proxy = try CuttingProxy(before: world.receiver.port, cutting: cuts)
      defer { proxy.stop() }
      let contents = (0..<files).map { Self.noise(total / files, seed: UInt64($0 + 7)) }
      let paths = try contents.enumerated().map { try world.write("f\($0)", $1) }
      let report = try await world.send(paths, port: proxy.port)
      #expect(report.failedCount == 0, "\(report.results.map(\.outcome))")
      #expect(proxy.cutsLeft == 0)
      for (index, content) in contents.enumerated() {
        // Not in the macro, which would print megabytes.
        let isSame = world.receiver.file("f\(index)")?.bytes == content
        #expect(isSame, "f\(index)")
      }
      // What was in the buffers of each cut connection is all that is sent again.
      #expect(report.sentBytes - Int64(total) < Int64(3 * files * (6 << 20)))
      #expect(world.receiver.bodyBytes == total)
    }
  }

  @Test("files that are saved are not sent again when the sender is started again")
  func again() async throws {
    try await Self.run { world in
      let paths = try ["a", "b"].map { try world.write($0, Array($0.utf8)) }
      _ = try await world.send([paths[0]])
      let bytes = world.receiver.bodyBytes
      let report = try await world.send(paths)
      #expect(report.failedCount == 0)
      guard case .wasThere = report.results[0].outcome else {
        throw SupportError.badSetup("sent again")
      }
      #expect(world.receiver.bodyBytes == bytes + 1)
    }
  }

  @Test(
    "a receiver that is gone for good ends the run when patience does, and names what is missing")
  func lost() async throws {
    try await Self.run { world in
      let receiver = world.receiver
      let paths = [
        try world.write("a", [1]), try world.write("b", Self.noise(8 << 20)),
        try world.write("c", [3]),
      ]
      let port = receiver.port
      let proxy = try CuttingProxy(before: port, cutting: [3 << 20])
      let report = try await world.send(
        paths, port: proxy.port,
        change: {
          $0.connections = 1
          $0.patience = .milliseconds(300)
          $0.pause = { _ in
            proxy.stop()
            try await Task.sleep(for: .milliseconds(50))
          }
        })
      #expect(report.results.map(\.outcome.isSuccess) == [true, false, false])
      #expect(report.stop != nil)
      #expect(Self.failure(report.results[2].outcome)?.code == .notSent)
    }
  }

  @Test("damage on the way is sent once more, and then a failure")
  func damage() async throws {
    let seen = Asked()
    var script = ScriptedReceiver.Script()
    script.patch = { file, _ in
      seen.count.withLock { $0 += 1 }
      let isBad = file.name == "always" || file.patches == 1
      return isBad
        ? HTTPResponse(
          status: 422, body: Array("{\"error\":\"digest\",\"reason\":\"the digest differs\"}".utf8))
        : nil
    }
    try await Self.run(script) { world in
      let paths = try ["once", "always"].map { try world.write($0, [1, 2]) }
      let report = try await world.send(paths)
      #expect(report.results.map { Self.failure($0.outcome)?.code } == [nil, .digest])
    }
  }

  // MARK: Files that change

  @Test("a file that changes, shrinks or vanishes before its turn is that file's failure")
  func changed() async throws {
    try await Self.run { world in
      let paths = try ["a", "b", "c", "d"].map { try world.write($0, [1, 2, 3]) }
      let report = try await world.send(
        paths,
        prepare: { gathering in
          #expect(gathering.files.count == 4)
          _ = try world.write("a", [1, 2, 3, 4])
          try FileManager.default.removeItem(atPath: paths[1])
          try FileManager.default.removeItem(atPath: paths[2])
          try FileManager.default.createSymbolicLink(
            atPath: paths[2], withDestinationPath: "/etc/hostname")
        })
      #expect(
        report.results.map { Self.failure($0.outcome)?.code }
          == [.changed, .notFound, .changed, nil])
      #expect(world.receiver.file("a")?.bytes.isEmpty == true)
      #expect(world.receiver.file("c")?.bytes.isEmpty == true)
    }
  }

  @Test("a file that changes while it is sent is never completed")
  func changedMeanwhile() async throws {
    try await Self.run { world in
      let path = try world.write("a", Self.noise(6 << 20))
      let report = try await world.send(
        [path],
        event: { event in
          guard case .progress(let progress) = event, progress.fileBytes.done > 1 << 20,
            let handle = FileHandle(forWritingAtPath: path)
          else { return }
          try? handle.seek(toOffset: 5)
          try? handle.write(contentsOf: Data([1]))
          utimensat(AT_FDCWD, path, [timespec(), timespec()], 0)
        })
      #expect(Self.failure(report.results[0].outcome)?.code == .changed)
      #expect(world.receiver.file("a")?.isSaved == false)
    }
  }

  @Test("replacements take the place of a file's bytes wherever pieces end")
  func replacements() async throws {
    try await Self.run { world in
      var content = Self.noise(2 << 20)
      let path = try world.write("a", content)
      let places: [(Int, Int)] = [(0, 3), ((256 << 10) - 2, 5), ((1 << 20) - 1, 300_000)]
      let report = try await world.send(
        [path],
        prepare: { gathering in
          try gathering.prepare { file throws(FileFailure) in
            file.replacements = places.map {
              OutgoingFile.Replacement(
                offset: Int64($0.0), bytes: [UInt8](repeating: 9, count: $0.1))
            }
          }
        })
      for (offset, count) in places {
        content.replaceSubrange(offset..<offset + count, with: [UInt8](repeating: 9, count: count))
      }
      #expect(report.failedCount == 0)
      let isSame = world.receiver.file("a")?.bytes == content
      #expect(isSame)
    }
  }
}
