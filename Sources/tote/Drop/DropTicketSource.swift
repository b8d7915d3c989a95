import Core
import Drop

/// Where the ticket of a sender comes from, and which of its words are files.
struct DropTicketSource {
  let ticket: DropTicket
  let files: [String]

  private static let longest = 4_096

  /// Reads the ticket.
  ///
  /// - Parameters:
  ///   - inputs: the words of the command line.
  ///   - picture: the picture of `--qr`.
  ///   - context: the command's.
  /// - Throws: `CommandError`, `InputError`.
  init(_ inputs: [String], picture: String?, in context: Context) throws {
    if let picture {
      (ticket, files) = (try TicketPicture.ticket(at: picture), inputs)
      return
    }
    if let first = inputs.first, first == "-" || Self.isAddress(first) {
      if first == "-" {
        ticket = try Self.read(context)
      } else {
        ticket = try Self.parse(first, "the ticket")
        try context.note(
          "others on this machine can see the ticket in the list of processes; '-' reads it from "
            + "standard input")
      }
      files = Array(inputs.dropFirst())
      return
    }
    guard let text = context.environment.nonEmpty("TOTE_DROP_TICKET") else {
      throw CommandError.usage(
        "the ticket is missing",
        hint: "give what 'tote drop receive' shows, '-' to paste it, or a picture with '--qr'")
    }
    (ticket, files) = (try Self.parse(text, "the ticket in \("TOTE_DROP_TICKET")"), inputs)
  }

  private static func isAddress(_ text: String) -> Bool {
    let start = text.prefix(8).lowercased()
    return start.hasPrefix("http://") || start.hasPrefix("https://")
  }

  private static func read(_ context: Context) throws -> DropTicket {
    if context.prompt.canAsk { try context.note("paste the ticket, then press Return") }
    // The first line that is not blank: a copied text often begins with one.
    for _ in 0..<8 {
      guard let line = try context.streams.input.readLine() else { break }
      guard line.utf8.count <= longest else { break }
      guard !line.allSatisfy(\.isWhitespace) else { continue }
      return try parse(line, "standard input")
    }
    throw CommandError.invalidInput(
      "there is no ticket on standard input", hint: "it is what 'tote drop receive' shows")
  }

  private static func parse(_ text: String, _ subject: String) throws(CommandError) -> DropTicket {
    do throws(DropTicket.Fault) {
      return try DropTicket(parsing: text)
    } catch {
      // Never the text itself: it is a secret.
      let reason =
        switch error {
        case .notATicket: "is no ticket of a receiver"
        case .cutShort: "is cut short"
        case .malformed(let part): "has a wrong \(part)"
        }
      throw .invalidInput(
        "\(subject) \(reason)", hint: "copy all of what 'tote drop receive' shows, in one line")
    }
  }
}
