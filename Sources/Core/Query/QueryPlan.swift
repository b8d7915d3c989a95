/// How the store will answer a query.
public struct QueryPlan: Sendable {
  /// Where candidates come from.
  public enum Source: Sendable, Hashable {
    /// The selector cannot hold.
    case nothing
    /// All documents, or those in ranges of ids.
    case documents
    /// Ranges of an index.
    case index(IndexDefinition)
    /// Matches of a text index.
    case text(IndexDefinition)
  }

  /// A range of an index's keys: from `lower`, up to but not including `upper`.
  struct KeyRange: Sendable, Hashable {
    var lower: [UInt8]
    var upper: [UInt8]
  }

  /// A range of ids: from `lower`, up to but not including `upper`.
  struct IDRange: Sendable, Hashable {
    var lower: [UInt8]
    var upper: [UInt8]?
  }

  /// Where candidates come from.
  public var source: Source
  /// What candidates are tested for; nil when the ranges say it all.
  public var residual: Selector?
  /// Whether the source's order is the one asked for.
  public var servesSort: Bool
  /// The direction in which the source, or the sort, is read.
  public var isDescending: Bool
  /// What a person should know: that no index serves the query, that one named could not be used.
  public var warnings: [String]
  /// Smallest and greatest values of the range, one for each bound field, as `_explain` shows them.
  public var startKey: [JSON]
  /// See `startKey`.
  public var endKey: [JSON]

  var keyRanges: [KeyRange] = []
  var idRanges: [IDRange] = []
  /// The bytes before the sort key in keys of the index, when it serves the sort.
  var keyPrefix: [UInt8] = []
  /// The words for the text index.
  var text: String?
  /// How CouchDB chose; nil where the choice is our own.
  var mango: MangoChoice?

  static let noIndexWarning =
    "No matching index found, create an index to optimize query time."
  static let examinedWarning =
    "The number of documents examined is high in proportion to the number of results returned. "
    + "Consider adding a more specific index to improve this."
}
