public import HTTP

/// Why sending cannot begin, or cannot go on.
public enum DropSendError: Error, Sendable {
  /// Nobody answers at any of the ticket's addresses.
  case unreachable(addresses: [String], HTTPError)
  /// Who answers has another key than the ticket says.
  case wrongKey(address: String)
  /// The receiver does not know the ticket's secret: the ticket is old, or belongs to another run.
  case staleTicket
  /// Another sender has used the ticket.
  case taken
  /// The receiver's person said no.
  case declined
  /// The receiver has ended, or its time is over.
  case ended
  /// Everything was confirmed, but the receiver's disk did not take all of it.
  case notKept
  /// There is not enough room for all of it.
  case noSpace(reason: String)
  /// What answers is no receiver, or one that does not keep to the protocol.
  case unexpected(detail: String)
}
