public import Core
public import HTTP

/// A database of a server that speaks CouchDB's API, as a `DocumentStore`.
public final class RemoteStore: CouchDBStore {
  /// The database's URL, without user-info.
  public var url: WebURL { connection.url }
  let connection: RemoteConnection
  /// Where attachments that are read are kept until they are written elsewhere.
  let spool: AttachmentSpool
  /// Whether `_bulk_get` is worth asking.
  let bulkGets: BulkGetHealth

  /// Names a database; nothing is sent.
  ///
  /// - Parameters:
  ///   - url: the database's URL; user-info in it is the credentials unless others are given.
  ///   - credentials: who asks.
  ///   - client: sends the requests.
  ///   - spool: a store into whose blobs attachments are streamed when they are read.
  ///   - temporaryFolder: where they are streamed without such a store.
  public init(
    _ url: WebURL, credentials: RemoteCredentials? = nil, client: HTTPClient,
    spool: LocalStore? = nil, temporaryFolder: String = "/tmp"
  ) {
    connection = RemoteConnection(
      url, credentials: credentials ?? RemoteCredentials(from: url), client: client)
    self.spool = AttachmentSpool(spool, temporaryFolder: temporaryFolder)
    bulkGets = BulkGetHealth(.real)
  }

  /// The same with a clock of the test's own.
  init(
    _ url: WebURL, credentials: RemoteCredentials? = nil, client: HTTPClient, timing: RemoteTiming
  ) {
    connection = RemoteConnection(
      url, credentials: credentials ?? RemoteCredentials(from: url), client: client,
      timing: timing)
    spool = AttachmentSpool(nil)
    bulkGets = BulkGetHealth(timing)
  }

  init(_ connection: RemoteConnection, spool: AttachmentSpool) {
    self.connection = connection
    self.spool = spool
    bulkGets = BulkGetHealth(connection.timing)
  }

  /// The URL without user-info, scheme and default port, so that neither a new password nor TLS
  /// makes it another database.
  public var identity: String {
    let port = url.effectivePort
    let isDefault = [80, 443, 5984, 6984].contains(port)
    let path = url.path.utf8.last == UInt8(ascii: "/") ? String(url.path.dropLast()) : url.path
    return "\(url.host)\(isDefault ? "" : ":\(port)")\(path)"
  }

  /// Whether the database exists.
  public func exists() async throws -> Bool {
    do {
      _ = try await connection.json(.get, [])
      return true
    } catch RemoteError.status(404, _, _, _) {
      return false
    }
  }

  /// Makes the database; one that exists is left as it is.
  public func create() async throws {
    do {
      _ = try await connection.json(.put, [])
    } catch RemoteError.status(412, _, _, _) {
      return
    }
  }

  /// Reads facts about the database.
  public func info() async throws -> StoreInfo {
    let json = try await rethrowing { try await connection.json(.get, []) }
    func count(_ key: String) -> Int { json[key]?.integerValue.map(Int.init) ?? 0 }
    return StoreInfo(
      name: json["db_name"]?.stringValue ?? url.path, uuid: json["uuid"]?.stringValue ?? "",
      documentCount: count("doc_count"), deletedCount: count("doc_del_count"), conflictCount: 0,
      lastSequence: UpdateSequence(json["update_seq"] ?? 0).number ?? 0,
      purgeSequence: UpdateSequence(json["purge_seq"] ?? 0).number ?? 0,
      fileSize: json["sizes"]?["file"]?.integerValue.map(Int.init) ?? 0,
      formatVersion: count("disk_format_version"), collation: .unicode,
      revisionsLimit: LocalStore.defaultRevisionsLimit)
  }

  /// Asks the server to make everything written so far durable.
  public func synchronize() async throws {
    do {
      _ = try await connection.json(.post, ["_ensure_full_commit"], .json([:]))
    } catch RemoteError.status(let status, _, _, _)
      where status < 500 && status != 429 || status == 501
    {
      // CouchDB 3 commits every write by itself; others refuse the call or do not know it.
      return
    }
  }

  /// The security object.
  public func security() async throws -> JSONObject {
    let json = try await rethrowing { try await connection.json(.get, ["_security"]) }
    return json.objectValue ?? [:]
  }

  /// Replaces the security object.
  public func setSecurity(_ security: JSONObject) async throws {
    _ = try await rethrowing {
      try await connection.json(.put, ["_security"], .json(.object(security)))
    }
  }

  // MARK: Errors

  /// Says in the store's own words what the server said in CouchDB's; `id` is the one document that
  /// the request concerns, if it does.
  func rethrowing<Result>(
    id: String = "", _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      return try await body()
    } catch let error as RemoteError {
      throw error.asStoreError(id: id) ?? error
    }
  }

  /// Turns what is wrong with an answer's text into an error that names the database.
  func reading<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as AnswerFault {
      throw RemoteError.unexpected(detail: error.detail, url: url)
    } catch is JSONError {
      throw RemoteError.unexpected(detail: "the answer is not JSON", url: url)
    }
  }
}

extension RemoteError {
  /// What a local store would have thrown; nil when it has no such error.
  fileprivate func asStoreError(id: String) -> StoreError? {
    guard case .status(let status, let error, let reason, let url) = self else { return nil }
    // CouchDB 1 and 2 say `no_db_file`.
    if status == 404, ["Database does not exist.", "no_db_file"].contains(reason) {
      return .storeNotFound(name: "\(url)")
    }
    if status == 412, error == "missing_stub" { return .missingStub(id: id, name: "") }
    guard !id.isEmpty else { return nil }
    switch status {
    case 404: return .documentNotFound(id: id, reason == "deleted" ? .deleted : .missing)
    case 409: return .conflict(id: id, current: nil)
    default: return nil
    }
  }
}
