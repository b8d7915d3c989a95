import Core
import Drop

/// The words of what keeps files from being sent.
extension DropSendError: UserFacing {
  var code: String {
    switch self {
    case .unreachable: "unreachable"
    case .wrongKey: "pin_mismatch"
    case .staleTicket: "stale_ticket"
    case .taken: "taken"
    case .declined: "declined"
    case .ended: "ended"
    case .notKept: "not_kept"
    case .noSpace: "no_space"
    case .unexpected: "unexpected_answer"
    }
  }

  var exitClass: ExitClass {
    switch self {
    case .unreachable, .wrongKey, .ended, .unexpected: .unreachable
    case .staleTicket, .declined: .notPermitted
    case .taken: .conflict
    case .notKept, .noSpace: .inputOutput
    }
  }

  var message: String {
    switch self {
    case .unreachable(let addresses, let error):
      "the receiver cannot be reached at \(Self.list(addresses)): \(error)"
    case .wrongKey(let address):
      "who answers at '\(address)' is not the receiver: it has another key; nothing was sent"
    case .staleTicket: "the receiver does not accept this ticket"
    case .taken: "somebody else is sending with this ticket"
    case .declined: "the receiver did not want the files"
    case .ended: "the receiver has ended"
    case .notKept: "the receiver's disk did not take all that it had confirmed"
    case .noSpace(let reason): "the receiver has no room: \(reason)"
    case .unexpected(let detail): "the receiver answered something unexpected: \(detail)"
    }
  }

  var hint: String? {
    switch self {
    case .unreachable:
      "see that both machines are in the same network, and that no firewall closes the port"
    case .wrongKey: "somebody may be listening in; take a fresh ticket from the receiver's screen"
    case .staleTicket, .ended, .taken:
      "run 'tote drop receive' there again, and take the ticket that it shows then"
    case .notKept: "look at the disk there, and send once more"
    case .declined, .noSpace, .unexpected: nil
    }
  }

  private static func list(_ addresses: [String]) -> String {
    addresses.map { "'\($0)'" }.joined(separator: ", ")
  }
}
