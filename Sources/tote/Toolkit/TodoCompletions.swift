import ArgumentParser
import Core

/// What the Tab key offers for todos.
extension CompletionKind {
  /// Short ids with the todos' texts; those typed already are left out.
  static var todoIDs: CompletionKind {
    .candidates { request in
      guard let store = LocalAnswers(request, store: todoStore(request)).store(),
        let snapshot = try? TodoStore(store).snapshot()
      else { return [] }
      let typed = Set(request.operands.map { UTF8Key($0) })
      return snapshot.entries.filter { !typed.contains(UTF8Key($0.shortID)) }.map {
        CompletionCandidate($0.shortID, description: $0.record.item.name)
      }
    }
  }

  /// Tags in use.
  static var todoTags: CompletionKind { values(of: "tags") }

  /// Projects in use.
  static var todoProjects: CompletionKind { values(of: "project") }

  private static func values(of field: String) -> CompletionKind {
    .candidates { request in
      LocalAnswers(request, store: todoStore(request)).values(of: field)
        .map { CompletionCandidate($0) }
    }
  }

  private static func todoStore(_ request: CompletionRequest) -> String {
    request.value(of: "--store") ?? "todos"
  }
}
