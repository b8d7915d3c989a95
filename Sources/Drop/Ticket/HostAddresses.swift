import Glibc

/// The addresses of this machine that others may reach it at, the likeliest first.
public enum HostAddresses {
  /// One address of one interface.
  public struct Candidate: Sendable, Hashable {
    /// The interface's name.
    public var interface: String
    /// Numeric text, without brackets and zone.
    public var address: String
    /// What kind of address it is.
    public var reach: Reach

    init(interface: String, address: String, reach: Reach) {
      self.interface = interface
      self.address = address
      self.reach = reach
    }
  }

  /// Who can reach an address; the order is the order of preference.
  public enum Reach: Int, Sendable, Comparable {
    /// A private IPv4 address (RFC 1918) of a physical interface: the home network.
    case privateNetwork
    /// An IPv6 address of a site's own range (RFC 4193).
    case uniqueLocal
    /// An address the whole internet might reach.
    case global
    /// Of a tunnel, a bridge or a container network.
    case virtual
    /// This machine alone.
    case loopback

    /// Orders by preference.
    public static func < (left: Reach, right: Reach) -> Bool { left.rawValue < right.rawValue }
  }

  /// All candidates of the interfaces that are up.
  ///
  /// IPv6 link-local addresses are left out: they need a zone, which does not travel.
  ///
  /// - Returns: by preference; within one kind IPv4 first, then in the order of the system.
  public static func all() -> [Candidate] {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return [] }
    defer { freeifaddrs(first) }
    var found: [Candidate] = []
    for entry in sequence(first: first, next: { $0?.pointee.ifa_next }) {
      guard let entry = entry?.pointee, let address = entry.ifa_addr,
        entry.ifa_flags & UInt32(IFF_UP) != 0, let bytes = bytes(of: address)
      else { continue }
      let interface = String(cString: entry.ifa_name)
      guard let reach = reach(of: bytes, interface: interface) else { continue }
      let text = AddressBytes(bytes).text
      found.append(Candidate(interface: interface, address: text, reach: reach))
    }
    return found.enumerated().sorted { left, right in
      let a = (left.element.reach.rawValue, isSix(left.element) ? 1 : 0, left.offset)
      let b = (right.element.reach.rawValue, isSix(right.element) ? 1 : 0, right.offset)
      return a < b
    }.map(\.element)
  }

  private static func isSix(_ candidate: Candidate) -> Bool {
    candidate.address.utf8.contains(UInt8(ascii: ":"))
  }

  private static func bytes(of address: UnsafeMutablePointer<sockaddr>) -> [UInt8]? {
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
        withUnsafeBytes(of: pointer.pointee.sin_addr) { Array($0) }
      }
    case AF_INET6:
      address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
        withUnsafeBytes(of: pointer.pointee.sin6_addr) { Array($0) }
      }
    default: nil
    }
  }

  /// Names of interfaces that lead to no other machine in the room.
  private static let virtualPrefixes = [
    "docker", "br-", "veth", "virbr", "vmnet", "vboxnet", "tun", "tap", "wg", "tailscale", "zt",
    "utun",
    "cni", "flannel", "lxc", "lxd", "podman", "ppp",
  ]

  static func reach(of bytes: [UInt8], interface: String) -> Reach? {
    let isVirtual = virtualPrefixes.contains { interface.hasPrefix($0) }
    if bytes.count == 4 {
      switch (bytes[0], bytes[1]) {
      case (127, _): return .loopback
      case (169, 254), (0, _), (224..., _): return nil
      case (10, _), (172, 16...31), (192, 168): return isVirtual ? .virtual : .privateNetwork
      // Carrier-grade NAT (RFC 6598) is what tunnels such as Tailscale's use, too.
      case (100, 64...127): return .virtual
      default: return isVirtual ? .virtual : .global
      }
    }
    if bytes.dropLast().allSatisfy({ $0 == 0 }) { return bytes[15] == 1 ? .loopback : nil }
    switch bytes[0] {
    case 0xFE: return nil
    case 0xFF: return nil
    case 0xFC, 0xFD: return isVirtual ? .virtual : .uniqueLocal
    default: return isVirtual ? .virtual : .global
    }
  }
}
