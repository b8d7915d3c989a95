extension JSON {
  /// The value after a merge patch (RFC 7396): members of the patch replace those of the same name,
  /// `null` removes one, objects are merged member by member, anything else replaces the whole.
  ///
  /// ```swift
  /// try JSON(parsing: #"{"a":1,"b":{"c":2}}"#).merged(with: ["a": nil, "b": ["d": 3]])
  /// // {"b":{"c":2,"d":3}}
  /// ```
  ///
  /// - Parameter patch: the patch.
  /// - Returns: the patched value; members keep their places, new ones come at the end.
  public func merged(with patch: JSON) -> JSON {
    guard case .object(let changes) = patch else { return patch }
    var members = objectValue ?? [:]
    for (key, change) in changes {
      if change.isNull {
        members[key] = nil
      } else {
        members[key] = (members[key] ?? .null).merged(with: change)
      }
    }
    return .object(members)
  }
}
