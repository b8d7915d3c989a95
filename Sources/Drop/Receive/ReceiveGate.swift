import Core
import HTTP
import Sync
import Synchronization

/// Decides who is let in at one listener: the token, the Host, the Origin, and how often an address
/// may guess.
final class ReceiveGate: Sendable {
  /// How a request showed the token.
  enum Pass: Sendable {
    /// In the path; these segments follow it.
    case path([String])
    /// As the password of Basic authentication.
    case basic
  }

  /// What one listener is.
  struct Door: Sendable {
    var token: DropToken
    /// `address:port` as a Host header has it, in lower case.
    var hosts: Set<String>
    /// Plain HTTP for browsers: the page and nothing else.
    var isPhone: Bool
  }

  private let throttle = AddressThrottle()
  private let cutOff = Mutex<Set<[UInt8]>>([])
  private let tell: @Sendable (_ address: String) -> Void

  /// Addresses remembered as cut off.
  private static let capacity = 10_000

  /// - Parameter tell: called once for each address that is cut off.
  init(tell: @escaping @Sendable (_ address: String) -> Void) { self.tell = tell }

  /// Lets a request in, or says how it is answered; nobody learns from that what is here.
  ///
  /// - Throws: 404 for all that shows no token, 401 for a wrong password.
  func pass(_ request: HTTPRequest, _ door: Door) throws(Refusal) -> Pass {
    guard !isCutOff(request.peer), isOurs(request, door) else { throw .nothingHere }
    if !door.isPhone, let credentials = request.basicCredentials {
      // Both are compared, so that the time tells nothing of either.
      let isUser = equalInConstantTime(Array(credentials.user.utf8), Array(DropToken.user.utf8))
      let isToken = matches(credentials.password, door.token)
      guard isUser, isToken else {
        wrong(request.peer)
        throw Refusal(401, "unauthorized", "Name or password is incorrect.")
      }
      return .basic
    }
    // What cannot be a token is no guess: browsers ask for icons.
    guard let first = request.segments.first, first.utf8.count == DropToken.length else {
      throw .nothingHere
    }
    guard matches(first, door.token) else {
      wrong(request.peer)
      throw .nothingHere
    }
    return .path(Array(request.segments.dropFirst()))
  }

  private func matches(_ text: String, _ token: DropToken) -> Bool {
    equalInConstantTime(Array(text.uppercased().utf8), Array(token.text.utf8))
  }

  /// A page of another site cannot talk to us under a name of its own (DNS rebinding), nor from its
  /// own origin.
  private func isOurs(_ request: HTTPRequest, _ door: Door) -> Bool {
    guard let host = request.headers["Host"]?.lowercased(), door.hosts.contains(host) else {
      return false
    }
    let origins = request.headers.values(of: "Origin")
    return origins.allSatisfy {
      $0.lowercased() == "\(request.isSecure ? "https" : "http")://\(host)"
    }
  }

  // MARK: Guesses

  private func isCutOff(_ address: String) -> Bool {
    cutOff.withLock { !$0.isEmpty && $0.contains(AddressThrottle.key(address)) }
  }

  private func wrong(_ address: String) {
    guard !throttle.take(address, at: .now) else { return }
    let isNew = cutOff.withLock { cutOff in
      cutOff.count < Self.capacity && cutOff.insert(AddressThrottle.key(address)).inserted
    }
    if isNew { tell(address) }
  }
}

extension Refusal {
  /// The answer to everything that is not for the one who asks.
  static let nothingHere = Refusal(404, "not_found", "missing")
}
