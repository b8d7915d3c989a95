public import Core
public import HTTP
import Synchronization

/// Opens databases on servers by their URL or as saved remotes, with one client for all that trust the
/// same authorities.
public final class RemoteOpener: Sendable {
  private let environment: [String: String]
  private let temporaryFolder: String
  private let clients: Mutex<[(trust: HTTPClient.Trust, client: HTTPClient)]> = Mutex([])

  /// Prepares; no library is loaded before the first database is opened.
  ///
  /// - Parameters:
  ///   - environment: the variables that name proxies.
  ///   - temporaryFolder: where attachments wait that are read from a server.
  public init(environment: [String: String] = [:], temporaryFolder: String = "/tmp") {
    self.environment = environment
    self.temporaryFolder = temporaryFolder
  }

  /// Opens the database of a URL; user-info in it is who asks.
  ///
  /// - Parameters:
  ///   - url: the database.
  ///   - spool: the store that attachments go to; nil for a temporary folder.
  /// - Returns: the database; nothing was sent yet.
  /// - Throws: `HTTPError.libraryMissing`.
  public func open(_ url: WebURL, spool: LocalStore? = nil) throws -> RemoteStore {
    RemoteStore(
      url, client: try client(.system), spool: spool, temporaryFolder: temporaryFolder)
  }

  /// Opens the database of a URL as somebody; see `open(_:spool:)`.
  func open(
    _ url: WebURL, credentials: RemoteCredentials, spool: LocalStore?
  ) throws -> RemoteStore {
    RemoteStore(
      url, credentials: credentials, client: try client(.system), spool: spool,
      temporaryFolder: temporaryFolder)
  }

  /// Opens a saved remote.
  ///
  /// - Parameters:
  ///   - remote: the remote.
  ///   - spool: the store that attachments go to; nil for a temporary folder.
  /// - Returns: the database; nothing was sent yet.
  /// - Throws: `HTTPError.libraryMissing`.
  public func open(_ remote: SavedRemote, spool: LocalStore? = nil) throws -> RemoteStore {
    RemoteStore(
      remote.url, credentials: RemoteCredentials(remote.secret),
      client: try client(remote.trust), spool: spool, temporaryFolder: temporaryFolder)
  }

  private func client(_ trust: HTTPClient.Trust) throws -> HTTPClient {
    try clients.withLock { clients in
      if let known = clients.first(where: { $0.trust == trust }) { return known.client }
      var options = HTTPClient.Options()
      options.trust = trust
      options.takeProxies(from: environment)
      let client = try HTTPClient(options)
      clients.append((trust, client))
      return client
    }
  }
}

extension RemoteCredentials {
  /// What a saved remote's secret is for a request.
  init(_ secret: SavedRemote.Secret) {
    switch secret {
    case .none: self = .none
    case .password(let user, let password): self = .password(user: user, password: password)
    case .token(let token): self = .bearer(token)
    case .iamKey(let key): self = .apiKey(key, tokens: Self.cloudTokens)
    }
  }
}
