import Drop
import HTTP
import Testing

@Suite struct TicketTests {
  static let pin = TLSPin((0..<32).map { UInt8($0 * 7 + 3) })
  static let token = DropToken("ABCDEFGHIJKLMNOPQRSTUVWXY2")

  static func ticket(_ addresses: [String] = ["192.168.100.123"]) throws -> DropTicket {
    DropTicket(addresses: addresses, port: 54_321, token: try #require(token), pin: pin)
  }

  @Test("base 32 gives back every length of bytes, in either case")
  func base32() {
    for length in 0..<40 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 97 + length) }
      let text = Base32.encode(bytes)
      #expect(Base32.decode(text) == bytes)
      #expect(Base32.decode(text.lowercased()) == bytes)
    }
    #expect(Base32.encode(Array("foobar".utf8)) == "MZXW6YTBOI")
  }

  @Test(
    "base 32 refuses other characters, odd lengths and spare bits",
    arguments: ["1", "A", "AB=", "AAA", "Aé", "MZXW6YTBOJ"])
  func base32Refused(_ text: String) {
    #expect(Base32.decode(text) == nil)
  }

  @Test("a ticket has 109 characters with the longest IPv4 address and reads back")
  func text() throws {
    let ticket = try Self.ticket()
    #expect(ticket.text.utf8.count == 109)
    #expect(ticket.text.hasPrefix("https://192.168.100.123:54321/ABCDEFGHIJKLMNOPQRSTUVWXY2/"))
    #expect(try DropTicket(parsing: ticket.text) == ticket)
  }

  @Test(
    "case and blanks around a ticket do not count",
    arguments: [
      { $0.lowercased() }, { "  " + $0 + "\r\n" }, { $0.uppercased() },
    ] as [@Sendable (String) -> String])
  func lenient(_ change: @Sendable (String) -> String) throws {
    let ticket = try Self.ticket(["10.0.0.1", "fd00::1"])
    #expect(try DropTicket(parsing: change(ticket.text)) == ticket)
  }

  @Test("more addresses and IPv6 are carried")
  func addresses() throws {
    let ticket = try Self.ticket(["fd12:3456::9", "192.168.1.23", "10.1.2.3"])
    #expect(ticket.text.contains("https://[fd12:3456::9]:54321/"))
    #expect(ticket.text.hasSuffix(".C0A80117.0A010203"))
    #expect(try DropTicket(parsing: ticket.text) == ticket)
  }

  @Test("a phone's ticket leads a browser to the plain address and a tote to the pinned one")
  func phone() throws {
    var ticket = try Self.ticket(["192.168.1.2", "10.0.0.7"])
    ticket.phone = DropTicket.Phone(
      port: 8_080, token: try #require(DropToken("ZZZZZZZZZZZZZZZZZZZZZZZZZZ")))
    #expect(ticket.text.hasPrefix("http://192.168.1.2:8080/ZZZZZZZZZZZZZZZZZZZZZZZZZZ#54321."))
    #expect(try DropTicket(parsing: ticket.text) == ticket)
  }

  @Test("a ticket cut anywhere is told from another address")
  func cut() throws {
    let text = try Self.ticket().text
    for length in 57..<text.count {
      #expect(throws: DropTicket.Fault.cutShort) {
        _ = try DropTicket(parsing: text.prefix(length))
      }
    }
  }

  @Test(
    "what is no ticket is refused",
    arguments: [
      "", "hello", "ftp://192.168.1.2:1/A/B", "https://example.org/",
      "https://192.168.1.2:80/index.html",
      "https://192.168.1.2/ABCDEFGHIJKLMNOPQRSTUVWXY2/AAAA", "http://10.0.0.1:80/",
    ])
  func refused(_ text: String) {
    #expect(throws: DropTicket.Fault.self) { _ = try DropTicket(parsing: text) }
  }

  @Test("a name instead of an address is refused: a ticket asks no name server")
  func noNames() throws {
    let text = try Self.ticket().text.replacing("192.168.100.123", with: "host.local")
    #expect(throws: DropTicket.Fault.malformed(part: "address")) {
      _ = try DropTicket(parsing: text)
    }
  }

  @Test("tokens are 26 digits, differ, and no description shows them")
  func tokens() {
    let tokens = (0..<1_000).map { _ in DropToken.random() }
    #expect(Set(tokens).count == 1_000)
    for token in tokens.prefix(20) {
      #expect(DropToken(token.text) == token)
      #expect(!"\(token)".contains(token.text))
    }
    #expect(DropToken("0BCDEFGHIJKLMNOPQRSTUVWXY2") == nil)
    #expect(DropToken("ABC") == nil)
  }
}
