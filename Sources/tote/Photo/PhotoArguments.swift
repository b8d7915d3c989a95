public import ArgumentParser
import Core
import Glibc
public import Photos

// Values of the module `Photos` that stand on the command line. Both types and protocol are public, so
// the conformances are too.

extension PictureSize: ExpressibleByArgument {
  /// What each size is.
  public static var allValueDescriptions: [String: String] {
    ["full": "the whole picture", "view": "for a screen", "thumb": "a small square"]
  }
}

extension CompletionKind {
  /// Ids of the newest photos with their titles, of the library that is named or the usual one.
  static var photoIDs: CompletionKind {
    .candidates { request in
      let name = request.value(of: "--library") ?? LibraryOptions.defaultName
      let typed = Set(request.operands.map { UTF8Key($0) })
      return LocalAnswers(request, store: name).photos().filter { !typed.contains(UTF8Key($0.id)) }
        .map { CompletionCandidate($0.id, description: $0.title) }
    }
  }
}

extension LocalAnswers {
  /// The newest photos.
  func photos() -> [(id: String, title: String)] {
    let prefix = "photo:"
    var list = ListRequest()
    list.start = "photo;"
    list.end = prefix
    list.descending = true
    list.limit = LocalAnswers.limit
    list.documents = ReadOptions()
    let rows = (try? store()?.allDocuments(list).rows) ?? []
    return rows.compactMap { row in
      guard row.id.hasPrefix(prefix) else { return nil }
      let members = row.document?.body.members
      let (user, title) = (members?["user"]?.stringValue, members?["title"]?.stringValue)
      return (String(row.id.dropFirst(prefix.count)), "@\(user ?? "") \(title ?? "")")
    }
  }
}

extension PhotoScope: ExpressibleByArgument {
  /// What each scope means.
  public static var allValueDescriptions: [String: String] {
    ["upload": "adds photos", "full": "does all that its user may do"]
  }
}

/// How many things are done at once.
struct JobCount: ExpressibleByArgument, ExpectedValue, Sendable {
  let value: Int

  /// One for each processor.
  static let standard = JobCount(value: max(1, min(64, sysconf(Int32(_SC_NPROCESSORS_ONLN)))))

  private init(value: Int) { self.value = value }

  init?(argument: String) {
    guard let value = Int(argument), (1...64).contains(value) else { return nil }
    self.value = value
  }

  // The manual is the same on every machine.
  var defaultValueDescription: String { "processors" }
  static var expectedValue: String { "a whole number from 1 to 64" }
}
