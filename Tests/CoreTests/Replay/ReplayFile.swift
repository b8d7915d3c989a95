import Core
import Foundation
import TestSupport
import Testing

/// One of the recorded files of `Tests/CoreTests/Vectors`.
struct ReplayFile {
  let name: String
  let json: JSON
  let cases: [ReplayCase]

  init(_ name: String) throws {
    let folder = try #require(Bundle.module.path(forResource: "Vectors", ofType: nil))
    self.name = name
    json = try JSON(parsing: readBytes("\(folder)/\(name).json"))
    cases = (json["cases"]?.arrayValue ?? []).map(ReplayCase.init)
  }
}

/// A recorded request and its answer.
struct ReplayCase {
  let json: JSON
  let name: String

  init(_ json: JSON) {
    self.json = json
    name = json["name"]?.stringValue ?? ""
  }

  var request: JSON { json["request"] ?? .null }
  var response: JSON { json["response"] ?? .null }
  var status: Int { Int(response["status"]?.integerValue ?? 0) }
  var method: String { request["method"]?.stringValue ?? "" }
  var path: String { request["path"]?.stringValue ?? "" }

  func requestHeader(_ name: String) -> String? { request["headers"]?[name]?.stringValue }

  func responseHeader(_ name: String) -> String? { response["headers"]?[name]?.stringValue }

  /// The `error` word of a recorded error answer.
  var error: String? { response["body"]?["error"]?.stringValue }

  /// The answer as JSON, also when it was kept as text; nil when it is not JSON.
  var body: JSON? {
    if let body = response["body"] { return body }
    return response["body_text"]?.stringValue.flatMap { try? JSON(parsing: $0) }
  }

  /// The answer as bytes, when it was not kept as JSON.
  var bytes: [UInt8]? {
    if let text = response["body_text"]?.stringValue { return Array(text.utf8) }
    guard let text = response["body_base64"]?.stringValue else { return nil }
    return Data(base64Encoded: text).map { [UInt8]($0) }
  }

  /// The variables to keep from the answer, and where they lie in it, such as `results.0.seq`.
  var saves: [(variable: String, path: String)] {
    (json["save"]?.objectValue ?? [:]).map { ($0.key, $0.value.stringValue ?? "") }
  }
}

extension JSON {
  /// The value at a path of member names and array positions joined by dots.
  func value(at path: String) -> JSON? {
    path.split(separator: ".").reduce(Optional(self)) { value, step in
      Int(step).flatMap { value?[$0] } ?? value?[String(step)]
    }
  }

  /// A copy with every string passed through `change`.
  func mappingStrings(_ change: (String) -> String) -> JSON {
    switch self {
    case .string(let text): .string(change(text))
    case .array(let elements): .array(elements.map { $0.mappingStrings(change) })
    case .object(let members):
      .object(JSONObject(members.map { ($0.key, $0.value.mappingStrings(change)) }))
    default: self
    }
  }
}
