/// One document being matched: the hot loop.
struct MatcherRun {
  typealias Place = UnsafePointer<UInt8>

  let program: MatcherProgram
  /// After the body's last byte.
  let end: Place
  let id: UnsafeRawBufferPointer

  /// Runs an instruction on the value at `place`.
  func matches(
    _ index: Int32, _ place: Place, _ texts: borrowing [StringMatch], _ revision: () -> String
  ) -> Bool {
    let instruction = program.instructions + Int(index)
    switch instruction.pointee.operation {
    case .always: return true
    case .never: return false
    case .and:
      return childIndices(instruction).allSatisfy { matches($0, place, texts, revision) }
    case .or: return childIndices(instruction).contains { matches($0, place, texts, revision) }
    case .sortedAnd: return matchesInOnePass(instruction, place, texts, revision)
    case .field, .absent, .existsNot:
      return matchesField(instruction, place, texts, revision)
    default:
      return holds(
        instruction, Value(place: place, end: end, collation: program.collation), texts, revision)
    }
  }

  /// A value, its bound, and how its strings compare.
  struct Value {
    let place: Place
    let end: Place
    let collation: Collation
  }

  @inline(__always)
  private func childIndices(
    _ instruction: UnsafeMutablePointer<MatcherProgram.Instruction>
  ) -> UnsafeBufferPointer<Int32> {
    UnsafeBufferPointer(
      start: program.children + Int(instruction.pointee.firstChild),
      count: Int(instruction.pointee.childCount))
  }

  @inline(__always)
  func child(_ instruction: UnsafeMutablePointer<MatcherProgram.Instruction>) -> Int32 {
    program.children[Int(instruction.pointee.firstChild)]
  }

  // MARK: Paths

  /// Finds fields whose first names ascend, each search going on where the one before ended.
  private func matchesInOnePass(
    _ instruction: UnsafeMutablePointer<MatcherProgram.Instruction>, _ object: Place,
    _ texts: borrowing [StringMatch], _ revision: () -> String
  ) -> Bool {
    var member = object + 1
    var isMissing = false
    for index in childIndices(instruction) {
      let field = program.instructions + Int(index)
      let names = program.names + Int(field.pointee.firstName)
      guard let found = find(names, &member),
        let value = descend(
          from: found, names + 1, Int(field.pointee.nameCount) - 1, &isMissing),
        holds(
          program.instructions + Int(child(field)),
          Value(place: value, end: end, collation: program.collation), texts, revision)
      else { return false }
    }
    return true
  }

  private func matchesField(
    _ instruction: UnsafeMutablePointer<MatcherProgram.Instruction>, _ place: Place,
    _ texts: borrowing [StringMatch], _ revision: () -> String
  ) -> Bool {
    if instruction.pointee.special != .none {
      return matchesSpecial(instruction, texts, revision)
    }
    var isMissing = false
    let value = descend(
      from: place, program.names + Int(instruction.pointee.firstName),
      Int(instruction.pointee.nameCount), &isMissing)
    switch instruction.pointee.operation {
    case .absent: return value == nil
    case .existsNot: return value == nil && isMissing
    default:
      guard let value else { return false }
      return holds(
        program.instructions + Int(child(instruction)),
        Value(place: value, end: end, collation: program.collation), texts, revision)
    }
  }

  /// Conditions on the id or the revision: rare, so they are written as JSON text and matched as such.
  private func matchesSpecial(
    _ instruction: UnsafeMutablePointer<MatcherProgram.Instruction>,
    _ texts: borrowing [StringMatch], _ revision: () -> String
  ) -> Bool {
    guard instruction.pointee.operation == .field else { return false }
    var text = ByteBuffer(capacity: id.count + 16)
    var collation = program.collation
    if instruction.pointee.special == .id {
      text.appendJSONString(id)
      collation = .codePoint
    } else {
      text.appendJSONString(revision())
    }
    let inner = program.instructions + Int(child(instruction))
    return text.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
      let value = Value(place: base, end: base + bytes.count, collation: collation)
      return holds(inner, value, texts, revision)
    }
  }

  /// The value at a path; nil when there is none.
  func value(at firstName: Int, _ count: Int, from place: Place) -> Place? {
    var isMissing = false
    return descend(from: place, program.names + firstName, count, &isMissing)
  }

  /// Follows names; sets `isMissing` when the last object on the way lacks the member.
  @inline(__always)
  private func descend(
    from place: Place, _ names: UnsafePointer<MatcherProgram.Name>, _ count: Int,
    _ isMissing: inout Bool
  ) -> Place? {
    var place = place
    for index in 0..<count {
      switch place.pointee {
      case UInt8(ascii: "{"):
        var member = place + 1
        guard let value = find(names + index, &member) else {
          isMissing = true
          return nil
        }
        place = value
      case UInt8(ascii: "["):
        guard names[index].index >= 0,
          let value = CanonicalText.element(names[index].index, ofArrayAt: place, end)
        else { return nil }
        place = value
      default: return nil
      }
    }
    return place
  }

  /// Looks for a member from the key at `member` on, and leaves `member` at the key where it stopped.
  @inline(__always)
  private func find(
    _ name: UnsafePointer<MatcherProgram.Name>, _ member: inout Place
  ) -> Place? {
    let wanted = name.pointee
    var place = member
    while end - place >= 8, place.pointee == UInt8(ascii: "\"") {
      let word = UnsafeRawPointer(place).loadUnaligned(as: UInt64.self).bigEndian & wanted.mask
      if word == wanted.prefix {
        if wanted.count <= 8
          || (end - place >= wanted.count
            && memcmpBytes(place + 8, wanted.text + 8, wanted.count - 8) == 0)
        {
          member = place
          return place + wanted.count
        }
      } else if word > wanted.prefix, wanted.isOrdered {
        // Keys ascend, unless an escape stands where they differ.
        let differing = (word ^ wanted.prefix).leadingZeroBitCount >> 3
        if place[differing] != UInt8(ascii: "\\") {
          member = place
          return nil
        }
      }
      place = CanonicalText.skipValue(CanonicalText.skipString(place, end) + 1, end)
      guard place < end, place.pointee == UInt8(ascii: ",") else {
        member = place
        return nil
      }
      place += 1
    }
    return findNearEnd(wanted, &member, place)
  }

  /// The last members, where eight bytes can no longer be read at once.
  private func findNearEnd(
    _ wanted: MatcherProgram.Name, _ member: inout Place, _ start: Place
  ) -> Place? {
    var place = start
    while place < end, place.pointee == UInt8(ascii: "\"") {
      if end - place >= wanted.count, memcmpBytes(place, wanted.text, wanted.count) == 0 {
        member = place
        return place + wanted.count
      }
      place = CanonicalText.skipValue(CanonicalText.skipString(place, end) + 1, end)
      guard place < end, place.pointee == UInt8(ascii: ",") else { break }
      place += 1
    }
    member = place
    return nil
  }
}
