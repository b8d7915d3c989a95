import Core
import Glibc
import HTTP

/// Writes a line for each request: NCSA's common log format, or a JSON object where events are wanted.
final class AccessLog: Sendable {
  private let output: OutputWriter
  private let isJSON: Bool
  private let name: String

  /// Opens the log.
  ///
  /// - Parameters:
  ///   - path: a file, which is added to; `-` for standard output.
  ///   - context: the streams, and the form that is wanted on them.
  /// - Throws: `CommandError` with status 73 when the file cannot be written.
  init(_ path: String, in context: Context) throws(CommandError) {
    name = path
    isJSON = path == "-" && context.mode == .jsonLines
    guard path != "-" else {
      output = context.streams.output
      output.flushEachWrite()
      return
    }
    // Addresses and names of people are nobody else's business.
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw CommandError(
        .cannotCreate, "cannot_create", "cannot write '\(path)': \(systemMessage(errno))")
    }
    output = OutputWriter(descriptor: descriptor, flushesLines: true)
  }

  /// Adds a request whose answer begins.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - user: the name of who makes it; nil for nobody.
  ///   - status: the answer's status.
  ///   - address: where it comes from, if that is not who connected.
  func add(_ request: HTTPRequest, user: String?, status: Int, address: String? = nil) {
    let peer = address ?? request.peer
    // A log that cannot be written must not end the service; `finish` tells.
    try? output.writeLine(
      isJSON ? object(request, peer, user, status) : line(request, peer, user, status))
  }

  /// Writes the rest.
  ///
  /// - Throws: `OutputError` when lines were lost.
  func finish() throws(OutputError) { try output.flush() }

  private func object(
    _ request: HTTPRequest, _ peer: String, _ user: String?, _ status: Int
  ) -> String {
    let json: JSON = [
      "event": "request", "time": .string(Instant(seconds: Int64(time(nil))).rfc3339),
      "peer": .string(peer), "user": user.map { .string($0) } ?? .null,
      "method": .string(request.method.rawValue), "target": .string(request.target),
      "status": .integer(Int64(status)),
    ]
    return json.serialized(.compact.escapingSeparators)
  }

  private func line(
    _ request: HTTPRequest, _ peer: String, _ user: String?, _ status: Int
  ) -> String {
    // Of "Sun, 06 Nov 1994 08:49:37 GMT" the format wants "06/Nov/1994:08:49:37 +0000".
    let words = HTTPDate.format(Int64(time(nil))).split(separator: " ")
    let date = words.count > 4 ? "\(words[1])/\(words[2])/\(words[3]):\(words[4]) +0000" : "-"
    let name = user.map { safe($0) } ?? "-"
    return "\(peer) - \(name) [\(date)] \"\(request.method.rawValue) "
      + "\(safe(request.target)) HTTP/1.1\" \(status) -"
  }

  /// A word that cannot be taken for two, or for the end of a quoted one.
  private func safe(_ text: String) -> String {
    text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x22 && $0 != 0x7f }
      ? text
      : String(
        decoding: text.utf8.map { $0 > 0x20 && $0 != 0x22 && $0 != 0x7f ? $0 : 0x3f },
        as: UTF8.self)
  }
}
