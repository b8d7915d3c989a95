import Core
import HTTP

/// Small files, several in one request.
extension FileSending {
  /// A file's place among those of the run.
  struct Member {
    var file: OutgoingFile
    var id: String
    var index: Int
  }

  /// Bytes of the files that share a request; they lie in memory.
  static let togetherBytes: Int64 = 2 << 20
  /// Files that share a request: what must be asked for again when the connection breaks.
  static let togetherCount = 64

  /// Whether a file may share a request.
  static func isSmall(_ file: OutgoingFile) -> Bool { file.size <= UploadParts.sizeLimit }

  /// Sends small files in one request.
  ///
  /// - Returns: what became of each; nil for one that is to be sent on its own, after it was asked
  ///   where the receiver stands.
  /// - Throws: `CancellationError`.
  func sendTogether(_ members: [Member]) async throws -> [DropSendReport.Outcome?] {
    var outcomes = [DropSendReport.Outcome?](repeating: nil, count: members.count)
    var body: [UInt8] = []
    var sent: [(position: Int, digest: String)] = []
    for (position, member) in members.enumerated() {
      do throws(FileFailure) {
        sent.append((position, try Self.append(member, to: &body)))
      } catch {
        outcomes[position] = .failed(error)
      }
    }
    guard !sent.isEmpty else { return outcomes }
    let answers: [ReceiverConnection.Answer]
    do {
      answers = try await connection.sendTogether(body, count: sent.count)
      retry.succeed()
    } catch {
      try Task.checkCancellation()
      // Each file finds out by itself how the receiver stands, and whether it is still there.
      connection.forgetAddress()
      return outcomes
    }
    for ((position, digest), answer) in zip(sent, answers) {
      let member = members[position]
      progress.add(Int(member.file.size), to: member.index)
      outcomes[position] = Self.outcome(of: answer, digest, member.file)
    }
    return outcomes
  }

  /// Appends a file as `UploadParts` has it; returns its digest.
  private static func append(
    _ member: Member, to body: inout [UInt8]
  ) throws(FileFailure) -> String {
    let content = try OutgoingContent(member.file)
    let bytes = try content.rest(before: member.file.size)
    try content.check()
    let digest = content.digest
    body += UploadParts.head(id: member.id, size: bytes.count, sha256: digest)
    body += bytes
    return digest
  }

  private static func outcome(
    of answer: ReceiverConnection.Answer, _ digest: String, _ file: OutgoingFile
  ) -> DropSendReport.Outcome? {
    switch answer {
    case .saved(let receipt): outcome(of: receipt, digest, file)
    // Damaged on the way: once more.
    case .failed(let failure): failure.code == .digest ? nil : .failed(failure)
    case .stands, .conflict, .ask: nil
    }
  }
}
