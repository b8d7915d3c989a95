/// One line of a store's permissions: who may do what.
public struct Grant: Sendable, Hashable {
  /// Whom it is about.
  public enum Subject: Sendable, Hashable {
    /// A user, or on Cloudant an API key, by name.
    case user(String)
    /// Everybody who has a role.
    case role(String)
    /// Everybody, also who gives no name.
    case everyone
  }

  /// What is allowed; each includes those before it.
  public enum Level: String, Sendable, CaseIterable {
    /// Reading.
    case reader
    /// Reading, and writing all but design documents.
    case member
    /// Everything within the store.
    case admin
  }

  /// Whom.
  public var subject: Subject
  /// What; nil when Cloudant grants something that no level is.
  public var level: Level?
  /// Cloudant's own words for it, in the order they are stored; nil elsewhere.
  public var permissions: [String]?

  /// A grant with its parts.
  public init(_ subject: Subject, _ level: Level?, permissions: [String]? = nil) {
    self.subject = subject
    self.level = level
    self.permissions = permissions
  }
}

extension Grant.Subject {
  /// Whether it means a user: by name, by a role, or everybody.
  public func contains(_ user: UserContext) -> Bool {
    switch self {
    case .user(let name): user.name.map { utf8Equal($0, name) } ?? false
    case .role(let role): user.roles.contains { utf8Equal($0, role) }
    case .everyone: true
    }
  }

  /// Users before roles before everyone, each by their bytes.
  static func precedes(_ left: Self, _ right: Self) -> Bool {
    switch (left, right) {
    case (.user(let a), .user(let b)), (.role(let a), .role(let b)): utf8Less(a, b)
    default: left.rank < right.rank
    }
  }

  private var rank: Int {
    switch self {
    case .user: 0
    case .role: 1
    case .everyone: 2
    }
  }

  /// Compares as bytes, which `==` does not.
  func isSame(as other: Self) -> Bool {
    switch (self, other) {
    case (.user(let a), .user(let b)), (.role(let a), .role(let b)): utf8Equal(a, b)
    case (.everyone, .everyone): true
    default: false
    }
  }
}

extension Grant {
  /// Administrators first, then as `Subject.precedes`.
  static func precedes(_ left: Grant, _ right: Grant) -> Bool {
    func rank(_ level: Level?) -> Int {
      switch level {
      case .admin: 0
      case .member: 1
      case .reader: 2
      case nil: 3
      }
    }
    let (a, b) = (rank(left.level), rank(right.level))
    return a == b ? Subject.precedes(left.subject, right.subject) : a < b
  }

  /// Compares as bytes; the order of Cloudant's words does not count.
  func isSame(as other: Grant) -> Bool {
    level == other.level && subject.isSame(as: other.subject)
      && permissions?.sorted() == other.permissions?.sorted()
  }
}
