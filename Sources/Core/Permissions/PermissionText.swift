/// Permissions of several stores as text that people read, keep under version control and edit.
///
///     # tote permissions 1
///
///     store notes
///       admin   user ada
///       member  role team
///       reader  everyone
///
/// A line is a level, then whom: `user NAME`, `role NAME` or `everyone`. `cloudant` in the place of
/// a level is followed by whom and Cloudant's own permissions; `other KEY JSON` keeps what says
/// nothing of who may do what. Words with blanks stand in quotes, as in JSON. `#` begins a comment.
public struct PermissionText: Sendable {
  /// One store's part.
  public struct Section: Sendable {
    /// The store, as a command takes it: a name or a URL.
    public var store: String
    /// The grants, in the text's order.
    public var grants: [Grant]
    /// What else the security object holds.
    public var others: JSONObject
    /// The line of the text it begins on, from 1.
    public var line: Int

    /// A section of a store's permissions.
    public init(store: String, permissions: StorePermissions) {
      self.store = store
      grants = permissions.grants.map { grant in
        // What a level gives is said by the level.
        guard let level = grant.level, grant.subject != .everyone || level != .admin,
          grant.permissions == StorePermissions.cloudantPermissions(level)
        else { return grant }
        return Grant(grant.subject, level)
      }
      others = permissions.others
      line = 0
    }

    init(store: String, line: Int) {
      self.store = store
      self.line = line
      grants = []
      others = [:]
    }

    /// The permissions of this section in place of a store's present ones.
    ///
    /// - Throws: `StoreError.badRequest` when the store's dialect has no words for them.
    public func applied(to present: StorePermissions) throws(StoreError) -> StorePermissions {
      var result = present
      try result.replace(with: grants, others: others)
      return result
    }
  }

  /// The stores, in the text's order.
  public var sections: [Section]

  /// A text of some sections.
  public init(_ sections: [Section]) { self.sections = sections }

  /// The first line; the number changes when old programs would misread the text.
  private static let header = "# tote permissions 1"
  private static let headerStart = "# tote permissions "

  // MARK: Writing

  /// The text; equal permissions give equal bytes.
  public var text: String {
    var text =
      Self.header + "\n# Who may do what. Edit it, look with 'tote perms diff FILE', then "
      + "'tote perms apply FILE'.\n"
    for section in sections {
      text += "\nstore \(Self.word(section.store))\n"
      for line in Self.lines(section) { text += "  \(line)\n" }
    }
    return text
  }

  /// The lines of a section without its first, not indented: what a comparison shows.
  public static func lines(_ section: Section) -> [String] {
    section.grants.map(line)
      + section.others.map { key, value in
        "other   \(word(key)) \(value.serialized())"
      }
  }

  private static func line(_ grant: Grant) -> String {
    let subject: String
    switch grant.subject {
    case .user(let name): subject = "user \(word(name))"
    case .role(let role): subject = "role \(word(role))"
    case .everyone: subject = "everyone"
    }
    guard grant.permissions == nil, let level = grant.level else {
      return (["cloudant", subject] + (grant.permissions ?? []).map(word)).joined(separator: " ")
    }
    return level.rawValue + String(repeating: " ", count: 8 - level.rawValue.utf8.count) + subject
  }

  private static func word(_ text: String) -> String {
    let isPlain =
      !text.isEmpty
      && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f && $0 != 0x22 && $0 != 0x23 && $0 != 0x5c }
      && text.unicodeScalars.allSatisfy { $0.isASCII || !$0.properties.isWhitespace }
    return isPlain ? text : JSON.string(text).serialized(.compact.escapingSeparators)
  }

  // MARK: Reading

  /// Reads a text.
  ///
  /// - Throws: `Mistake` with the line.
  public init(parsing text: String) throws(Mistake) {
    sections = []
    var number = 0
    var names: Set<UTF8Key> = []
    for line in text.utf8.split(separator: 0x0a, omittingEmptySubsequences: false) {
      number += 1
      let line = String(decoding: line, as: UTF8.self)
      if line.hasPrefix(Self.headerStart), line.trimmed != Self.header {
        throw Mistake(number, "this version of tote reads permissions of version 1 only")
      }
      var words = Words(line, number)
      guard let first = try words.next() else { continue }
      if first == "store" {
        let name = try words.required("a store's name")
        guard names.insert(UTF8Key(name)).inserted else {
          throw Mistake(number, "store '\(name)' stands here a second time")
        }
        sections.append(Section(store: name, line: number))
        try words.end()
        continue
      }
      guard !sections.isEmpty else {
        throw Mistake(number, "expected 'store NAME' before the first grant")
      }
      try sections[sections.count - 1].read(first, &words)
    }
  }

  /// What is wrong with a text, and where.
  public struct Mistake: Error, Sendable {
    /// The line, from 1.
    public let line: Int
    /// What is wrong, for people.
    public let reason: String

    init(_ line: Int, _ reason: String) {
      self.line = line
      self.reason = reason
    }
  }
}

extension PermissionText.Section {
  fileprivate mutating func read(
    _ first: String, _ words: inout Words
  ) throws(PermissionText.Mistake) {
    switch first {
    case "other":
      let key = try words.required("the member's name")
      guard let value = try? JSON(parsing: words.rest) else {
        throw words.mistake("expected JSON after 'other \(key)'")
      }
      others[key] = value
    case "cloudant":
      let subject = try words.subject()
      var permissions: [String] = []
      while let word = try words.next() { permissions.append(word) }
      try add(Grant(subject, nil, permissions: permissions), words)
    default:
      guard let level = Grant.Level(rawValue: first) else {
        throw words.mistake(
          "'\(first)' is no level: expected admin, member, reader, cloudant, other or store")
      }
      try add(Grant(try words.subject(), level), words)
      try words.end()
    }
  }

  private mutating func add(_ grant: Grant, _ words: Words) throws(PermissionText.Mistake) {
    guard !grants.contains(where: { $0.isSame(as: grant) }) else {
      throw words.mistake("this stands here a second time")
    }
    grants.append(grant)
  }
}

/// The words of a line.
private struct Words {
  private var text: Substring.UTF8View
  private let line: Int

  init(_ text: String, _ line: Int) {
    self.text = text[...].utf8
    self.line = line
  }

  func mistake(_ reason: String) -> PermissionText.Mistake { PermissionText.Mistake(line, reason) }

  /// What was not read yet.
  var rest: String { String(Substring(text)) }

  mutating func next() throws(PermissionText.Mistake) -> String? {
    text = text.drop { Words.isBlank($0) }
    guard let first = text.first, first != UInt8(ascii: "#") else {
      text = text[text.endIndex...]
      return nil
    }
    guard first == UInt8(ascii: "\"") else {
      let word = text.prefix { !Words.isBlank($0) }
      text = text[word.endIndex...]
      return String(Substring(word))
    }
    var isEscaped = false
    let end = text.dropFirst().indices.first { index in
      defer { isEscaped = !isEscaped && text[index] == UInt8(ascii: "\\") }
      return text[index] == UInt8(ascii: "\"") && !isEscaped
    }
    guard let end, case .string(let word)? = try? JSON(parsing: String(Substring(text[...end])))
    else { throw mistake("a quoted word is not complete") }
    text = text[text.index(after: end)...]
    return word
  }

  mutating func required(_ what: String) throws(PermissionText.Mistake) -> String {
    guard let word = try next() else { throw mistake("expected \(what)") }
    return word
  }

  mutating func subject() throws(PermissionText.Mistake) -> Grant.Subject {
    let kind = try required("'user NAME', 'role NAME' or 'everyone'")
    switch kind {
    case "everyone": return .everyone
    case "user": return .user(try required("a user's name"))
    case "role": return .role(try required("a role"))
    default: throw mistake("'\(kind)' is nobody: expected 'user NAME', 'role NAME' or 'everyone'")
    }
  }

  mutating func end() throws(PermissionText.Mistake) {
    if let word = try next() { throw mistake("unexpected '\(word)'") }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0d
  }
}

extension String {
  fileprivate var trimmed: String {
    String(decoding: utf8.reversed().drop { $0 <= 0x20 }.reversed(), as: UTF8.self)
  }
}
