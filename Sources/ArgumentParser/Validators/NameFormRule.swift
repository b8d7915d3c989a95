/// Names are lower-case words of ASCII letters, digits and hyphens that start with a letter; short
/// spellings are one ASCII letter or digit.
enum NameFormRule: CommandRule {
  static func problems(of node: CommandTree.Node, in tree: CommandTree) -> [String] {
    let command = node.description
    var problems: [String] = []
    for name in [command.path[command.path.count - 1]] + command.aliases where !isWord(name) {
      problems.append("the command name '\(name)' must match [a-z][a-z0-9-]*")
    }
    for name in command.ownArguments.flatMap(\.allNames) {
      let isLong = name.hasPrefix("--")
      let bare = String(name.drop { $0 == "-" })
      if isLong, !isWord(bare) {
        problems.append("the option '\(name)' must match --[a-z][a-z0-9-]*")
      }
      if !isLong, !isLetterOrDigit(bare) {
        problems.append("the option '\(name)' must be a dash and one letter or digit")
      }
    }
    return problems
  }

  private static func isWord(_ name: String) -> Bool {
    guard let first = name.utf8.first, isLower(first), name.utf8.last != UInt8(ascii: "-") else {
      return false
    }
    return name.utf8.allSatisfy { isLower($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
  }

  private static func isLetterOrDigit(_ name: String) -> Bool {
    guard let byte = name.utf8.first, name.utf8.count == 1 else { return false }
    return isLower(byte) || isDigit(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")) ~= byte
  }

  private static func isLower(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")) ~= byte
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= byte
  }
}
