import ArgumentParser
import Core

/// Fields to sort by: `priority:desc,title`.
struct SortOrder: ExpressibleByArgument, ExpectedValue, Sendable {
  let fields: [SortField]

  init?(argument: String) {
    var fields: [SortField] = []
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      var name = String(part)
      var isDescending = false
      if name.hasSuffix(":desc") {
        isDescending = true
        name.removeLast(5)
      } else if name.hasSuffix(":asc") {
        name.removeLast(4)
      }
      guard let path = try? FieldPath(name) else { return nil }
      fields.append(SortField(path, isDescending: isDescending))
    }
    self.fields = fields
  }

  var defaultValueDescription: String {
    fields.map { $0.path.text + ($0.isDescending ? ":desc" : "") }.joined(separator: ",")
  }

  static var expectedValue: String { "fields separated by commas, such as priority:desc,title" }
}

/// Fields to print: `_id,title`.
struct FieldList: ExpressibleByArgument, ExpectedValue, Sendable {
  let paths: [FieldPath]

  init?(argument: String) {
    var paths: [FieldPath] = []
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let path = try? FieldPath(String(part)) else { return nil }
      paths.append(path)
    }
    self.paths = paths
  }

  var defaultValueDescription: String { paths.map(\.text).joined(separator: ",") }

  static var expectedValue: String { "fields separated by commas, such as _id,title" }
}
