extension JSONTape {
  /// The token of the value of an object's member, the last one of that name; `nil` when absent.
  ///
  /// - Parameters:
  ///   - name: the member's name.
  ///   - index: the object's token.
  ///   - bytes: the text that was parsed.
  /// - Returns: the value's token.
  public func member(_ name: String, of index: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
    guard index < count, tokens[index].kind == .object else { return nil }
    var name = name
    return name.withUTF8 { name in
      var found: Int?
      var child = index + 1
      let end = Int(tokens[index].next)
      while child < end {
        if isKey(child, UnsafeRawBufferPointer(name), bytes) { found = child + 1 }
        child = Int(tokens[child + 1].next)
      }
      return found
    }
  }

  private func isKey(
    _ index: Int, _ name: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer
  ) -> Bool {
    let token = tokens[index]
    if token.hasEscapes { return string(at: index, in: bytes).utf8.elementsEqual(name) }
    let offset = Int(token.offset)
    return Int(token.length) == name.count
      && UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + name.count]).elementsEqual(name)
  }
}
