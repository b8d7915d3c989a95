import Foundation
import TestSupport
import Testing

/// Replays the sessions in `Transcripts/`; to record them, see `Transcript.verify`.
struct TranscriptTests {
  static let files = Transcript.files(
    in: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Transcripts").path)

  @Test("the session goes as written", arguments: files)
  func session(path: String) throws { try Transcript.verify(path) }
}
