import Glibc
import Synchronization

/// Counts what a server does, for Prometheus (text format 0.0.4).
final class ServerMetrics: Sendable {
  /// What became of an upload.
  enum UploadResult: String, CaseIterable {
    case added
    case duplicate
    /// The picture is not taken.
    case refused
    /// The sender has to come again.
    case busy
    case failed
  }

  private struct Counts {
    /// Answers by the first digit of their status.
    var answers = [Int](repeating: 0, count: 6)
    var uploads: [UploadResult: Int] = [:]
    var uploadedBytes: Int64 = 0
    var workNanoseconds: Int64 = 0
    var eventStreams = 0
    var loginFailures = 0
  }

  private let counts = Mutex(Counts())
  private let start = ContinuousClock.now

  func countAnswer(_ status: Int) {
    counts.withLock { $0.answers[max(0, min(status / 100, 5))] += 1 }
  }

  func countUpload(_ result: UploadResult, bytes: Int64 = 0, work: Duration = .zero) {
    let (seconds, attoseconds) = work.components
    counts.withLock { counts in
      counts.uploads[result, default: 0] += 1
      counts.uploadedBytes += bytes
      counts.workNanoseconds += seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
  }

  func countLoginFailure() { counts.withLock { $0.loginFailures += 1 } }

  func countEventStreams(_ change: Int) { counts.withLock { $0.eventStreams += change } }

  /// The text of the metrics endpoint.
  func text(queue: (working: Int, waiting: Int, admitted: Int), connections: Int) -> String {
    let counts = counts.withLock { $0 }
    var lines: [String] = []
    func metric(_ name: String, _ kind: String, _ help: String, _ samples: [(String, String)]) {
      lines.append("# HELP tote_photo_\(name) \(help)")
      lines.append("# TYPE tote_photo_\(name) \(kind)")
      for (labels, value) in samples { lines.append("tote_photo_\(name)\(labels) \(value)") }
    }
    metric(
      "requests_total", "counter", "Answered requests by the class of their status.",
      (2...5).map { ("{status=\"\($0)xx\"}", "\(counts.answers[$0])") })
    metric(
      "uploads_total", "counter", "Uploads by what became of them.",
      UploadResult.allCases.map {
        ("{result=\"\($0.rawValue)\"}", "\(counts.uploads[$0, default: 0])")
      })
    metric("upload_bytes_total", "counter", "Bytes of uploads.", [("", "\(counts.uploadedBytes)")])
    metric(
      "work_seconds_total", "counter", "Time spent on pictures and on storing them.",
      [("", "\(Double(counts.workNanoseconds) / 1e9)")])
    metric(
      "login_failures_total", "counter", "Wrong names and passwords.",
      [("", "\(counts.loginFailures)")])
    metric("uploads_working", "gauge", "Pictures in work.", [("", "\(queue.working)")])
    metric(
      "uploads_waiting", "gauge", "Uploads that wait for work on them.", [("", "\(queue.waiting)")])
    metric("uploads_admitted", "gauge", "Uploads that were let in.", [("", "\(queue.admitted)")])
    metric("event_streams", "gauge", "Readers of live events.", [("", "\(counts.eventStreams)")])
    metric("connections", "gauge", "Open connections.", [("", "\(connections)")])
    let (seconds, _) = (ContinuousClock.now - start).components
    metric("uptime_seconds", "gauge", "Time since the start.", [("", "\(seconds)")])
    metric("resident_bytes", "gauge", "Memory of the process.", [("", "\(Self.residentBytes)")])
    return lines.joined(separator: "\n") + "\n"
  }

  /// The second number of `statm` is the pages in memory; 0 where there is no such file.
  private static var residentBytes: Int {
    let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return 0 }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 128)
    let count = read(descriptor, &buffer, buffer.count)
    let words = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).split(separator: " ")
    guard words.count > 1, let pages = Int(words[1]) else { return 0 }
    return pages * sysconf(Int32(_SC_PAGESIZE))
  }
}
