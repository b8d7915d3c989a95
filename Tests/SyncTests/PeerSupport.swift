import Core
import HTTP
import Synchronization
import TestSupport

@testable import Sync

/// A store behind a listener, with a peer that misbehaves in front of it, and a local store.
struct PeerWorld {
  /// The store behind the peer, as its own process sees it.
  let store: LocalStore
  /// The store of the client's side.
  let local: LocalStore
  let peer: ScriptedPeer
  let client: HTTPClient
  /// The seconds that the client waited, instead of waiting.
  let pauses: Pauses

  /// The pauses of a client, each of which takes no time.
  final class Pauses: Sendable {
    let seconds = Mutex<[Double]>([])
    /// Added to the clock.
    let skipped = Mutex(0.0)

    var timing: RemoteTiming {
      RemoteTiming(now: { self.skipped.withLock { $0 } }, pause: { self.add($0) })
    }

    func add(_ pause: Double) { seconds.withLock { $0.append(pause) } }
    func skip(_ more: Double) { skipped.withLock { $0 += more } }
  }

  /// The database's URL, through the peer.
  var url: WebURL {
    get throws { try WebURL("http://127.0.0.1:\(peer.port)/db") }
  }

  /// The store, as a client sees it.
  func remote(_ credentials: RemoteCredentials? = nil) throws -> RemoteStore {
    RemoteStore(try url, credentials: credentials, client: client, timing: pauses.timing)
  }

  @discardableResult
  func pull(_ options: ReplicationOptions = ReplicationOptions()) async throws -> ReplicationReport
  {
    try await Replicator(from: remote(), to: local, options: options, pause: { pauses.add($0) })
      .run()
  }

  @discardableResult
  func push(_ options: ReplicationOptions = ReplicationOptions()) async throws -> ReplicationReport
  {
    try await Replicator(from: local, to: remote(), options: options, pause: { pauses.add($0) })
      .run()
  }

  static func run(
    _ configure: (inout Listener.Options) throws -> Void = { _ in },
    _ body: (PeerWorld) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { home in
      let local = try StoreDirectory(path: "\(home)").create("local")
      try await withListener(configure) { listener in
        let store = try listener.stores.create("db")
        let peer = try ScriptedPeer(before: listener.url.effectivePort)
        defer { peer.stop() }
        try await body(
          PeerWorld(
            store: store, local: local, peer: peer, client: listener.client, pauses: Pauses()))
      }
    }
  }
}

extension ScriptedPeer.Request {
  /// The request with another target.
  func with(target: String) -> ScriptedPeer.Request {
    var request = self
    request.target = target
    return request
  }
}

extension ScriptedPeer.Action {
  /// An error in CouchDB's shape.
  static func error(
    _ status: Int, _ error: String = "scripted", _ reason: String = "as the test wants it",
    headers: [(name: String, value: String)] = []
  ) -> ScriptedPeer.Action {
    let json: JSON = ["error": .string(error), "reason": .string(reason)]
    return .answer(ScriptedPeer.Response(status, json.serialized(), headers: headers))
  }
}

/// Writes so many small documents.
func fill(_ store: LocalStore, count: Int, prefix: String = "d") throws {
  for index in 0..<count { try write("\(prefix)\(index)", "text \(index)", to: store) }
}

/// Text that does not repeat, of so many bytes.
func noise(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
  (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
}

/// Writes a document with one attachment.
@discardableResult
func attach(
  _ bytes: [UInt8], to id: String, name: String = "f", type: String = "image/png",
  encoding: String? = nil, in store: LocalStore
) throws -> RevisionID {
  var file = Core.Attachment(name: name, contentType: type, content: .inline(bytes))
  file.encoding = encoding
  return try store.put(Document(id: id, attachments: [file]))
}
