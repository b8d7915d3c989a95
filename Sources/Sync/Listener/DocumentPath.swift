import Core

/// What a path below a database names: a document, or one of its attachments.
struct DocumentPath {
  var id: String
  /// The attachment's name, which may hold slashes.
  var attachment: String?
  /// A view, show, list, update or rewrite function of a design document.
  var isDesignFunction = false

  private static let functions: Set<String> = [
    "_view", "_show", "_list", "_update", "_rewrite", "_search", "_nouveau", "_info",
  ]

  /// Reads the segments below a database, which are not empty.
  ///
  /// - Throws: `StoreError.invalidDocumentID` for a bare `_design` or `_local`.
  init(_ segments: [String]) throws {
    let isPrefixed = segments[0] == "_design" || segments[0] == "_local"
    if isPrefixed {
      guard segments.count > 1, !segments[1].isEmpty else {
        throw Refusal.badRequest("Invalid \(segments[0]) document id.")
      }
      id = segments[0] + "/" + segments[1]
    } else {
      id = segments[0]
      guard id != "_local/" else { throw Refusal.badRequest("Invalid _local document id.") }
    }
    let rest = segments.dropFirst(isPrefixed ? 2 : 1)
    if let first = rest.first {
      isDesignFunction = segments[0] == "_design" && Self.functions.contains(first)
      attachment = rest.joined(separator: "/")
    }
  }
}
