import Glibc

/// The names by which a server may be called in `Host`.
///
/// A web page elsewhere can give its own name this machine's address once it is loaded, and then
/// talk to a server here as if it were its own (DNS rebinding). The name in `Host` is still the
/// page's, so a server that trusts whoever can connect answers to names of its own only. Numeric addresses
/// cannot be given away and always pass.
public struct HostNames: Sendable {
  /// Names in lower case, without a dot at the end.
  private let names: Set<[UInt8]>

  /// Domains of local networks, under which this machine's name passes.
  private static let localDomains = ["local", "lan", "home.arpa", "internal"]

  /// `localhost`, this machine's name, and some more.
  ///
  /// - Parameter names: host names, without ports.
  public init(_ names: [String] = []) {
    let machine = Self.machineName ?? "localhost"
    let own = [machine] + Self.localDomains.map { "\(machine).\($0)" }
    self.names = Set((["localhost"] + own + names).map { Self.folded($0.utf8[...]) })
  }

  /// Tells whether a request with this `Host` is meant for the server.
  ///
  /// - Parameter field: the field's value, with or without a port; nil passes, since only HTTP/1.0
  ///   has none and no browser speaks that.
  /// - Returns: false when the name is somebody else's.
  public func accept(_ field: String?) -> Bool {
    guard let field else { return true }
    let bytes = field.utf8
    if bytes.first == UInt8(ascii: "[") { return true }
    let host = Self.folded(bytes.prefix { $0 != UInt8(ascii: ":") })
    return names.contains(host) || host.ends(with: ".localhost".utf8) || Self.isNumeric(host)
  }

  private static func folded(_ bytes: Substring.UTF8View) -> [UInt8] {
    var host = bytes.map(asciiLower)
    if host.last == UInt8(ascii: ".") { host.removeLast() }
    return host
  }

  /// Whether a host is an IPv4 address: browsers take a last label of digits for one.
  private static func isNumeric(_ host: [UInt8]) -> Bool {
    var address = in_addr()
    return inet_pton(AF_INET, String(decoding: host, as: UTF8.self), &address) == 1
  }

  /// This machine's name; nil when it has none.
  package static var machineName: String? {
    var bytes = [CChar](repeating: 0, count: 256)
    guard gethostname(&bytes, bytes.count - 1) == 0 else { return nil }
    let name = bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
  }
}

extension [UInt8] {
  fileprivate func ends(with suffix: String.UTF8View) -> Bool {
    count > suffix.count && self.suffix(suffix.count).elementsEqual(suffix)
  }
}
