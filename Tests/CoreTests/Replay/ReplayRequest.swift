import Core
import Foundation
import TestSupport

/// A recorded request, taken apart as an HTTP layer would before it calls the store.
struct ReplayRequest {
  var method: String
  /// The path between slashes, decoded; empty parts left out.
  var segments: [String]
  var query: [String: String]
  var headers: [String: String]
  /// The body as it was sent.
  var body: [UInt8]

  /// Takes a recorded request; `fill` puts the values of variables into its texts.
  init(_ recorded: ReplayCase, fill: (String) -> String) {
    method = recorded.method
    let parts = fill(recorded.path).split(separator: "?", maxSplits: 1)
    segments = parts.first.map { $0.split(separator: "/").map { Self.decoded($0) } } ?? []
    query = [:]
    for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      query[Self.decoded(sides[0])] = sides.count > 1 ? Self.decoded(sides[1]) : ""
    }
    headers = [:]
    for (name, value) in recorded.request["headers"]?.objectValue ?? [:] {
      headers[name.lowercased()] = value.stringValue.map(fill)
    }
    if let json = recorded.request["body"] {
      body = json.mappingStrings(fill).serializedBytes()
    } else if let text = recorded.request["body_text"]?.stringValue {
      body = Array(fill(text).utf8)
    } else {
      let text = recorded.request["body_base64"]?.stringValue ?? ""
      body = Data(base64Encoded: text).map { [UInt8]($0) } ?? []
    }
  }

  /// Percent escapes and `+`, which CouchDB takes for a space in paths too.
  private static func decoded(_ text: Substring) -> String {
    let spaced = text.replacingOccurrences(of: "+", with: " ")
    return spaced.removingPercentEncoding ?? spaced
  }

  /// The body as JSON.
  func json() throws -> JSON { try JSON(parsing: body) }

  /// The body as a JSON object.
  func object() throws -> JSONObject {
    guard case .object(let members) = try json() else {
      throw ReplayRefusal(400, "bad_request", "Request body must be a JSON object")
    }
    return members
  }

  func flag(_ name: String) -> Bool { query[name] == "true" }

  /// A parameter that names a revision.
  func revision(_ name: String) throws -> RevisionID? {
    try query[name].map(ReplayRequest.revision)
  }

  /// The revision of `rev` or of `If-Match`, whichever is there.
  func namedRevision() throws -> RevisionID? {
    try revision("rev") ?? matchedRevision()
  }

  func matchedRevision() throws -> RevisionID? {
    try headers["if-match"].map { text in
      try ReplayRequest.revision(text.trimmingCharacters(in: CharacterSet(charactersIn: "\"")))
    }
  }

  static func revision(_ text: String) throws -> RevisionID {
    guard let revision = RevisionID(text) else {
      throw ReplayRefusal(400, "bad_request", "Invalid rev format")
    }
    return revision
  }

  /// A JSON list of revisions.
  static func revisions(_ json: JSON) throws -> [RevisionID] {
    guard case .array(let list) = json else {
      throw ReplayRefusal(400, "bad_request", "Invalid list of revisions")
    }
    return try list.map { item in
      guard let text = item.stringValue else {
        throw ReplayRefusal(400, "bad_request", "Invalid rev format")
      }
      return try revision(text)
    }
  }
}

/// What an HTTP layer refuses by itself, before the store is asked.
struct ReplayRefusal: Error {
  var status: Int
  var error: String
  var reason: String

  init(_ status: Int, _ error: String, _ reason: String) {
    self.status = status
    self.error = error
    self.reason = reason
  }
}

/// A request that the adapter does not translate: its case must be skipped by a rule.
struct ReplayUnsupported: Error {
  var request: String
}
