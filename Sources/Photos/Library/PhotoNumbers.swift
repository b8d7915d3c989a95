import Core
import Synchronization

/// A permutation of the numbers 1 to 2³¹ − 1 that only the holder of its key can foresee.
///
/// A counter of photos shows how many there are and lets anybody walk them; its permutation does
/// not. It is a Feistel network of 32 bits whose results outside the range are put in again ("cycle
/// walking", Black and Rogaway 2002).
struct NumberPermutation: Sendable {
  private let key: [UInt8]

  private static let rounds = 8

  init(key: [UInt8]) { self.key = key }

  /// The number of a count, which is 1 to 2³¹ − 1.
  func number(_ count: Int32) -> Int32 {
    precondition(count > 0, "counts begin with 1")
    var value = UInt32(count)
    repeat { value = permuted(value) } while value == 0 || value > UInt32(Int32.max)
    return Int32(value)
  }

  private func permuted(_ value: UInt32) -> UInt32 {
    var (left, right) = (UInt16(value >> 16), UInt16(truncatingIfNeeded: value))
    for round in 0..<Self.rounds {
      (left, right) = (right, left ^ scrambled(right, UInt8(round)))
    }
    return UInt32(left) << 16 | UInt32(right)
  }

  private func scrambled(_ half: UInt16, _ round: UInt8) -> UInt16 {
    var hasher = SHA256()
    hasher.update(key + [round, UInt8(half >> 8), UInt8(truncatingIfNeeded: half)])
    let digest = hasher.finish()
    return UInt16(digest[0]) << 8 | UInt16(digest[1])
  }
}

/// Hands out the numbers of a library's photos and users.
///
/// The counters lie in the library's settings document. Counts of photos are taken in blocks, so that
/// not every photo is a write to the one document that all servers share.
final class PhotoNumbers: Sendable {
  private let store: any DocumentStore
  private let state = Mutex(State())

  private struct State {
    var permutation: NumberPermutation?
    /// Counts that were taken and are not used yet.
    var block: Range<Int32> = 1..<1
    /// The next block's length: a process that adds one photo takes few.
    var blockLength: Int32 = 1
    var users: [String: Int32] = [:]

    /// The next number, if there is one left.
    mutating func take() -> Int32? {
      guard let permutation, let count = block.first else { return nil }
      block = block.dropFirst()
      return permutation.number(count)
    }
  }

  static let settingsID = "settings:photos"
  private static let longestBlock: Int32 = 64
  private static let rememberedUsers = 10_000

  init(_ store: any DocumentStore) { self.store = store }

  /// A number that no photo has.
  func next() async throws -> Int32 {
    while true {
      if let number = state.withLock({ $0.take() }) { return number }
      try await fetchBlock()
    }
  }

  private func fetchBlock() async throws {
    let length = state.withLock { state in
      defer { state.blockLength = min(state.blockLength * 2, Self.longestBlock) }
      return state.blockLength
    }
    var taken: Range<Int32> = 1..<1
    var key: [UInt8] = []
    try await update { members in
      let first = max(1, members["counter"]?.integerValue ?? 1)
      guard let first = Int32(exactly: first), first < Int32.max - length else {
        throw StoreError.badRequest("the library has used up all numbers of photos")
      }
      taken = first..<first + length
      members["counter"] = .integer(Int64(taken.upperBound))
      key = Self.key(in: &members)
    }
    let block = taken
    let permutation = NumberPermutation(key: key)
    state.withLock { state in
      // What another task fetched meanwhile is not used: there are enough numbers.
      state.block = block
      state.permutation = permutation
    }
  }

  /// The number of a user: small, from 1 on, given when it is first asked for.
  func number(ofUser name: String) async throws -> Int32 {
    if let known = state.withLock({ $0.users[name] }) { return known }
    let id = "user:" + name
    var number = try await storedNumber(id)
    if number == nil {
      var taken: Int64 = 0
      try await update { members in
        taken = (members["users"]?.integerValue ?? 0) + 1
        members["users"] = .integer(taken)
        _ = Self.key(in: &members)
      }
      let mapping = Document(
        id: id, body: try DocumentBody(["@datatype": "PhotoUser", "number": .integer(taken)]))
      do {
        try await store.put(mapping)
        number = Int32(exactly: taken)
      } catch StoreError.conflict {
        number = try await storedNumber(id)
      }
    }
    guard let number else { throw PhotoLibraryError.contended }
    state.withLock { state in
      if state.users.count >= Self.rememberedUsers { state.users.removeAll() }
      state.users[name] = number
    }
    return number
  }

  private func storedNumber(_ id: String) async throws -> Int32? {
    do {
      return try await store.document(id, ReadOptions()).body.members["number"]?.integerValue
        .flatMap { Int32(exactly: $0) }
    } catch StoreError.documentNotFound {
      return nil
    }
  }

  private func update(_ change: (inout JSONObject) throws -> Void) async throws {
    try await store.update(Self.settingsID, attempts: 64) { document in
      var document = document ?? Document(id: Self.settingsID)
      var members = document.body.members
      members["@datatype"] = "PhotoSettings"
      try change(&members)
      document.body = try DocumentBody(members)
      return document
    }
  }

  /// The key of the permutation, made when there is none.
  private static func key(in members: inout JSONObject) -> [UInt8] {
    if let key = members["key"]?.stringValue.flatMap(base64Decoded), key.count == 32 { return key }
    let key = (0..<32).map { _ in UInt8.random(in: 0...255) }
    members["key"] = .string(base64(key))
    return key
  }
}
