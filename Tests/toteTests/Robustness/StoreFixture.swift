import TestSupport

/// What the robustness tests need of a store, made through the program as a person would.
extension ToteBinary {
  /// Path of a store's folder.
  func storePath(_ name: String) -> String { "\(stores)/\(name).store" }

  /// Runs a command that must succeed, and returns its result.
  @discardableResult
  func succeed(_ arguments: String..., input: String = "") throws -> ProcessResult {
    let result = try run(arguments, input: input, within: .seconds(120))
    guard result.exitCode == 0 else {
      throw SupportError.badSetup(
        "tote \(arguments.joined(separator: " ")): \(result.status): \(result.errors)")
    }
    return result
  }

  /// The number of live documents that the store says it has.
  func documentCount(_ store: String) throws -> Int {
    let text = try succeed("store", "info", store, "--json").output
    guard let start = text.firstRange(of: "\"doc_count\":"),
      let count = Int(
        text[start.upperBound...].prefix { $0.isNumber || $0 == " " }.drop { $0 == " " })
    else { throw SupportError.badSetup("no doc_count in: \(text)") }
    return count
  }

  /// Ids of all documents, in order.
  func documentIDs(_ store: String) throws -> [String] {
    try succeed("store", "ls", store, "--jsonl").lines.compactMap(Self.id(inLine:))
  }

  /// The value of `id` or `_id` in a line of JSON; our ids hold nothing that JSON escapes.
  static func id(inLine line: String) -> String? {
    for key in ["\"_id\":\"", "\"id\":\""] {
      guard let start = line.firstRange(of: key) else { continue }
      return String(line[start.upperBound...].prefix { $0 != "\"" })
    }
    return nil
  }
}

/// Lines of documents for imports.
enum SampleDocuments {
  /// JSON Lines of documents with ids `PREFIX-0000000` and up, about 200 bytes each.
  static func lines(_ numbers: Range<Int>, prefix: String = "doc") -> String {
    var text = ""
    text.reserveCapacity(numbers.count * 220)
    let filler = String(repeating: "lorem ipsum dolor ", count: 7)
    for number in numbers {
      text +=
        "{\"_id\":\"\(id(number, prefix: prefix))\",\"number\":\(number),\"text\":\"\(filler)\"}\n"
    }
    return text
  }

  /// The id of a document of ``lines(_:prefix:)``.
  static func id(_ number: Int, prefix: String = "doc") -> String {
    let digits = String(number)
    return "\(prefix)-" + String(repeating: "0", count: 7 - digits.count) + digits
  }
}

/// Says in the test log, which `make test` repeats, that something could not be tested here.
func reportSkipped(_ what: String, because reason: String) {
  print("SKIPPED \(what): \(reason)")
}
