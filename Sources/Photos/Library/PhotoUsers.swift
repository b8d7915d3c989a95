public import Core
import Sync
import Synchronization

/// The people of a photo service: the users of permissions, in the form of CouchDB's `_users`.
public final class PhotoUsers: Sendable {
  private let backend: any UserBackend
  private let rounds: Int
  private let addresses = AddressThrottle()
  private let names = AddressThrottle()
  private let clock: @Sendable () -> ContinuousClock.Instant
  /// Counts the changes made here, so that what is remembered of users can be dropped.
  private let changed = Atomic(0)

  /// Characters of a password, counted as JSON Schema counts them: letters of any script are one.
  public static let passwordCharacters = 8...256

  private init(
    _ backend: any UserBackend, rounds: Int,
    clock: @escaping @Sendable () -> ContinuousClock.Instant
  ) {
    self.backend = backend
    self.rounds = rounds
    self.clock = clock
  }

  /// The users of a database `_users`: that of a server, opened as an administrator.
  ///
  /// - Parameters:
  ///   - store: the database.
  ///   - rounds: rounds of derivation of passwords; fewer are for tests.
  ///   - clock: tells the time, for tests.
  public convenience init(
    _ store: any DocumentStore, rounds: Int = PasswordHash.defaultIterations,
    clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.init(StoreUsers(store: store, rounds: rounds), rounds: rounds, clock: clock)
  }

  /// The users of a folder of stores and its administrators; nothing is made before the first
  /// registers.
  ///
  /// - Parameters:
  ///   - stores: the folder.
  ///   - rounds: rounds of derivation of passwords; fewer are for tests.
  ///   - clock: tells the time, for tests.
  public convenience init(
    in stores: StoreDirectory, rounds: Int = PasswordHash.defaultIterations,
    clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.init(FolderUsers(stores, rounds: rounds), rounds: rounds, clock: clock)
  }

  // MARK: Asking

  /// Names of all users, by their bytes.
  public func list() async throws -> [String] { try await backend.names() }

  /// Whether there is a user of that name.
  public func exists(_ name: String) async throws -> Bool {
    try await backend.account(name) != nil
  }

  /// Checks a name and a password; nil when they do not belong together.
  ///
  /// It takes some tenths of a second on a thread that does nothing else, as long for a user who does
  /// not exist. Wrong passwords are counted by the user and by the address they come from; a right
  /// one sets nothing back.
  ///
  /// - Parameters:
  ///   - name: what was sent as name.
  ///   - password: what was sent as password.
  ///   - address: where it comes from; nil when nobody is to be held back.
  /// - Returns: the user's name.
  /// - Throws: ``PhotoLibraryError/tooManyTries(retryAfter:)``, `.busy`, `StoreError`, `RemoteError`.
  public func verify(
    _ name: String, _ password: String, from address: String? = nil
  ) async throws -> String? {
    let name = (try? PhotoText.userName(name)) ?? ""
    let keys = ["user:\(name)"]
    let now = clock()
    if let address {
      guard addresses.take(address, at: now) else { throw Self.tooManyTries }
      guard names.take(keys[0], at: now) else {
        addresses.giveBack(address, at: now)
        throw Self.tooManyTries
      }
    }
    func giveBack() {
      guard let address else { return }
      addresses.giveBack(address, at: clock())
      names.giveBack(keys[0], at: clock())
    }
    do {
      let account = name.isEmpty ? nil : try await backend.account(name)
      let rounds = rounds
      // Longer ones cannot have been set; deriving them would only cost more.
      let isPossible = password.utf8.count <= 4 * Self.passwordCharacters.upperBound
      let isRight = try await onPasswordThread {
        UserAccount.check(isPossible ? password : "", of: account, rounds: rounds)
      }
      guard isRight, isPossible else { return nil }
      giveBack()
      return name
    } catch {
      giveBack()
      throw error
    }
  }

  private static let tooManyTries = PhotoLibraryError.tooManyTries(
    retryAfter: AddressThrottle.interval)

  /// Changes with the user's password; nil when there is no user who can log in.
  func fingerprint(of name: String) async throws -> String? {
    guard let password = try await backend.account(name)?.password else { return nil }
    var hasher = SHA256()
    hasher.update(Array(password.salt.utf8) + [0] + password.key)
    return hexadecimal(hasher.finish().prefix(16))
  }

  /// Another number after every change that was made here.
  var changes: Int { changed.load(ordering: .acquiring) }

  // MARK: Changing

  /// Makes a user.
  ///
  /// - Parameters:
  ///   - name: what was sent as name; see ``PhotoText/userName(_:)``.
  ///   - password: 8 to 256 characters.
  /// - Returns: the user's name.
  /// - Throws: ``PhotoLibraryError``, `StoreError`, `RemoteError`.
  @discardableResult
  public func register(_ name: String, _ password: String) async throws -> String {
    let name = try PhotoText.userName(name)
    try Self.check(password)
    guard try await backend.account(name) == nil else {
      throw PhotoLibraryError.userExists(name: name)
    }
    do {
      let hash = try await hash(password)
      try await backend.add(name, hash)
    } catch StoreError.conflict {
      throw PhotoLibraryError.userExists(name: name)
    }
    changed.wrappingAdd(1, ordering: .releasing)
    return name
  }

  /// Gives a user another password; sessions and tokens of the old one end.
  ///
  /// - Throws: ``PhotoLibraryError/userNotFound(name:)``, `.invalidPassword`, `StoreError`,
  ///   `RemoteError`.
  public func setPassword(_ password: String, of name: String) async throws {
    try Self.check(password)
    try await change(name) { [backend] name in
      try await backend.setPassword(try await self.hash(password), of: name)
    }
  }

  /// Removes a user; the photos stay.
  ///
  /// - Throws: ``PhotoLibraryError/userNotFound(name:)``, `StoreError`, `RemoteError`.
  public func remove(_ name: String) async throws {
    try await change(name) { [backend] in try await backend.remove($0) }
  }

  private func change(_ name: String, _ body: (String) async throws -> Void) async throws {
    guard let known = try? PhotoText.userName(name) else {
      throw PhotoLibraryError.userNotFound(name: name)
    }
    do {
      try await body(known)
    } catch StoreError.documentNotFound, StoreError.storeNotFound {
      throw PhotoLibraryError.userNotFound(name: known)
    }
    changed.wrappingAdd(1, ordering: .releasing)
  }

  /// Refuses a password that is too short or too long.
  static func check(_ password: String) throws(PhotoLibraryError) {
    guard passwordCharacters.contains(password.unicodeScalars.count) else {
      throw .invalidPassword
    }
  }

  private func hash(_ password: String) async throws -> PasswordHash {
    let rounds = rounds
    return try await onPasswordThread { PasswordHash(password: password, iterations: rounds) }
  }

  private func onPasswordThread<Result: Sendable>(
    _ work: @escaping @Sendable () -> Result
  ) async throws -> Result {
    do {
      return try await PasswordThread.shared.run(work)
    } catch is PasswordThread.Busy {
      throw PhotoLibraryError.busy
    }
  }
}
