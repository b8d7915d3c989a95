/// What is needed to let somebody in: who it is, what counts for permissions, and the password.
public struct UserAccount: Sendable, Hashable {
  /// The name.
  public var name: String
  /// The roles, without `_admin`.
  public var roles: [String]
  /// Whether the user administers the server.
  public var isAdmin: Bool
  /// The password; nil for a user who cannot log in.
  public var password: PasswordHash?

  package init(name: String, roles: [String], isAdmin: Bool, password: PasswordHash?) {
    self.name = name
    self.roles = roles
    self.isAdmin = isAdmin
    self.password = password
  }

  /// The user as permissions see it.
  public var context: UserContext {
    UserContext(name: name, roles: (isAdmin ? [UserContext.adminRole] : []) + roles)
  }

  /// Checks a password, or does the work of checking one where there is no account or no password:
  /// how long it takes does not tell which names exist.
  ///
  /// - Parameters:
  ///   - password: what was sent.
  ///   - account: the account; nil for none.
  ///   - rounds: the rounds of derivation that every check takes at least.
  /// - Returns: whether the account exists and the password is its own.
  public static func check(
    _ password: String, of account: UserAccount?, rounds: Int = PasswordHash.defaultIterations
  ) -> Bool {
    guard let hash = account?.password else {
      _ = PasswordHash(password: password, iterations: rounds)
      return false
    }
    let isRight = hash.matches(password)
    // Hashes of older CouchDBs have few rounds: the rest is made up for.
    if hash.iterations < rounds {
      _ = PasswordHash(password: password, iterations: rounds - hash.iterations)
    }
    return isRight
  }
}
