public import Core

/// What a bundle says about itself before its documents.
public struct BundleHeader: Sendable, Hashable {
  /// The bundles that follow one another: 32 hexadecimal digits.
  public var series: String
  /// This writing of this bundle: 32 hexadecimal digits.
  public var session: String
  /// Its place in the series, from 1.
  public var number: Int
  /// The bundle that must be applied before; nil for one that holds everything.
  public var follows: Predecessor?
  /// The identity of the database it was made from.
  public var source: String
  /// That database's name.
  public var store: String
  /// When it was made.
  public var made: Instant
  /// The place in the source's feed where it begins.
  public var since: UpdateSequence
  /// The choice of documents; null for all.
  public var filter: JSON

  /// The bundle before.
  public struct Predecessor: Sendable, Hashable {
    /// Its session.
    public var session: String
    /// Its place in the series.
    public var number: Int
  }
}

extension BundleHeader {
  /// The header as it stands in the file.
  var json: JSON {
    [
      "series": .string(series), "session": .string(session), "number": .integer(Int64(number)),
      "follows": follows.map {
        ["session": .string($0.session), "number": .integer(Int64($0.number))]
      } ?? .null,
      "source": .string(source), "store": .string(store), "made": .string(made.rfc3339),
      "since": since.json, "filter": filter,
    ]
  }

  /// Reads a header; nil when a member is missing or of another kind.
  init?(json: JSON) {
    guard let series = json["series"]?.stringValue, let session = json["session"]?.stringValue,
      let number = json["number"]?.integerValue, let source = json["source"]?.stringValue,
      let store = json["store"]?.stringValue,
      let made = json["made"]?.stringValue.flatMap({ Instant(rfc3339: $0) }),
      let since = json["since"], let filter = json["filter"]
    else { return nil }
    self.series = series
    self.session = session
    self.number = Int(number)
    self.source = source
    self.store = store
    self.made = made
    self.since = UpdateSequence(since)
    self.filter = filter
    guard let previous = json["follows"], !previous.isNull else { return }
    guard let session = previous["session"]?.stringValue,
      let number = previous["number"]?.integerValue
    else { return nil }
    follows = Predecessor(session: session, number: Int(number))
  }
}
