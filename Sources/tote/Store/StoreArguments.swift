public import ArgumentParser
public import Core

// Values of the module `Core` that stand on the command line. Both types and protocol are public, so
// the conformances are too.

extension RevisionID: ExpressibleByArgument, ExpectedValue {
  /// A revision as commands print it.
  public init?(argument: String) { self.init(argument) }

  /// The words after "expected".
  public static var expectedValue: String {
    "a revision such as 2-7051cbe5c8faecd085a3fa619e6e6337"
  }
}

extension FieldPath: ExpressibleByArgument, ExpectedValue {
  /// A path as selectors write it.
  public init?(argument: String) {
    guard let path = try? FieldPath(argument) else { return nil }
    self = path
  }

  /// The path as it is written.
  public var defaultValueDescription: String { text }

  /// The words after "expected".
  public static var expectedValue: String { "names joined by dots, such as address.city" }
}

extension Collation: ExpressibleByArgument {}

extension ImportFormat: ExpressibleByArgument {}

extension ImportOptions.ConflictRule: ExpressibleByArgument {}

extension ExportFormat: ExpressibleByArgument {}

/// A number of rows.
struct RowCount: ExpressibleByArgument, ExpectedValue, Sendable {
  let value: Int

  init?(argument: String) {
    guard let value = Int(argument), value >= 0 else { return nil }
    self.value = value
  }

  var defaultValueDescription: String { String(value) }
  static var expectedValue: String { "a whole number from 0" }
}

extension ArgumentHelp {
  /// The help of the operand that names a store.
  static var store: ArgumentHelp { ArgumentHelp("the store", valueName: "STORE") }
  /// The help of the operand that names a document.
  static var document: ArgumentHelp { ArgumentHelp("the document's id", valueName: "DOC") }
  /// The help of the operand that names documents.
  static var documents: ArgumentHelp { ArgumentHelp("ids of documents", valueName: "DOC") }
  /// The help of `--limit`.
  static var limit: ArgumentHelp { ArgumentHelp("stop after N rows", valueName: "N") }
  /// The help of `--skip`.
  static var skip: ArgumentHelp { ArgumentHelp("pass over the first N rows", valueName: "N") }
}
