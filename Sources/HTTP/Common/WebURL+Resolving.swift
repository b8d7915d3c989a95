extension WebURL {
  /// The URL that a reference in a `Location` header leads to (RFC 3986 §5.2).
  ///
  /// The base's user-info is not carried over.
  ///
  /// - Throws: `HTTPError.invalidURL`.
  public func resolving(_ reference: String) throws(HTTPError) -> WebURL {
    let bytes = Array(reference.utf8)
    if let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
      !bytes[..<colon].contains(where: { [0x2f, 0x3f, 0x23].contains($0) })
    {
      return try WebURL(reference)
    }
    let base = "\(scheme.rawValue)://\(authority)"
    if bytes.starts(with: Array("//".utf8)) { return try WebURL("\(scheme.rawValue):\(reference)") }
    if bytes.first == 0x2f { return try WebURL(base + reference).normalized }
    if bytes.isEmpty || bytes.first == 0x23 { return try WebURL(base + target + reference) }
    if bytes.first == 0x3f { return try WebURL(base + path + reference) }
    let folder = path.utf8.lastIndex(of: 0x2f).map { path.utf8[...$0].text } ?? "/"
    return try WebURL(base + folder + reference).normalized
  }

  /// The URL with the dot segments of its path removed (RFC 3986 §5.2.4).
  private var normalized: WebURL {
    var kept: [String] = []
    let parts = path.utf8.dropFirst().split(separator: 0x2f, omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      let text = part.text
      let isLast = index == parts.count - 1
      if sameBytes(text, ".") {
        if isLast { kept.append("") }
      } else if sameBytes(text, "..") {
        _ = kept.popLast()
        if isLast { kept.append("") }
      } else {
        kept.append(text)
      }
    }
    var url = self
    url.path = "/" + kept.joined(separator: "/")
    return url
  }
}
