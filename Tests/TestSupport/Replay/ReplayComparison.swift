public import Core
import Foundation

/// Compares answers with recorded ones after taking out what must differ.
public struct ReplayComparison {
  /// Nothing is known yet.
  public init() {}

  /// Our revisions by the recorded ones that CouchDB generated for the same edits.
  public private(set) var revisions: [String: String] = [:]
  private var hashes: [String: String] = [:]

  /// Says in words what is wrong with an answer.
  public mutating func problems(
    _ answer: ReplayAnswer, _ recorded: ReplayCase, _ actions: [ReplayRule.Action]
  ) -> [String] {
    var problems: [String] = []
    var ignored: Set<String> = []
    for action in actions {
      switch action {
      case .skip: break
      case .ignoring(let members): ignored.formUnion(members)
      case .status(let status):
        if answer.status == status { return [] }
        return ["status \(answer.status) instead of \(status), \(answer.json ?? .null)"]
      }
    }
    if answer.status != recorded.status {
      return ["status \(answer.status) instead of \(recorded.status), \(answer.json ?? .null)"]
    }
    if let json = answer.json {
      guard let expected = recorded.feed ?? recorded.body else { return ["an unexpected body"] }
      problems += learn(json, expected)
      let wanted = normalized(translated(expected), ignored)
      let found = normalized(matching(json, expected), ignored)
      let aligned = alignedDigests(of: wanted, with: found)
      if aligned != found {
        problems.append(
          "\n   answered \(found.serialized(.canonical))"
            + "\n   recorded \(aligned.serialized(.canonical))")
      }
    }
    if let bytes = answer.bytes, let expected = recorded.bytes, bytes != expected {
      problems.append("other bytes: \(String(decoding: bytes, as: UTF8.self))")
    }
    problems += headerProblems(answer, recorded)
    return problems
  }

  private func headerProblems(_ answer: ReplayAnswer, _ recorded: ReplayCase) -> [String] {
    var problems: [String] = []
    let type = recorded.responseHeader("Content-Type") ?? ""
    if let tag = answer.tag, let expected = recorded.responseHeader("ETag"),
      expected != "\"OPAQUE\"", !(answer.bytes != nil && isCompressible(type)),
      translated(within: expected) != "\"\(tag)\""
    {
      problems.append("ETag \(tag) instead of \(expected)")
    }
    if let found = answer.contentType, found != type { problems.append("type \(found)") }
    if answer.contentRange != recorded.responseHeader("Content-Range") {
      problems.append("range \(answer.contentRange ?? "none")")
    }
    return problems
  }

  // MARK: Revisions

  /// Pairs the revisions of writes; the same recorded revision must always be the same of ours, since
  /// both name the content.
  private mutating func learn(_ ours: JSON, _ recorded: JSON) -> [String] {
    if case .array(let rows) = recorded, let found = ours.arrayValue, rows.count == found.count {
      return zip(found, rows).flatMap { learn($0, $1) }
    }
    guard recorded["ok"] == true, let theirs = recorded["rev"]?.stringValue,
      let own = ours["rev"]?.stringValue
    else { return [] }
    if let known = revisions[theirs], known != own {
      return ["\(theirs) was \(known) before and now is \(own)"]
    }
    guard theirs.prefix(while: { $0 != "-" }) == own.prefix(while: { $0 != "-" }) else {
      return ["generation of \(own) instead of \(theirs)"]
    }
    revisions[theirs] = own
    hashes[Self.hash(of: theirs)] = Self.hash(of: own)
    return []
  }

  private static func hash(of revision: String) -> String {
    String(revision.drop { $0 != "-" }.dropFirst())
  }

  private func translated(_ json: JSON) -> JSON {
    json.mappingStrings { revisions[$0] ?? hashes[$0] ?? $0 }
  }

  /// Replaces recorded revisions that stand inside a text.
  public func translated(within text: String) -> String {
    revisions.reduce(text) { text, pair in
      pair.key != pair.value && text.contains(pair.key)
        ? text.replacingOccurrences(of: pair.key, with: pair.value) : text
    }
  }

  // MARK: Normal form

  /// Leaves of our answer only what a recorded answer has, for the answers that are facts about the
  /// server too.
  private func matching(_ json: JSON, _ expected: JSON) -> JSON {
    guard case .object(var members) = json else { return json }
    if members["db_name"] != nil {
      return .object(JSONObject(members.filter { expected[$0.key] != nil }.map { ($0, $1) }))
    }
    if expected["last_seq"] == nil, expected["results"] != nil {
      members["last_seq"] = nil
      members["pending"] = nil
    }
    return .object(members)
  }

  /// Sorts the lists whose order is no promise and drops what is not compared.
  private func normalized(_ json: JSON, _ ignored: Set<String>) -> JSON {
    switch json {
    case .array(let elements):
      let elements = elements.map { normalized($0, ignored) }
      let isSet = elements.allSatisfy { $0["ok"]?.objectValue != nil || $0["missing"] != nil }
      return .array(isSet ? sorted(elements) : elements)
    case .object(let members):
      let isInformation = members["doc_count"] != nil
      var result = JSONObject()
      for (key, value) in members where !ignored.contains(key) {
        if isInformation, !Self.information.contains(key) { continue }
        let value = normalized(value, ignored)
        if key == "possible_ancestors", case .array(let list) = value {
          result[key] = .array(sorted(list))
        } else {
          result[key] = value
        }
      }
      return .object(result)
    default: return json
    }
  }

  private static let information = [
    "db_name", "doc_count", "doc_del_count", "update_seq", "purge_seq",
  ]

  private func sorted(_ elements: [JSON]) -> [JSON] {
    elements.sorted { $0.serialized(.canonical) < $1.serialized(.canonical) }
  }

  // MARK: Attachments

  /// Takes out what CouchDB tells of text attachments, which it stores compressed.
  ///
  /// It digests its own gzip bytes, which depend on its zlib. Where ours are stored as they are, the recorded digest and encoding do not count.
  private func alignedDigests(of recorded: JSON, with ours: JSON) -> JSON {
    switch recorded {
    case .array(let elements):
      return .array(
        elements.enumerated().map { index, element in
          alignedDigests(of: element, with: ours[index] ?? .null)
        })
    case .object(var members):
      let type = members["content_type"]?.stringValue
      if let type, isCompressible(type), members["digest"] != nil, ours["encoding"] == nil {
        members["digest"] = ours["digest"]
        members["encoding"] = nil
        members["encoded_length"] = nil
        return .object(members)
      }
      return .object(
        JSONObject(
          members.map { ($0.key, alignedDigests(of: $0.value, with: ours[$0.key] ?? .null)) }))
    default: return recorded
    }
  }

  private func isCompressible(_ type: String) -> Bool {
    let type = type.lowercased()
    return type.hasPrefix("text/")
      || ["application/json", "application/javascript", "application/xml"].contains {
        type.hasPrefix($0)
      }
  }
}

extension ReplayCase {
  /// A feed recorded line by line, as the object that a normal feed sends.
  public var feed: JSON? {
    guard var lines = response["lines"]?.arrayValue?.compactMap(\.stringValue) else { return nil }
    if lines.contains(where: { $0.hasPrefix("data:") }) {
      // Of an event stream the data counts; its ids are in there too.
      lines = lines.filter { $0.hasPrefix("data: {") }.map { String($0.dropFirst("data: ".count)) }
    }
    if let whole = try? JSON(parsing: lines.joined(separator: "\n")), whole["results"] != nil {
      return whole
    }
    let objects = lines.filter { !$0.isEmpty }.compactMap { try? JSON(parsing: $0) }
    var answer: JSON = ["results": .array(objects.filter { $0["id"] != nil })]
    for (key, value) in objects.last(where: { $0["last_seq"] != nil })?.objectValue ?? [:] {
      answer[key] = value
    }
    return answer
  }
}
