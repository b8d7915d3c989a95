import ArgumentParser
import Core
import Drop

/// What `drop send` did.
struct DropSendResult: CommandResult {
  /// One file, or what was to be one.
  struct File: Sendable {
    let label: String
    let path: String?
    let size: Int64?
    let outcome: DropSendReport.Outcome
  }

  let address: String?
  let files: [File]
  let skipped: [FileGathering.Skipped]
  let duration: Duration
  /// The run broke off, or what it sent was not kept.
  private let isStopped: Bool

  static let outputKeys = [
    OutputKey(
      "event", "string",
      "with '--jsonl', of each line: 'connected', 'asking', 'sending', 'progress', 'retrying', 'skipped'; 'sent' "
        + "and 'failed' with the keys of 'files'; 'done' with all but 'files'; with '--offer' "
        + "'offering', 'fetched' and 'done'"),
    OutputKey("ok", "boolean", "whether every file was sent and kept"),
    OutputKey("address", "string or null", "where the receiver was found"),
    OutputKey("sent", "integer", "files that the receiver has"),
    OutputKey("failed", "integer", "files that it has not"),
    OutputKey("bytes", "integer", "bytes of the files that it has"),
    OutputKey("seconds", "number", "how long that took"),
    OutputKey("files", "array of objects", "each file that was to be sent"),
    OutputKey("files.file", "string", "its path here"),
    OutputKey("files.path", "string or null", "its place in the folder that was sent"),
    OutputKey("files.size", "integer or null", "its bytes"),
    OutputKey("files.status", "string", "'sent', 'was_there' or 'failed'"),
    OutputKey("files.saved", "string or null", "its name at the receiver"),
    OutputKey("files.sha256", "string or null", "the digest that both sides agree on"),
    OutputKey("files.code", "string or null", "why it failed, as a word"),
    OutputKey("files.reason", "string or null", "and for people"),
    OutputKey("skipped", "array of objects", "what was left out: 'file' and 'reason'"),
    OutputKey("url", "string", "with '--offer', what the code holds: a secret"),
    OutputKey("downloads", "integer", "with '--offer', files that were fetched to their end"),
  ]

  /// Puts together what could be sent and what could not even be read.
  init(_ gathering: FileGathering, _ report: DropSendReport?) {
    address = report?.address
    isStopped = report?.stop != nil
    duration = report?.duration ?? .zero
    skipped = gathering.skipped
    let sent = (report?.results ?? []).map {
      File(label: $0.file.label, path: $0.file.path, size: $0.file.size, outcome: $0.outcome)
    }
    files =
      sent
      + gathering.failures.map {
        File(label: $0.label, path: nil, size: nil, outcome: .failed($0.failure))
      }
  }

  var failedCount: Int { files.count { !$0.outcome.isSuccess } }
  private var sentCount: Int { files.count - failedCount }
  private var bytes: Int64 {
    files.reduce(0) { $0 + ($1.outcome.isSuccess ? $1.size ?? 0 : 0) }
  }

  /// The last of the lines for scripts.
  var totals: JSON {
    var members: JSONObject = ["event": "done"]
    for (key, value) in json.objectValue ?? [:] where key != "files" && key != "skipped" {
      members[key] = value
    }
    return .object(members)
  }

  var json: JSON {
    [
      "ok": .bool(failedCount == 0 && !isStopped), "address": address.map { .string($0) } ?? .null,
      "sent": .integer(Int64(sentCount)), "failed": .integer(Int64(failedCount)),
      "bytes": .integer(bytes), "seconds": .double((duration.inSeconds * 1000).rounded() / 1000),
      "files": .array(files.map(\.json)),
      "skipped": .array(
        skipped.map { ["file": .string($0.label), "reason": .string($0.reason)] }),
    ]
  }

  func show(on screen: Screen) throws(OutputError) {
    guard screen.isTerminal else {
      return try screen.table([], files.map(\.cells))
    }
    guard sentCount > 0 else { return }
    let speed =
      duration.inSeconds > 0.5
      ? ", \(humanSize(Int(Double(bytes) / duration.inSeconds)))/s" : ""
    try screen.line("sent \(counted(sentCount, "file")), \(humanSize(Int(bytes)))\(speed)")
  }
}

extension DropSendResult.File {
  fileprivate var cells: [Cell] {
    switch outcome {
    case .saved(let name, let digest): [Cell("sent"), Cell(label), Cell(name), Cell(digest)]
    case .wasThere: [Cell("was_there"), Cell(label), Cell(""), Cell("")]
    case .failed(let failure):
      [Cell("failed"), Cell(label), Cell(failure.code.rawValue), Cell(failure.message)]
    }
  }

  var json: JSON {
    var status = "failed"
    var (saved, digest, code, reason) = (JSON.null, JSON.null, JSON.null, JSON.null)
    switch outcome {
    case .saved(let name, let hexadecimal):
      status = "sent"
      (saved, digest) = (.string(name), .string(hexadecimal))
    case .wasThere: status = "was_there"
    case .failed(let failure):
      (code, reason) = (.string(failure.code.rawValue), .string(failure.message))
    }
    return [
      "file": .string(label), "path": path.map { .string($0) } ?? .null,
      "size": size.map { .integer($0) } ?? .null, "status": .string(status), "saved": saved,
      "sha256": digest, "code": code, "reason": reason,
    ]
  }
}
