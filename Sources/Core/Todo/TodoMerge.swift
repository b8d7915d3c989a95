/// Merges todos that were changed on two machines, field by field, alike on both.
///
/// The result depends only on the bodies and revisions, never on a clock or on which side asks, so
/// two machines write the same merged revision and no second conflict arises.
public enum TodoMerge {
  /// One of the competing revisions.
  public struct Leaf: Sendable {
    /// Its revision; the greater one (by generation, then hash) counts as the later edit.
    public let revision: RevisionID
    /// Its fields, or `nil` when it deletes the todo.
    public let fields: JSONObject?

    /// Creates a leaf.
    public init(revision: RevisionID, fields: JSONObject?) {
      self.revision = revision
      self.fields = fields
    }
  }

  /// Fields that change together: the second says something about the first.
  private static let companions = ["completed": "done", "dueZone": "due"]

  /// Merges competing revisions.
  ///
  /// Done beats open; the later edit wins for everything else that both sides changed; tags are the
  /// union of both without those one side removed; an edit beats a deletion.
  ///
  /// - Parameters:
  ///   - ancestor: the fields of the last common revision, or `nil` when they are no longer there;
  ///     then every field counts as changed by both.
  ///   - leaves: the competing revisions, at least one, in any order.
  /// - Returns: the merged fields, or `nil` when all leaves delete the todo.
  public static func merge(ancestor: JSONObject?, leaves: [Leaf]) -> JSONObject? {
    let ordered = leaves.sorted { $0.revision < $1.revision }
    var result: JSONObject?
    for leaf in ordered {
      guard let fields = leaf.fields.map({ restored($0, from: ancestor) }) else { continue }
      guard let earlier = result else {
        result = fields
        continue
      }
      result = merge(ancestor: ancestor ?? JSONObject(), earlier: earlier, later: fields)
    }
    return result
  }

  private static func merge(
    ancestor: JSONObject, earlier: JSONObject, later: JSONObject
  ) -> JSONObject {
    var result = JSONObject()
    for key in later.keys + earlier.keys.filter({ later[$0] == nil }) {
      let value = choose(key, ancestor: ancestor, earlier: earlier, later: later)
      if let value { result[key] = value }
    }
    return result
  }

  private static func choose(
    _ key: String, ancestor: JSONObject, earlier: JSONObject, later: JSONObject
  ) -> JSON? {
    if key == "tags" { return mergedTags(ancestor[key], earlier[key], later[key]) }
    let leader = companions[key] ?? key
    // The companion follows whichever side the leading field was taken from.
    return takesEarlier(leader, key, ancestor, earlier, later) ? earlier[key] : later[key]
  }

  private static func takesEarlier(
    _ leader: String, _ key: String, _ ancestor: JSONObject, _ earlier: JSONObject,
    _ later: JSONObject
  ) -> Bool {
    if earlier[leader] == later[leader] {
      return earlier[key] != ancestor[key] && later[key] == ancestor[key]
    }
    if leader == "done" {
      let isDone = (earlier[leader]?.boolValue ?? false, later[leader]?.boolValue ?? false)
      if isDone.0 != isDone.1, ancestorAllows(ancestor, earlier, later) { return isDone.0 }
    }
    return later[leader] == ancestor[leader]
  }

  /// Reopening is an edit like any other when the todo was done before and one side left it so.
  private static func ancestorAllows(
    _ ancestor: JSONObject, _ earlier: JSONObject, _ later: JSONObject
  ) -> Bool {
    let was = ancestor["done"]
    return !(was?.boolValue ?? false) || (earlier["done"] != was && later["done"] != was)
  }

  private static func mergedTags(_ ancestor: JSON?, _ earlier: JSON?, _ later: JSON?) -> JSON? {
    func words(_ value: JSON?) -> [String] { (value?.arrayValue ?? []).compactMap(\.stringValue) }
    let (old, left, right) = (words(ancestor), words(earlier), words(later))
    let (oldKeys, leftKeys, rightKeys) = (keys(old), keys(left), keys(right))
    var seen: Set<UTF8Key> = []
    let merged = (right + left).filter { tag in
      let key = UTF8Key(tag)
      guard seen.insert(key).inserted else { return false }
      return !oldKeys.contains(key) || (leftKeys.contains(key) && rightKeys.contains(key))
    }
    return merged.isEmpty ? nil : .array(merged.map { .string($0) })
  }

  private static func keys(_ words: [String]) -> Set<UTF8Key> { Set(words.map { UTF8Key($0) }) }

  /// Undoes the harm of a client that drops fields it does not know: when every field of ours
  /// vanished at once, they come back from the ancestor.
  private static func restored(_ fields: JSONObject, from ancestor: JSONObject?) -> JSONObject {
    guard let ancestor else { return fields }
    let owned = TodoItem.ownFields.filter { ancestor[$0] != nil }
    guard !owned.isEmpty, TodoItem.ownFields.allSatisfy({ fields[$0] == nil }) else {
      return fields
    }
    let others = fields.keys.filter { !["@datatype", "name", "priority"].contains($0) }
    guard others.allSatisfy({ fields[$0] == ancestor[$0] }) else { return fields }
    // A todo whose only field of ours was removed on purpose (reopened, date taken away) keeps its
    // text and priority; a client that rewrites the document has changed one of them.
    guard fields["name"] != ancestor["name"] || fields["priority"] != ancestor["priority"] else {
      return fields
    }
    var result = fields
    for key in owned { result[key] = ancestor[key] }
    return result
  }
}
