public import ArgumentParser
public import Core

// Values of the module `Core` that stand on the command line. Both types and protocol are public, so
// the conformances are too.

extension StorePermissions.Preset: ExpressibleByArgument {
  /// What each preset means.
  public static var allValueDescriptions: [String: String] {
    [
      "admins": "administrators only", "members": "members read and write",
      "public-read": "everybody reads, members write", "public": "everybody reads and writes",
    ]
  }
}

extension Grant.Level: ExpressibleByArgument {
  /// What each level means.
  public static var allValueDescriptions: [String: String] {
    [
      "reader": "reads", "member": "reads and writes", "admin": "does everything within the store",
    ]
  }
}

/// What `perms check` asks about.
enum PermittedAction: String, ExpressibleByArgument, CaseIterable, Sendable {
  case read
  case write
  case admin

  var access: SecurityObject.Access {
    switch self {
    case .read: .read
    case .write: .write
    case .admin: .administer
    }
  }
}

/// Whom a grant is about: exactly one of three options.
struct SubjectOptions: ParsableArguments, Sendable {
  @Option(
    help: ArgumentHelp("a user, or a key of Cloudant's", valueName: "U"), completion: .userNames)
  var user: String?

  @Option(help: ArgumentHelp("everybody who has this role", valueName: "R"), completion: .roles)
  var role: String?

  @Flag(help: "everybody, also who gives no name")
  var everyone = false

  init() {}

  mutating func validate() throws {
    let given = [
      user.map { _ in "--user" }, role.map { _ in "--role" }, everyone ? "--everyone" : nil,
    ]
    .compactMap(\.self)
    if given.count > 1 { throw ValidationError.exclusive(given[0], given[1]) }
    if given.isEmpty {
      throw ValidationError("say whom it is about: '--user U', '--role R' or '--everyone'")
    }
  }

  var subject: Grant.Subject {
    if let user { return .user(user) }
    return role.map { .role($0) } ?? .everyone
  }
}

extension ArgumentHelp {
  /// The help of the operand that names a store, here or elsewhere.
  static var storeAnywhere: ArgumentHelp {
    ArgumentHelp("the store: a name, a URL or a saved remote", valueName: "STORE")
  }
  /// The help of `--server`.
  static var server: ArgumentHelp {
    ArgumentHelp("the users of this server: a URL or a saved remote", valueName: "SERVER")
  }
  /// The help of `--force`.
  static var force: ArgumentHelp {
    ArgumentHelp("change it even if you may then not change it back")
  }
  /// The help of `--password-file`.
  static var passwordFile: ArgumentHelp {
    ArgumentHelp("a file whose first line is the password; '-' is standard input", valueName: "F")
  }
}

extension CompletionKind {
  /// The names of the users of this machine's stores.
  static var userNames: CompletionKind {
    .candidates { request in
      LocalAnswers(request).users().map {
        CompletionCandidate($0.name, description: $0.roles.joined(separator: ", "))
      }
    }
  }

  /// The saved remotes.
  static var savedRemotes: CompletionKind {
    .candidates { request in
      LocalAnswers(request).remoteNames().map { CompletionCandidate($0) }
    }
  }

  /// The roles that users of this machine's stores have.
  static var roles: CompletionKind {
    .candidates { request in
      let roles = LocalAnswers(request).users().flatMap(\.roles).map { UTF8Key($0) }
      return Set(roles).sorted().map { CompletionCandidate($0.string) }
    }
  }
}
