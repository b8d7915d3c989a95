/// Why a bundle cannot be read, written or applied.
public enum BundleError: Error, Sendable, Hashable {
  /// The file is something else.
  case notABundle(path: String)
  /// The bundle was written by a later version of the program.
  case newerFormat(path: String, found: Int, supported: Int)
  /// The file ends too early.
  case incomplete(path: String)
  /// The file's bytes are not those that were written; `detail` says what shows it.
  case damaged(path: String, detail: String)
  /// Bundles between the last one applied and this one are missing.
  ///
  /// `missing` is the number of the one before; `applied` the number of the last one that this store
  /// has of the series, nil for none.
  case gap(path: String, number: Int, missing: Int, applied: Int?)
  /// There is a file that a new bundle may not take the place of; `reason` says what it is.
  case inTheWay(path: String, reason: String)
  /// A system call on the file failed.
  case io(operation: String, path: String, code: Int32)
}
