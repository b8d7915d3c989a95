/// The tree's form in the `tree` column: nodes written along branches, newest first, so that a long
/// history costs 17 bytes a revision.
///
/// Each node is a flag byte, then what the flags ask for: the generation doubled plus one for a text
/// hash (unless the node is the parent of the one before it and has a digest), the hash, and the
/// number of its parent (unless the parent comes next).
extension RevisionTree {
  private enum Flag {
    static let deleted: UInt8 = 1
    static let placeholder: UInt8 = 2
    /// The node is the parent of the one before it, one generation less, with a digest.
    static let continues: UInt8 = 4
    static let root: UInt8 = 8
    /// The parent's number follows; otherwise the parent is the next node.
    static let branches: UInt8 = 16
  }

  package var encoded: [UInt8] {
    let order = writingOrder()
    var position = [Int](repeating: 0, count: nodes.count)
    for (place, index) in order.enumerated() { position[index] = place }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(nodes.count * 18)
    for (place, index) in order.enumerated() {
      let node = nodes[index]
      var flags: UInt8 = 0
      if node.isDeleted { flags |= Flag.deleted }
      if node.isPlaceholder { flags |= Flag.placeholder }
      let parentPlace = node.parent.map { position[$0] }
      if parentPlace == nil { flags |= Flag.root }
      if let parentPlace, parentPlace != place + 1 { flags |= Flag.branches }
      if place > 0, continues(nodes[order[place - 1]], index, node) { flags |= Flag.continues }
      bytes.append(flags)
      append(node.revision, to: &bytes, named: flags & Flag.continues == 0)
      if flags & Flag.branches != 0, let parentPlace {
        bytes.appendVariableLength(UInt64(parentPlace))
      }
    }
    return bytes
  }

  package init?(encoded bytes: UnsafeRawBufferPointer) {
    var reader = ByteReader(bytes)
    var nodes: [Node] = []
    while reader.remaining > 0 {
      guard let flags = reader.byte() else { return nil }
      let previous = flags & Flag.continues == 0 ? nil : nodes.last?.revision
      guard let revision = Self.revision(from: &reader, below: previous) else { return nil }
      var parent: Int?
      if flags & Flag.branches != 0 {
        guard let place = reader.variableLength(), place <= UInt64(bytes.count) else { return nil }
        parent = Int(place)
      } else if flags & Flag.root == 0 {
        parent = nodes.count + 1
      }
      nodes.append(
        Node(
          revision: revision, parent: parent, isDeleted: flags & Flag.deleted != 0,
          isPlaceholder: flags & Flag.placeholder != 0))
    }
    guard Self.isSound(nodes) else { return nil }
    self.init(nodes: nodes)
  }

  /// Every parent exists and is one generation older, which also rules out cycles.
  private static func isSound(_ nodes: [Node]) -> Bool {
    !nodes.isEmpty
      && nodes.allSatisfy { node in
        guard let parent = node.parent else { return true }
        return nodes.indices.contains(parent)
          && nodes[parent].revision.generation == node.revision.generation - 1
      }
  }

  /// Leaves one after the other, each followed by the ancestors not written yet.
  private func writingOrder() -> [Int] {
    var written = [Bool](repeating: false, count: nodes.count)
    var order: [Int] = []
    order.reserveCapacity(nodes.count)
    for leaf in leaves {
      var next: Int? = leaf
      while let index = next, !written[index] {
        written[index] = true
        order.append(index)
        next = nodes[index].parent
      }
    }
    return order
  }

  private func continues(_ previous: Node, _ index: Int, _ node: Node) -> Bool {
    guard previous.parent == index, case .digest = node.revision.hash else { return false }
    return node.revision.generation == previous.revision.generation - 1
  }

  private func append(_ revision: RevisionID, to bytes: inout [UInt8], named: Bool) {
    let hash = revision.hash.bytes
    switch revision.hash {
    case .digest:
      if named { bytes.appendVariableLength(UInt64(revision.generation) << 1) }
    case .text:
      bytes.appendVariableLength(UInt64(revision.generation) << 1 | 1)
      bytes.appendVariableLength(UInt64(hash.count))
    }
    bytes.append(contentsOf: hash)
  }

  private static func revision(
    from reader: inout ByteReader, below previous: RevisionID?
  ) -> RevisionID? {
    var head: UInt64
    if let previous {
      guard previous.generation > 0 else { return nil }
      head = UInt64(previous.generation - 1) << 1
    } else {
      guard let named = reader.variableLength(), named >> 1 <= UInt64(Int.max) else { return nil }
      head = named
    }
    if head & 1 == 0 {
      guard let high = reader.bigEndian(), let low = reader.bigEndian() else { return nil }
      return RevisionID(generation: Int(head >> 1), hash: .digest(high, low))
    }
    guard let count = reader.variableLength(), count <= UInt64(reader.remaining),
      let text = reader.text(count: Int(count))
    else { return nil }
    return RevisionID(generation: Int(head >> 1), hash: .text(UTF8Key(text)))
  }
}
