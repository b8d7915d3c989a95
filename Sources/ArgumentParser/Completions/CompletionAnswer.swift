/// What the Tab key may insert at the cursor.
public struct CompletionAnswer: Hashable, Sendable {
  /// What the shell adds of its own.
  public enum Directive: Hashable, Sendable {
    /// Nothing.
    case none
    /// Nothing, and there were more candidates than are listed.
    case more
    /// Files with one of the extensions (all when there are none), and folders.
    case files(extensions: [String])
    /// Folders.
    case directories
  }

  /// The most candidates an answer holds.
  public static let limit = 200

  /// Whole words, unquoted, in the order to show; at most `limit`.
  public var candidates: [CompletionCandidate]

  /// What the shell adds.
  public var directive: Directive

  /// An answer.
  public init(candidates: [CompletionCandidate] = [], directive: Directive = .none) {
    self.candidates = candidates
    self.directive = directive
  }

  /// The lines the shell scripts read: value, tab and description for each candidate, then a line
  /// that starts with a colon and names the directive.
  ///
  /// Descriptions are on one line of at most 60 cells; a value with control characters cannot be
  /// written so and is left out.
  public var lines: String {
    var text = ""
    for candidate in candidates where !candidate.value.unicodeScalars.contains(where: isControl) {
      text += candidate.value
      let description = Self.oneLine(candidate.description)
      if !description.isEmpty { text += "\t" + description }
      text += "\n"
    }
    switch directive {
    case .none: text += ":none\n"
    case .more: text += ":more\n"
    case .files(let extensions): text += ([":files"] + extensions).joined(separator: " ") + "\n"
    case .directories: text += ":directories\n"
    }
    return text
  }

  private static func oneLine(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar == "\n" || scalar == "\t" {
        scalars.append(" ")
      } else if !isControl(scalar) {
        scalars.append(scalar)
      }
    }
    return TextWidth.truncated(String(scalars), to: 60)
  }
}

/// C0, DEL and C1.
private func isControl(_ scalar: Unicode.Scalar) -> Bool {
  scalar.value < 0x20 || (0x7F..<0xA0) ~= scalar.value
}
