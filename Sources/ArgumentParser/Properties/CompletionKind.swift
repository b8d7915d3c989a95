/// What the Tab key offers for a value.
public struct CompletionKind: Sendable {
  enum Kind: Sendable {
    case `default`
    case list([String])
    case file(extensions: [String])
    case directory
    case custom(@Sendable (CompletionRequest) -> [CompletionCandidate])
  }

  let kind: Kind

  var isDefault: Bool {
    if case .default = kind { true } else { false }
  }

  /// Nothing of ours; the shell stays silent.
  public static var `default`: CompletionKind { CompletionKind(kind: .default) }

  /// The given words.
  public static func list(_ words: [String]) -> CompletionKind {
    CompletionKind(kind: .list(words))
  }

  /// Files with one of the extensions (without the dot), or all files when none is given; folders too.
  public static func file(extensions: [String] = []) -> CompletionKind {
    CompletionKind(kind: .file(extensions: extensions))
  }

  /// Folders only.
  public static var directory: CompletionKind { CompletionKind(kind: .directory) }

  /// The words a closure gives; a tab in a word starts its description.
  ///
  /// The closure receives all words typed, the index of the one at the cursor, and the part of it
  /// before the cursor.
  public static func custom(
    _ completion: @escaping @Sendable ([String], Int, String) -> [String]
  ) -> CompletionKind {
    CompletionKind(
      kind: .custom { request in
        completion(request.words + [request.prefix], request.words.count, request.prefix)
          .map(CompletionCandidate.init(line:))
      })
  }

  /// The candidates a closure gives for everything known about the line; beside the mirrored API.
  public static func candidates(
    _ completion: @escaping @Sendable (CompletionRequest) -> [CompletionCandidate]
  ) -> CompletionKind {
    CompletionKind(kind: .custom(completion))
  }
}
