import Foundation
import HTTP
import TestSupport
import Testing

@testable import Drop

/// The sender with the receiver, in one process.
@Suite(.serialized) struct SendToReceiverTests {
  private func options(_ folder: String) -> DropSender.Options {
    var options = DropSender.Options(folder: "\(folder)/offer")
    options.pause = { _ in try await Task.sleep(for: .milliseconds(20)) }
    return options
  }

  /// Writes files to send, and receives behind a proxy that cuts at 30, 60 and 95 % of their bytes.
  private static func receiver(
    of contents: [[UInt8]], in folder: String
  ) throws -> (DropReceiver, CuttingProxy) {
    for name in ["in", "out"] { mkdir("\(folder)/\(name)", 0o700) }
    for (index, bytes) in contents.enumerated() {
      try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/out/f\(index)"))
    }
    let total = contents.reduce(0) { $0 + $1.count }
    // The receiver knows itself by the proxy's address: the same port of another one.
    var receiving = DropReceiver.Options(folder: "\(folder)/in")
    receiving.advertised = ["127.0.0.9"]
    let receiver = try DropReceiver(receiving)
    let proxy = try CuttingProxy(
      before: receiver.ticket.port, at: "127.0.0.9", port: receiver.ticket.port,
      cutting: [0.3, 0.6, 0.95].map { Int(Double(total) * $0) })
    return (receiver, proxy)
  }

  @Test("a connection cut at 30, 60 and 95 % finishes with little sent twice", arguments: [1, 3])
  func cut(files: Int) async throws {
    try await withTemporaryDirectory { folder in
      let total = 36 << 20
      let contents = (0..<files).map { DropSenderTests.noise(total / files, seed: UInt64($0 + 3)) }
      let (receiver, proxy) = try Self.receiver(of: contents, in: folder)
      defer { proxy.stop() }
      let gathering = try FileGathering(["\(folder)/out"])
      let report = try await DropSender(
        gathering.files, to: receiver.ticket, options: options(folder)
      ).run()
      #expect(report.failedCount == 0 && proxy.cutsLeft == 0)
      for (index, bytes) in contents.enumerated() {
        let saved = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/in/out/f\(index)"))
        #expect(saved == Data(bytes))
      }
      #expect(report.sentBytes - Int64(total) < Int64(3 * files * (6 << 20)))
      await receiver.stop()
    }
  }

  @Test("connections cut amid hundreds of small files: all arrive, little is sent twice")
  func cutAmidSmallFiles() async throws {
    try await withTemporaryDirectory { folder in
      let contents = (0..<400).map { DropSenderTests.noise($0 * 250, seed: UInt64($0 + 3)) }
      let total = contents.reduce(0) { $0 + $1.count }
      let (receiver, proxy) = try Self.receiver(of: contents, in: folder)
      defer { proxy.stop() }
      var sending = options(folder)
      sending.connections = 1
      let report = try await DropSender(
        try FileGathering(["\(folder)/out"]).files, to: receiver.ticket, options: sending
      ).run()
      #expect(report.failedCount == 0 && proxy.cutsLeft == 0)
      for (index, bytes) in contents.enumerated() {
        let saved = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/in/out/f\(index)"))
        #expect(saved == Data(bytes), "f\(index)")
      }
      // One request of two megabytes is on its way, each of the three times.
      #expect(proxy.forwarded - total < 3 * (3 << 20))
      #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/in/out").count == 400)
      await receiver.stop()
    }
  }

  @Test("the sender waits for the receiver's person, and takes no for an answer")
  func asking() async throws {
    for agrees in [true, false] {
      try await withTemporaryDirectory { folder in
        for name in ["in", "out"] { mkdir("\(folder)/\(name)", 0o700) }
        try Data([1, 2]).write(to: URL(fileURLWithPath: "\(folder)/out/a"))
        var receiving = DropReceiver.Options(folder: "\(folder)/in")
        receiving.ask = { request in
          #expect(request.files.map(\.name) == ["a"])
          return agrees ? .accept : .refuse
        }
        let receiver = try DropReceiver(receiving)
        let sender = DropSender(
          try FileGathering(["\(folder)/out/a"]).files, to: receiver.ticket,
          options: options(folder))
        if agrees {
          #expect(try await sender.run().failedCount == 0)
        } else {
          await #expect(throws: DropSendError.self) { _ = try await sender.run() }
        }
        #expect(FileManager.default.fileExists(atPath: "\(folder)/in/a") == agrees)
        await receiver.stop()
      }
    }
  }

  @Test("a file that the receiver has already is sent to a second name, or known as the same")
  func twice() async throws {
    try await withTemporaryDirectory { folder in
      for name in ["in", "out"] { mkdir("\(folder)/\(name)", 0o700) }
      try Data([1, 2]).write(to: URL(fileURLWithPath: "\(folder)/out/a"))
      try Data([3]).write(to: URL(fileURLWithPath: "\(folder)/in/a"))
      let receiver = try DropReceiver(DropReceiver.Options(folder: "\(folder)/in"))
      let report = try await DropSender(
        try FileGathering(["\(folder)/out/a"]).files, to: receiver.ticket,
        options: options(folder)
      ).run()
      guard case .saved(let name, _) = report.results[0].outcome else {
        throw SupportError.badSetup("not saved")
      }
      #expect(name == "a (2)")
      await receiver.stop()
    }
  }
}
