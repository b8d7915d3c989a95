import Glibc

/// Writes the canonical form of values straight from a ``JSONTape``, without a tree.
///
/// One writer is made per thread: it keeps the scratch memory in which the members of the objects that
/// are being written are sorted. The output equals that of ``JSONStyle/canonical`` byte for byte.
public struct CanonicalWriter: ~Copyable {
  /// A member in the scratch memory: where its key stands, and the key's first bytes.
  struct Member {
    /// The first eight bytes as a big-endian number, padded with zeros: settles most comparisons.
    var prefix: UInt64
    /// The token of the key.
    var token: Int
  }

  private var scratch: UnsafeMutablePointer<Member>
  private var capacity = 64
  /// Members in use by the objects that are open.
  private var used = 0

  /// A writer with its scratch memory.
  public init() {
    scratch = .allocate(capacity: capacity)
  }

  deinit {
    scratch.deallocate()
  }

  /// Appends the canonical form of a value.
  ///
  /// - Parameters:
  ///   - index: the value's token.
  ///   - tape: the tape that parsed `bytes`.
  ///   - bytes: the text.
  ///   - output: where the form is appended.
  public mutating func write(
    _ index: Int, of tape: borrowing JSONTape, in bytes: UnsafeRawBufferPointer,
    to output: inout ByteBuffer
  ) {
    precondition(index >= 0 && index < tape.count, "token index out of range")
    guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    let source = TapeSource(tokens: tape.tokens, bytes: base, count: bytes.count)
    used = 0
    write(index, source, to: &output)
  }

  /// Appends the canonical form of an object without the members whose name begins with `_`, which
  /// CouchDB reserves.
  ///
  /// - Parameters:
  ///   - index: the object's token.
  ///   - tape: the tape that parsed `bytes`.
  ///   - bytes: the text.
  ///   - output: where the form is appended.
  public mutating func writeBody(
    _ index: Int, of tape: borrowing JSONTape, in bytes: UnsafeRawBufferPointer,
    to output: inout ByteBuffer
  ) {
    precondition(
      index >= 0 && index < tape.count && tape.tokens[index].kind == .object,
      "a document's body is an object")
    guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    let source = TapeSource(tokens: tape.tokens, bytes: base, count: bytes.count)
    used = 0
    writeObject(index, source, skippingReserved: true, to: &output)
  }

  // MARK: Values

  private mutating func write(_ index: Int, _ source: TapeSource, to output: inout ByteBuffer) {
    let token = source.tokens[index]
    switch token.kind {
    case .object:
      writeObject(index, source, skippingReserved: false, to: &output)
    case .array:
      output.append(UInt8(ascii: "["))
      var child = index + 1
      let end = Int(token.next)
      while child < end {
        if child > index + 1 { output.append(UInt8(ascii: ",")) }
        write(child, source, to: &output)
        child = Int(source.tokens[child].next)
      }
      output.append(UInt8(ascii: "]"))
    case .string, .key:
      writeString(token, source, to: &output)
    case .double where !token.isCanonical:
      let value = JSONScanner.double(source.bytes + Int(token.offset), count: Int(token.length))
      output.append(canonical: value)
    case .integer where !token.isCanonical:
      output.append(UInt8(ascii: "0"))
    default:
      output.append(source.bytes + Int(token.offset), count: Int(token.length))
    }
  }

  @inline(__always)
  private func writeString(_ token: JSONToken, _ source: TapeSource, to output: inout ByteBuffer) {
    if token.hasEscapes {
      Self.writeEscaped(token, source, to: &output)
    } else {
      // Valid text without escapes needs none: it is copied with its quotes.
      output.append(source.bytes + Int(token.offset) - 1, count: Int(token.length) + 2)
    }
  }

  @inline(never)
  private static func writeEscaped(
    _ token: JSONToken, _ source: TapeSource, to output: inout ByteBuffer
  ) {
    let text = source.decodedBytes(of: token)
    text.withUnsafeBytes { output.appendJSONString($0) }
  }

  // MARK: Objects

  private mutating func writeObject(
    _ index: Int, _ source: TapeSource, skippingReserved: Bool, to output: inout ByteBuffer
  ) {
    let first = used
    let isSorted = collectMembers(of: index, source, skippingReserved: skippingReserved)
    if !isSorted { sortMembers(from: first, source) }
    output.append(UInt8(ascii: "{"))
    var isFirst = true
    var place = first
    let end = used
    while place < end {
      let member = scratch[place]
      place += 1
      // Of equal keys, which sorting has made neighbours, the last one wins.
      if !isSorted, place < end, source.areEqual(member, scratch[place]) { continue }
      if !isFirst { output.append(UInt8(ascii: ",")) }
      isFirst = false
      writeString(source.tokens[member.token], source, to: &output)
      output.append(UInt8(ascii: ":"))
      write(member.token + 1, source, to: &output)
    }
    output.append(UInt8(ascii: "}"))
    used = first
  }

  /// Notes the members of an object in the scratch memory.
  ///
  /// - Returns: whether their keys ascend strictly, so that nothing is left to sort.
  private mutating func collectMembers(
    of index: Int, _ source: TapeSource, skippingReserved: Bool
  ) -> Bool {
    var isSorted = true
    let first = used
    var child = index + 1
    let end = Int(source.tokens[index].next)
    while child < end {
      let key = source.tokens[child]
      let value = child + 1
      defer { child = Int(source.tokens[value].next) }
      if skippingReserved, source.isReserved(key) { continue }
      if used == capacity { growScratch() }
      let member = Member(prefix: source.prefix(of: key), token: child)
      if isSorted, used > first, !source.precedes(scratch[used - 1], member, orEqual: false) {
        isSorted = false
      }
      scratch[used] = member
      used += 1
    }
    return isSorted
  }

  /// Sorts by key, equal keys by their place in the text.
  private mutating func sortMembers(from first: Int, _ source: TapeSource) {
    var members = UnsafeMutableBufferPointer(start: scratch + first, count: used - first)
    guard members.count <= 32 else {
      members.sort { source.precedes($0, $1, orEqual: false) || source.inOrder($0, $1) }
      return
    }
    for index in 1..<members.count {
      let member = members[index]
      var place = index
      while place > 0, !source.precedes(members[place - 1], member, orEqual: true) {
        members[place] = members[place - 1]
        place -= 1
      }
      members[place] = member
    }
  }

  @inline(never)
  private mutating func growScratch() {
    let larger = UnsafeMutablePointer<Member>.allocate(capacity: capacity * 2)
    larger.update(from: scratch, count: used)
    scratch.deallocate()
    scratch = larger
    capacity *= 2
  }
}

/// The tokens of a tape together with the text: what the writer's functions pass along in registers.
private struct TapeSource {
  let tokens: UnsafeMutablePointer<JSONToken>
  let bytes: UnsafePointer<UInt8>
  let count: Int

  /// Whether a key's text begins with `_`.
  @inline(__always)
  func isReserved(_ key: JSONToken) -> Bool {
    guard key.length > 0 else { return false }
    if !key.hasEscapes { return bytes[Int(key.offset)] == UInt8(ascii: "_") }
    return decodedBytes(of: key).first == UInt8(ascii: "_")
  }

  @inline(__always)
  func prefix(of key: JSONToken) -> UInt64 {
    if key.hasEscapes { return decodedPrefix(of: key) }
    let place = bytes + Int(key.offset)
    let length = Int(key.length)
    if Int(key.offset) + 8 <= count {
      let word = UnsafeRawPointer(place).loadUnaligned(as: UInt64.self).bigEndian
      // Short keys: what follows them is shifted out and replaced by zeros.
      if length >= 8 { return word }
      return length == 0 ? 0 : word & (~0 << UInt64(64 - 8 * length))
    }
    return Self.prefix(UnsafeBufferPointer(start: place, count: length))
  }

  @inline(never)
  private func decodedPrefix(of key: JSONToken) -> UInt64 {
    decodedBytes(of: key).withUnsafeBufferPointer { Self.prefix($0) }
  }

  private static func prefix(_ text: UnsafeBufferPointer<UInt8>) -> UInt64 {
    var prefix: UInt64 = 0
    for byte in text.prefix(8) { prefix = prefix << 8 | UInt64(byte) }
    return text.count == 0 ? 0 : prefix << UInt64(64 - 8 * min(text.count, 8))
  }

  /// Whether `a` stands before `b` in canonical order, or beside it when `orEqual`.
  @inline(__always)
  func precedes(_ a: CanonicalWriter.Member, _ b: CanonicalWriter.Member, orEqual: Bool) -> Bool {
    if a.prefix != b.prefix { return a.prefix < b.prefix }
    let order = compareKeys(a.token, b.token)
    return orEqual ? order <= 0 : order < 0
  }

  /// Whether the keys are equal and `a` stands before `b` in the text.
  func inOrder(_ a: CanonicalWriter.Member, _ b: CanonicalWriter.Member) -> Bool {
    a.token < b.token && areEqual(a, b)
  }

  @inline(__always)
  func areEqual(_ a: CanonicalWriter.Member, _ b: CanonicalWriter.Member) -> Bool {
    a.prefix == b.prefix && compareKeys(a.token, b.token) == 0
  }

  @inline(never)
  private func compareKeys(_ a: Int, _ b: Int) -> Int {
    let left = tokens[a]
    let right = tokens[b]
    if left.hasEscapes || right.hasEscapes {
      return decodedBytes(of: left).withUnsafeBufferPointer { left in
        decodedBytes(of: right).withUnsafeBufferPointer { Self.compare(left, $0) }
      }
    }
    return Self.compare(
      UnsafeBufferPointer(start: bytes + Int(left.offset), count: Int(left.length)),
      UnsafeBufferPointer(start: bytes + Int(right.offset), count: Int(right.length)))
  }

  private static func compare(
    _ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>
  ) -> Int {
    if let left = a.baseAddress, let right = b.baseAddress {
      let order = memcmp(left, right, min(a.count, b.count))
      if order != 0 { return Int(order) }
    }
    return a.count - b.count
  }

  /// The text of a string or key.
  ///
  /// Rarely needed, so it may allocate.
  func decodedBytes(of token: JSONToken) -> [UInt8] {
    let place = bytes + Int(token.offset)
    let length = Int(token.length)
    guard token.hasEscapes else {
      return [UInt8](UnsafeBufferPointer(start: place, count: length))
    }
    return [UInt8](unsafeUninitializedCapacity: length) { target, written in
      guard let target = target.baseAddress else { return }
      written = decodeJSONEscapes(place, count: length, into: target)
    }
  }
}
