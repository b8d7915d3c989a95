import Core
import TestSupport
import Testing

/// The recorded `_find` cases and their documents.
enum QueryVectors {
  static func file(_ name: String) throws -> JSON { try ReplayFile(name).json }

  /// The cases of a file.
  static func cases(_ name: String) throws -> [JSON] {
    try #require(file(name)["cases"]?.arrayValue)
  }

  /// The 61 documents of find.json, sorted by id.
  static func documents() throws -> [JSON] {
    let dataset = try #require(file("find")["dataset"]?.arrayValue)
    return dataset.sorted { utf8Less($0["_id"]?.stringValue ?? "", $1["_id"]?.stringValue ?? "") }
  }

  static func name(_ vector: JSON) -> String { vector["name"]?.stringValue ?? "?" }

  static func ids(_ value: JSON?) -> [String]? {
    value?.arrayValue?.map { $0.stringValue ?? "?" }
  }
}
