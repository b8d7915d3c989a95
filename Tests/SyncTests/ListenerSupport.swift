import Core
import HTTP
import Sync
import TestSupport

/// A listener over a folder of stores, on a free port of the loopback.
struct RunningListener {
  let stores: StoreDirectory
  let client: HTTPClient
  /// `http://127.0.0.1:PORT`.
  let url: WebURL

  /// A database of it, as a client sees it.
  func remote(_ name: String) -> RemoteStore {
    RemoteStore(url.appending(name), client: client)
  }
}

/// Runs a listener for as long as the body does.
func withListener(
  _ configure: (inout Listener.Options) throws -> Void = { _ in },
  _ body: (RunningListener) async throws -> Void
) async throws {
  try await withTemporaryDirectory { path in
    let stores = StoreDirectory(path: "\(path)")
    var options = Listener.Options(stores: stores)
    try configure(&options)
    let listener = Listener(options)
    let port = try listener.start()
    do {
      try await body(
        RunningListener(
          stores: stores, client: try HTTPClient(), url: try WebURL("http://127.0.0.1:\(port)")))
    } catch {
      await listener.stop()
      throw error
    }
    await listener.stop()
  }
}
