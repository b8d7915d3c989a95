import Core

/// What a store remembers of the bundles of a series that it has applied.
struct BundleReceipt: Sendable {
  /// A bundle that was applied.
  struct Entry: Sendable, Hashable {
    var session: String
    var number: Int
    var made: String
  }

  /// The newest first.
  private(set) var applied: [Entry]

  /// So many bundles may be applied again without being taken for out of order.
  private static let limit = 1_000

  /// The id of the `_local/…` document.
  static func documentID(series: String) -> String {
    DocumentID.localPrefix + "bundles-" + series
  }

  init() { applied = [] }

  /// Reads the document; what is odd in it counts as not there.
  init(_ document: Document) {
    applied = (document.body.members["applied"]?.arrayValue ?? []).compactMap { entry in
      guard let session = entry["session"]?.stringValue,
        let number = entry["number"]?.integerValue
      else { return nil }
      return Entry(
        session: session, number: Int(number), made: entry["made"]?.stringValue ?? "")
    }
  }

  func contains(session: String) -> Bool { applied.contains { $0.session == session } }

  /// The number of the last bundle in the order of the series.
  var last: Int? { applied.map(\.number).max() }

  mutating func add(_ header: BundleHeader) {
    applied.removeAll { $0.session == header.session }
    applied.insert(
      Entry(session: header.session, number: header.number, made: header.made.rfc3339), at: 0)
    if applied.count > Self.limit { applied.removeLast(applied.count - Self.limit) }
  }

  /// The members of the document.
  func body(_ header: BundleHeader) -> JSONObject {
    let entries = applied.map {
      [
        "session": .string($0.session), "number": .integer(Int64($0.number)),
        "made": .string($0.made),
      ] as JSON
    }
    return [
      "series": .string(header.series), "source": .string(header.source),
      "store": .string(header.store), "applied": .array(entries),
    ]
  }
}
