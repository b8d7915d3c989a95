public import Core
import Foundation

/// One of the files recorded from CouchDB, `Tests/TestSupport/Vectors`.
public struct ReplayFile {
  /// The file's name, without `.json`.
  public let name: String
  /// The whole file.
  public let json: JSON
  /// Its cases, in order.
  public let cases: [ReplayCase]

  /// Reads a file.
  ///
  /// - Throws: `SupportError` when there is none of that name.
  public init(_ name: String) throws {
    guard let folder = Bundle.module.path(forResource: "Vectors", ofType: nil) else {
      throw SupportError.badSetup("the recorded files are not beside the tests")
    }
    self.name = name
    json = try JSON(parsing: readBytes("\(folder)/\(name).json"))
    cases = (json["cases"]?.arrayValue ?? []).map(ReplayCase.init)
  }
}

/// A recorded request and its answer.
public struct ReplayCase {
  /// The case as it was recorded.
  public let json: JSON
  /// Its name, one of a kind in its file.
  public let name: String

  /// Wraps a recorded case.
  public init(_ json: JSON) {
    self.json = json
    name = json["name"]?.stringValue ?? ""
  }

  /// What was sent.
  public var request: JSON { json["request"] ?? .null }
  /// What was answered.
  public var response: JSON { json["response"] ?? .null }
  /// The answer's status.
  public var status: Int { Int(response["status"]?.integerValue ?? 0) }
  /// The request's method.
  public var method: String { request["method"]?.stringValue ?? "" }
  /// The request's path with its query, as it was sent.
  public var path: String { request["path"]?.stringValue ?? "" }

  /// A header of the request.
  public func requestHeader(_ name: String) -> String? { request["headers"]?[name]?.stringValue }

  /// A header of the answer.
  public func responseHeader(_ name: String) -> String? { response["headers"]?[name]?.stringValue }

  /// The `error` word of a recorded error answer.
  public var error: String? { response["body"]?["error"]?.stringValue }

  /// The answer as JSON, also when it was kept as text; nil when it is not JSON.
  public var body: JSON? {
    if let body = response["body"] { return body }
    return response["body_text"]?.stringValue.flatMap { try? JSON(parsing: $0) }
  }

  /// The answer as bytes, when it was not kept as JSON.
  public var bytes: [UInt8]? {
    if let text = response["body_text"]?.stringValue { return Array(text.utf8) }
    guard let text = response["body_base64"]?.stringValue else { return nil }
    return Data(base64Encoded: text).map { [UInt8]($0) }
  }

  /// The variables to keep from the answer, and where they lie in it, such as `results.0.seq`.
  public var saves: [(variable: String, path: String)] {
    (json["save"]?.objectValue ?? [:]).map { ($0.key, $0.value.stringValue ?? "") }
  }
}

extension JSON {
  /// The value at a path of member names and array positions joined by dots.
  public func value(at path: String) -> JSON? {
    path.split(separator: ".").reduce(Optional(self)) { value, step in
      Int(step).flatMap { value?[$0] } ?? value?[String(step)]
    }
  }

  /// A copy with every string passed through `change`.
  public func mappingStrings(_ change: (String) -> String) -> JSON {
    switch self {
    case .string(let text): .string(change(text))
    case .array(let elements): .array(elements.map { $0.mappingStrings(change) })
    case .object(let members):
      .object(JSONObject(members.map { ($0.key, $0.value.mappingStrings(change)) }))
    default: self
    }
  }
}
