import Core
import HTTP
import Sync

/// Sends one file at a time over one connection, from where the receiver stands, until it is saved.
struct FileSending: Sendable {
  let connection: ReceiverConnection
  let retry: SendRetry
  let progress: SendProgress

  /// The last bytes of a file go with its digest, which is known only when they have been read: so
  /// many are held in memory for that.
  private static let tail: Int64 = 1 << 20

  /// Times that the receiver may say it stands elsewhere before it is given up.
  private static let conflictLimit = 8

  /// Sends a file.
  ///
  /// - Parameters:
  ///   - file: the file.
  ///   - id: its document.
  ///   - index: its place in the run.
  ///   - asksFirst: whether the receiver may have it already.
  /// - Returns: what became of it.
  /// - Throws: what ends the whole run.
  func send(
    _ file: OutgoingFile, id: String, index: Int, asksFirst: Bool = false
  ) async throws -> DropSendReport.Outcome {
    do {
      let content = try OutgoingContent(file)
      return try await send(content, file, id, index, asksFirst: asksFirst)
    } catch let failure as FileFailure {
      return .failed(failure)
    }
  }

  private func send(
    _ content: OutgoingContent, _ file: OutgoingFile, _ id: String, _ index: Int,
    asksFirst: Bool
  ) async throws -> DropSendReport.Outcome {
    // The usual file is new to the receiver: it is sent without asking.
    var offset: Int64? = asksFirst ? nil : 0
    var conflicts = 0
    var hasMismatched = false
    while true {
      do {
        guard let start = offset else {
          switch try await connection.state(of: id) {
          case .open(let stand): offset = stand
          case .asking: try await Task.sleep(for: .milliseconds(250))
          case .refused(let failure): return .failed(failure)
          case .saved: return .wasThere
          }
          retry.succeed()
          continue
        }
        guard start <= file.size else {
          throw DropSendError.unexpected(detail: "it has more of '\(file.name)' than there is")
        }
        try content.move(to: start)
        progress.set(start, of: index)
        let answer = try await sendBytes(content, file, id, index, from: start)
        retry.succeed()
        switch answer {
        case .stands(let stand) where stand > start: offset = stand
        case .saved(let receipt):
          // An earlier run may have sent what this one has not read.
          try content.move(to: file.size)
          return Self.outcome(of: receipt, content.digest, file)
        case .ask, .conflict, .stands:
          conflicts += 1
          guard conflicts <= Self.conflictLimit else {
            return .failed(FileFailure(.unexpected, "the receiver does not say what it wants"))
          }
          if case .conflict(let stand) = answer { offset = stand } else { offset = nil }
          // Bytes of a request that was cut may still be trickling in there.
          if conflicts > 1 { try await Task.sleep(for: .milliseconds(5 << conflicts)) }
        case .failed(let failure):
          // Damaged on the way, or by an earlier run of a file that has changed: once more.
          guard failure.code == .digest, !hasMismatched else { return .failed(failure) }
          hasMismatched = true
          offset = nil
        }
      } catch let failure as FileFailure {
        throw failure
      } catch {
        if error is CancellationError { throw error }
        // Somebody else answers here now; whether the receiver does elsewhere, looking for it tells.
        let isStranger =
          if case HTTPError.tls(.pinMismatch, _, _, _) = error { true } else { false }
        if !isStranger { try await retry.wait(after: error) }
        connection.forgetAddress()
        offset = nil
      }
    }
  }

  /// Sends what is left in one request, or all but the last bytes when it is much.
  private func sendBytes(
    _ content: OutgoingContent, _ file: OutgoingFile, _ id: String, _ index: Int,
    from start: Int64
  ) async throws -> ReceiverConnection.Answer {
    guard file.size - start > Self.tail else {
      let bytes = try content.rest(before: file.size)
      // Checked before the last bytes go out: without them the receiver saves nothing.
      try content.check()
      let answer = try await connection.send(
        id, at: start, digest: content.digest, bytes.isEmpty ? .none : .bytes(bytes))
      progress.add(bytes.count, to: index)
      return answer
    }
    let end = file.size - Self.tail
    let body = HTTPBody(length: end - start) { [progress] in
      guard let bytes = try content.next(before: end) else { return nil }
      progress.add(bytes.count, to: index)
      return bytes
    }
    return try await connection.send(id, at: start, digest: nil, .stream(body))
  }

  /// Holds what the receiver says it saved against what was sent.
  static func outcome(
    of receipt: ReceiverConnection.Receipt, _ digest: String, _ file: OutgoingFile
  ) -> DropSendReport.Outcome {
    guard receipt.size == file.size, utf8Equal(receipt.digest, digest) else {
      return .failed(
        FileFailure(.digest, "the receiver saved something else, as '\(receipt.name)'"))
    }
    return receipt.wasThere ? .wasThere : .saved(name: receipt.name, digest: receipt.digest)
  }
}
