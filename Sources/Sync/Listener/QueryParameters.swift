import Core
import HTTP

/// The parameters of a request, read as CouchDB reads them.
struct QueryParameters {
  private let query: HTTPQuery

  init(_ query: HTTPQuery) { self.query = query }

  /// The parameters of a request: to CouchDB a semicolon separates them too.
  init(of request: HTTPRequest) {
    let text = request.queryText ?? ""
    let separated = text.utf8.map { $0 == UInt8(ascii: ";") ? UInt8(ascii: "&") : $0 }
    query =
      text.utf8.contains(UInt8(ascii: ";"))
      ? HTTPQuery(parsing: String(decoding: separated, as: UTF8.self)) ?? request.query
      : request.query
  }

  /// The last value of a parameter; nil when it is not given.
  subscript(name: String) -> String? { query[name] }

  /// The first of several spellings that is given.
  func first(_ names: String...) -> String? {
    names.lazy.compactMap { self[$0] }.first
  }

  func flag(_ name: String, default value: Bool = false) throws -> Bool {
    switch self[name] {
    case nil: value
    case "true": true
    case "false": false
    case .some(let text):
      throw Refusal(400, "query_parse_error", "Invalid boolean parameter: \(quoted(text))")
    }
  }

  /// Whether a flag is `true`, where CouchDB takes every other word for false.
  func isTrue(_ name: String) -> Bool { self[name] == "true" }

  /// A number from 0; nil when it is not given.
  func count(_ name: String) throws -> Int? {
    try self[name].map { try Self.count($0) }
  }

  /// Reads a number from 0.
  static func count(_ text: String) throws -> Int {
    guard let number = Int(text) else {
      throw Refusal(400, "query_parse_error", "Invalid value for integer: \(quoted(text))")
    }
    guard number >= 0 else {
      throw Refusal(
        400, "query_parse_error", "Invalid value for positive integer: \(quoted(text))")
    }
    return number
  }

  /// A JSON value; nil when it is not given.
  func json(_ names: String...) throws -> JSON? {
    for name in names {
      guard let text = self[name] else { continue }
      guard let json = try? JSON(parsing: text) else { throw Refusal.invalidJSON }
      return json
    }
    return nil
  }

  func revision(_ name: String = "rev") throws -> RevisionID? {
    guard let text = self[name] else { return nil }
    guard let revision = RevisionID(text) else { throw Refusal.badRequest("Invalid rev format") }
    return revision
  }

  /// A JSON list of revisions.
  func revisions(_ name: String) throws -> [RevisionID]? {
    guard let json = try json(name) else { return nil }
    guard case .array(let entries) = json else {
      throw Refusal.badRequest("Invalid list of revisions")
    }
    return try entries.map { try RevisionID(json: $0) }
  }

  /// Whether a new database is to be partitioned.
  func partitioned() throws -> Bool {
    switch self["partitioned"] {
    case nil, "false": false
    case "true": true
    default: throw Refusal.badRequest("Invalid `partitioned` parameter")
    }
  }

  private func quoted(_ text: String) -> String { Self.quoted(text) }

  private static func quoted(_ text: String) -> String { JSON.string(text).serialized() }
}

extension JSON {
  /// A parameter's text, given in a body: a string as it is, other values as JSON.
  var text: String { stringValue ?? serialized() }
}
