extension FieldPath {
  /// The value at the path.
  ///
  /// - Parameter document: where to look.
  /// - Returns: the value, which may be `null`; nil when there is none.
  public func value(in document: JSON) -> JSON? {
    guard case .found(let value) = lookup(in: document) else { return nil }
    return value
  }
}
