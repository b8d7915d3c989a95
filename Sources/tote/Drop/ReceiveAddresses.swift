import Drop
import Glibc

/// The addresses a receiver listens on and names in its ticket.
struct ReceiveAddresses: Equatable {
  /// Where to listen.
  var listening: [String]
  /// What the ticket names.
  var advertised: [String]
  /// What a person should know of them.
  var notes: [String] = []
  /// Whether one may be reached from anywhere.
  var isPublic: Bool { notes.contains(Self.publicNote) }

  /// Each one makes the code larger; more than these seldom help.
  private static let limit = 3

  /// Chooses from the machine's addresses, or takes the one that was given.
  ///
  /// - Parameters:
  ///   - bind: what was typed, if anything.
  ///   - all: the machine's addresses, the likeliest first.
  /// - Throws: `CommandError` for what is no numeric address.
  init(bind: String?, from all: [HostAddresses.Candidate]) throws(CommandError) {
    guard let bind else {
      self = Self.chosen(from: all)
      return
    }
    let address = bind == "localhost" ? "127.0.0.1" : bind
    var bytes = in6_addr()
    guard
      inet_pton(AF_INET, address, &bytes) == 1 || inet_pton(AF_INET6, address, &bytes) == 1
    else {
      throw .usage(
        "'\(bind)' is not a numeric address",
        hint: "give one of this machine's, such as 192.168.1.5, with '--bind'")
    }
    let known = all.first { $0.address == address }
    listening = [address]
    advertised = [address]
    if address == "0.0.0.0" || address == "::" {
      // Every address is listened on, and those that lead somewhere are named.
      let usable = all.filter { $0.reach != .loopback && (address == "::" || !Self.isSix($0)) }
      advertised = Array(usable.prefix(Self.limit).map(\.address))
      if advertised.isEmpty { advertised = [address == "::" ? "::1" : "127.0.0.1"] }
      if all.contains(where: { $0.reach == .global }) { notes.append(Self.publicNote) }
    } else if known?.reach == .global {
      notes.append(Self.publicNote)
    } else if known?.reach == .loopback || address.hasPrefix("127.") {
      notes.append(Self.loopbackNote)
    }
  }

  private static func chosen(from all: [HostAddresses.Candidate]) -> ReceiveAddresses {
    let near = all.filter { $0.reach == .privateNetwork || $0.reach == .uniqueLocal }
    let groups: [([HostAddresses.Candidate], String?)] = [
      (near, nil), (all.filter { $0.reach == .global }, publicNote),
      (all.filter { $0.reach == .virtual }, nil),
    ]
    for (group, note) in groups where !group.isEmpty {
      let addresses = Array(group.prefix(limit).map(\.address))
      var chosen = ReceiveAddresses(addresses, notes: note.map { [$0] } ?? [])
      chosen.notes += all.filter { $0.reach == .virtual && !addresses.contains($0.address) }.map {
        "for \($0.interface), give '--bind \($0.address)'"
      }
      return chosen
    }
    return ReceiveAddresses(["127.0.0.1"], notes: [loopbackNote])
  }

  private init(_ addresses: [String], notes: [String]) {
    listening = addresses
    advertised = addresses
    self.notes = notes
  }

  private static func isSix(_ candidate: HostAddresses.Candidate) -> Bool {
    candidate.address.contains(":")
  }

  private static let publicNote =
    "the address is a public one: whoever has the ticket can reach it from anywhere"
  private static let loopbackNote = "only this machine can reach the address"
}
