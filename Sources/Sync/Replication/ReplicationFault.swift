/// How a replication deals with an error of a store.
///
/// Errors that do not say are final for the call that threw them.
public protocol ReplicationFault: Error {
  /// Trying the same again later may help: a lost connection, an overloaded server, a busy file.
  var isTransient: Bool { get }
  /// The store may not be used like this by this user.
  var isRefusal: Bool { get }
  /// Smaller pieces may pass.
  var isTooLarge: Bool { get }
  /// It concerns the documents sent, not the store: others may pass.
  var concernsDocuments: Bool { get }
}
