import ArgumentParser
import Core
import HTTP
import Sync

/// What a person names as one side of a replication.
enum Endpoint: Sendable {
  /// A store of this machine.
  case local(LocalStore)
  /// A database on a server, how to name it without secrets, and whether that name is enough to
  /// reach it again.
  case remote(RemoteStore, label: String, isReachable: Bool)
  /// A bundle file, by its path.
  case bundle(String)

  /// How files of bundles are recognised.
  static let bundleSuffix = ".totebundle"

  /// The side as it is named to people, and in what the store remembers.
  var label: String {
    switch self {
    case .local(let store): store.name
    case .remote(_, let label, _): label
    case .bundle(let path): path
    }
  }

  /// The name under which it can be found again; nil when there is none without a secret.
  var lastingName: String? {
    switch self {
    case .local(let store): store.name
    case .remote(_, let label, let isReachable): isReachable ? label : nil
    case .bundle: nil
    }
  }

  /// The store; nil for a bundle.
  var store: (any DocumentStore)? {
    switch self {
    case .local(let store): store
    case .remote(let store, _, _): store
    case .bundle: nil
    }
  }
}

extension Context {
  /// The remotes the person saved.
  func remotes() throws -> RemoteDirectory { RemoteDirectory(home: try paths.stores()) }

  /// Opens what a person named as the other side of a replication: a URL, `-` for one on standard
  /// input, a bundle, a saved remote, or a local store.
  ///
  /// - Parameters:
  ///   - text: as it was typed.
  ///   - spool: the store that attachments of a server go to.
  /// - Returns: the side; nothing was sent to a server yet.
  /// - Throws: `CommandError` with status 66 when nothing has this name, and what opening throws.
  func endpoint(_ text: String, spool: LocalStore? = nil) throws -> Endpoint {
    if isURL(text) || text == "-" { return try remote(url: text, spool: spool) }
    if text.hasSuffix(Endpoint.bundleSuffix) || text.hasPrefix("/") || text.hasPrefix("./")
      || text.hasPrefix("../")
    {
      return .bundle(text)
    }
    if try remotes().contains(text) { return try savedRemote(text, spool: spool) }
    do {
      return .local(try stores().open(text))
    } catch StoreError.storeNotFound, StoreError.invalidStoreName {
      throw endpointNotFound(text)
    }
  }

  /// Whether a person means a server's address.
  func isURL(_ text: String) -> Bool {
    text.utf8.starts(with: "http://".utf8) || text.utf8.starts(with: "https://".utf8)
  }

  /// Opens the database of a URL; `-` reads it from standard input.
  func remote(url text: String, spool: LocalStore? = nil) throws -> Endpoint {
    let url = try databaseURL(text)
    return .remote(
      try opener.open(url, spool: spool), label: "\(url.withoutUserInfo)",
      isReachable: url.user == nil)
  }

  /// Opens a saved remote.
  func savedRemote(_ name: String, spool: LocalStore? = nil) throws -> Endpoint {
    .remote(
      try opener.open(try remotes().remote(name), spool: spool), label: name, isReachable: true)
  }

  /// Reads the URL of a database; `-` is standard input.
  ///
  /// - Throws: `CommandError` when it is none, or names a server only.
  func databaseURL(_ text: String) throws -> WebURL {
    let typed = text == "-" ? try streams.input.readLine()?.trimmingSpaces() ?? "" : text
    let url = try WebURL(typed)
    guard url.segments.contains(where: { !$0.isEmpty }) else {
      throw CommandError.usage(
        "'\(url)' names a server and no database", hint: "add the database's name to the URL")
    }
    return url
  }

  private func endpointNotFound(_ name: String) -> CommandError {
    let known = ((try? remotes().names()) ?? []) + ((try? stores().names()) ?? [])
    let similar = Suggestions.nearest(to: name, in: known).map { "'\($0)'" }
    return CommandError(
      .notFound, "not_found", "'\(name)' is neither a saved remote nor a store",
      hint: similar.isEmpty
        ? "save it with 'tote sync remote add \(name) URL', or name a URL or a \(Endpoint.bundleSuffix) file"
        : "did you mean \(similar.joined(separator: " or "))?",
      details: [("remote", .string(name))])
  }
}
