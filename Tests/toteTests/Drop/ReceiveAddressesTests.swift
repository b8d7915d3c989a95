import Testing

@testable import Drop
@testable import tote

/// Which addresses a receiver listens on and names.
@Suite struct ReceiveAddressesTests {
  private typealias Candidate = HostAddresses.Candidate

  private static let home = Candidate(
    interface: "wlan0", address: "192.168.1.5", reach: .privateNetwork)
  private static let six = Candidate(interface: "wlan0", address: "fd00::5", reach: .uniqueLocal)
  private static let tunnel = Candidate(interface: "wg0", address: "100.64.0.1", reach: .virtual)
  private static let open = Candidate(interface: "eth0", address: "203.0.113.7", reach: .global)
  private static let loop = Candidate(interface: "lo", address: "127.0.0.1", reach: .loopback)

  @Test("localsend/localsend#1598, claudiodangelis/qrcp#196: the home network first, tunnels told")
  func near() throws {
    let chosen = try ReceiveAddresses(
      bind: nil, from: [Self.home, Self.six, Self.open, Self.tunnel, Self.loop])
    #expect(chosen.listening == ["192.168.1.5", "fd00::5"])
    #expect(chosen.advertised == chosen.listening)
    #expect(chosen.notes == ["for wg0, give '--bind 100.64.0.1'"])
    #expect(!chosen.isPublic)
  }

  @Test("a public address is told as such, and is the last resort but one")
  func openly() throws {
    let chosen = try ReceiveAddresses(bind: nil, from: [Self.open, Self.loop])
    #expect(chosen.listening == ["203.0.113.7"])
    #expect(chosen.isPublic)
    #expect(try ReceiveAddresses(bind: nil, from: [Self.loop]).listening == ["127.0.0.1"])
    #expect(try ReceiveAddresses(bind: nil, from: [Self.tunnel]).listening == ["100.64.0.1"])
  }

  @Test("'--bind' is taken as it is; all addresses at once name those that lead somewhere")
  func bound() throws {
    let all = [Self.home, Self.six, Self.loop]
    #expect(try ReceiveAddresses(bind: "10.0.0.1", from: all).listening == ["10.0.0.1"])
    let four = try ReceiveAddresses(bind: "0.0.0.0", from: all)
    #expect(four.listening == ["0.0.0.0"])
    #expect(four.advertised == ["192.168.1.5"])
    #expect(
      try ReceiveAddresses(bind: "::", from: all).advertised == ["192.168.1.5", "fd00::5"])
    #expect(throws: CommandError.self) { try ReceiveAddresses(bind: "myhost", from: all) }
  }
}
