/// A filter function of a design document, run by the source of a replication.
public struct DesignFilter: Sendable, Hashable {
  /// The design document's name and the function's: `ddoc/name`.
  public var name: String
  /// What the function is told, by name.
  public var parameters: [String: String]
  /// The function's text, which tells one version of the filter from the next.
  public private(set) var code: String?

  /// Names a filter.
  public init(name: String, parameters: [String: String] = [:]) {
    self.name = name
    self.parameters = parameters
  }

  /// Reads the function's text from the source.
  ///
  /// - Throws: `StoreError.documentNotFound` when there is no such design document, `.badRequest` when
  ///   it has no such filter.
  public mutating func load(from source: any DocumentStore) async throws {
    let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
    guard parts.count == 2 else {
      throw StoreError.badRequest("a filter is named by its design document: DDOC/NAME")
    }
    let document = try await source.document(
      DocumentID.designPrefix + parts[0], ReadOptions())
    guard let code = document.body.members["filters"]?[parts[1]]?.stringValue else {
      throw StoreError.badRequest("design document '\(parts[0])' has no filter '\(parts[1])'")
    }
    self.code = code
  }

  /// What tells this filter from another.
  package var json: JSON {
    let pairs = parameters.sorted { utf8Less($0.key, $1.key) }
    return [
      "name": .string(name), "code": code.map { .string($0) } ?? .null,
      "parameters": .object(JSONObject(pairs.map { ($0.key, .string($0.value)) })),
    ]
  }
}
