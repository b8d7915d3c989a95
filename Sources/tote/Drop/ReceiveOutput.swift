import ArgumentParser
import Core
import Drop
import HTTP

/// What `drop receive` tells scripts: events as lines, or all of it in one document at the end.
struct ReceiveOutput: Sendable {
  static let keys = [
    OutputKey(
      "event", "string", "'--jsonl': waiting, receiving, saved, failed, cut_off and, last, done"),
    OutputKey("ticket", "string", "'waiting': the ticket, a secret"),
    OutputKey("addresses", "array of strings", "'waiting': what the ticket names"),
    OutputKey("port", "number", "'waiting': the encrypted port"),
    OutputKey("phone_port", "number or null", "'waiting': with '--phone' the unencrypted one"),
    OutputKey("pin", "string", "'waiting': the key's pin, in hexadecimal"),
    OutputKey("into", "string", "'waiting': the folder"),
    OutputKey(
      "name", "string",
      "the file's name: 'receiving' and 'failed' as the sender has it, 'saved' as it was saved"),
    OutputKey("size", "number or null", "its bytes; null while that is not known"),
    OutputKey("sender", "string", "how the sender calls itself"),
    OutputKey("path", "string", "'saved': the file's path"),
    OutputKey("sha256", "string", "'saved': its digest in hexadecimal"),
    OutputKey("seconds", "number", "'saved': from its first byte to its name"),
    OutputKey("was_there", "boolean", "'saved': the same file was there and was left alone"),
    OutputKey(
      "code", "string", "'failed': declined, no_space, too_long, digest, incomplete or io"),
    OutputKey("message", "string", "'failed': what went wrong"),
    OutputKey("address", "string", "'cut_off': where too many guesses at the ticket came from"),
    OutputKey("saved", "number or array", "'done': how many files; '--json': the files"),
    OutputKey("failed", "number or array", "'done': how many files; '--json': the files"),
    OutputKey("bytes", "number", "'done': bytes of the saved files"),
    OutputKey("reason", "string", "'done': complete, expired or stopped"),
  ]

  static func waiting(_ ticket: DropTicket, into folder: String) -> JSON {
    [
      "event": "waiting", "ticket": .string(ticket.text),
      "addresses": .array(ticket.addresses.map { .string($0) }),
      "port": .integer(Int64(ticket.port)),
      "phone_port": ticket.phone.map { .integer(Int64($0.port)) } ?? .null,
      "pin": .string(hexadecimal(ticket.pin.digest)), "into": .string(folder),
    ]
  }

  static func line(_ event: DropEvent) -> JSON {
    switch event {
    case .receiving(let file):
      return [
        "event": "receiving", "name": .string(file.displayPath),
        "size": file.size.map { .integer($0) } ?? .null, "sender": .string(file.sender),
      ]
    case .saved(let saved): return named("saved", row(saved))
    case .failed(let failure): return named("failed", row(failure))
    case .cutOff(let address): return ["event": "cut_off", "address": .string(address)]
    case .done(let totals):
      return [
        "event": "done", "saved": .integer(Int64(totals.saved)),
        "failed": .integer(Int64(totals.failed)), "bytes": .integer(totals.bytes),
        "reason": .string(totals.reason.rawValue),
      ]
    }
  }

  /// The one document of `--json`.
  static func document(
    _ saved: [DropSaved], _ failed: [DropFailure], _ totals: DropTotals
  ) -> JSON {
    [
      "saved": .array(saved.map(row)), "failed": .array(failed.map(row)),
      "bytes": .integer(totals.bytes), "reason": .string(totals.reason.rawValue),
    ]
  }

  private static func named(_ event: String, _ row: JSON) -> JSON {
    var members: JSONObject = ["event": .string(event)]
    for (key, value) in row.objectValue ?? [:] { members[key] = value }
    return .object(members)
  }

  private static func row(_ saved: DropSaved) -> JSON {
    [
      "name": .string(saved.name), "path": .string(saved.path), "size": .integer(saved.size),
      "sha256": .string(saved.sha256), "sender": .string(saved.file.sender),
      "seconds": .double((saved.duration.inSeconds * 1000).rounded() / 1000),
      "was_there": .bool(saved.wasThere),
    ]
  }

  private static func row(_ failure: DropFailure) -> JSON {
    [
      "name": .string(failure.file.displayPath),
      "size": failure.file.size.map { .integer($0) } ?? .null,
      "sender": .string(failure.file.sender), "code": .string(failure.code),
      "message": .string(failure.message),
    ]
  }
}

extension Duration {
  /// Seconds and their fraction.
  var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
