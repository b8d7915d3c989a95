import Glibc

/// What went wrong in the test machinery itself, as opposed to the thing under test.
public enum SupportError: Error, CustomStringConvertible {
  /// A system call failed: its name and `errno`.
  case system(String, Int32)
  /// The program under test did not do what was waited for in time; the text says what.
  case timedOut(String)
  /// A test's own input is wrong: a transcript that cannot be read, a binary that is not built.
  case badSetup(String)

  /// The sentence that the test report shows.
  public var description: String {
    switch self {
    case .system(let call, let code): "\(call): \(String(cString: strerror(code)))"
    case .timedOut(let text): "timed out: \(text)"
    case .badSetup(let text): text
    }
  }
}
