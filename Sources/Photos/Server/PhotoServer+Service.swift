import Core
import HTTP

/// What the server tells of itself.
extension PhotoServer {
  func information(_ call: PhotoCall) -> HTTPResponse {
    finished(
      .photoJSON([
        "name": .string(options.name), "version": .string(options.version),
        "registration": .string(options.registration.word), "private": .bool(options.isPrivate),
        "max_upload": .integer(options.fileLimit),
        "max_pixels": .integer(Int64(options.photo.limits.pixels)),
      ]), call)
  }

  /// 200 while the library can be read.
  func health() async throws -> HTTPResponse {
    do {
      _ = try await library.newest(1)
    } catch {
      throw PhotoProblem(503, "unavailable", "the library cannot be read")
    }
    return .photoJSON(["status": "ok"])
  }

  /// For this machine only, unless told otherwise.
  ///
  /// What a proxy hands on comes from its address: so whatever was handed on is from elsewhere.
  func metricsAnswer(_ call: PhotoCall) throws(PhotoProblem) -> HTTPResponse {
    let isLocal = Self.isLoopback(call.origin.address) && !call.origin.isForwarded
    guard options.sharesMetrics || isLocal else {
      throw .forbidden("metrics are for the server's own machine")
    }
    return HTTPResponse(
      text: metrics.text(queue: queue.load, connections: connections),
      contentType: "text/plain; version=0.0.4; charset=utf-8")
  }

  private static func isLoopback(_ address: String) -> Bool {
    address.hasPrefix("127.") || address == "::1"
  }

  func openAPI(_ call: PhotoCall) -> HTTPResponse {
    finished(
      HTTPResponse(
        headers: ["Content-Type": "application/json"],
        body: Array(OpenAPIDescription(options).text.utf8)), call)
  }
}
