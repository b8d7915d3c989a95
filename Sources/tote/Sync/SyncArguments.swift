public import ArgumentParser
import Core
import Glibc
public import HTTP
import Sync

extension TLSPin: ExpressibleByArgument, ExpectedValue {
  /// A pin as curl writes it.
  public init?(argument: String) { self.init(argument) }

  /// The words after "expected".
  public static var expectedValue: String { "sha256// and 44 characters of base 64" }
}

extension CompletionKind {
  /// The saved remotes, and the stores.
  static var remotes: CompletionKind {
    .candidates { request in
      let answers = LocalAnswers(request)
      return answers.remoteNames().map { CompletionCandidate($0, description: "remote") }
        + answers.storeNames().map { CompletionCandidate($0, description: "store") }
    }
  }
}

extension LocalAnswers {
  /// The names of the saved remotes.
  func remoteNames() -> [String] { (try? remotes?.names()) ?? [] }
}

/// The folder in which the program was started.
func currentFolder() -> String {
  guard let path = getcwd(nil, 0) else { return "." }
  defer { free(path) }
  return String(cString: path)
}
