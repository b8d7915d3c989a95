import Foundation
import Testing

@testable import HTTP

extension Loopback {
  @Suite("files as responses and uploads")
  struct FileResponseTests {
    static func withFile<Result>(
      _ bytes: [UInt8], _ body: (String) async throws -> Result
    ) async throws -> Result {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "tote-http-\(UInt64.random(in: 0 ... .max))")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let path = folder.appendingPathComponent("file").path
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      return try await body(path)
    }

    @Test("whole, HEAD, ranges, conditions")
    func representation() async throws {
      let bytes = PatternChunks.bytes(0..<50_000)
      try await Self.withFile(bytes) { path in
        try await withServer { request in
          guard let file = try? HTTPFile(path: path) else { return HTTPResponse(status: 500) }
          return .file(file, for: request, contentType: "image/jpeg", headers: ["X-A": "1"])
        } _: { _, base in
          let client = try HTTPClient()
          func get(_ headers: HTTPHeaders = [:], _ method: HTTPMethod = .get) async throws -> (
            HTTPClientResponse, [UInt8]
          ) {
            let response = try await client.send(HTTPClientRequest(method, base, headers: headers))
            return (response, try await response.bytes())
          }
          let (whole, content) = try await get()
          #expect(content == bytes)
          #expect(whole.headers["Content-Length"] == "50000")
          #expect(whole.headers["X-A"] == "1")
          let etag = try #require(whole.headers["ETag"])
          let (head, none) = try await get([:], .head)
          #expect(head.status == 200)
          #expect(head.headers["Content-Length"] == "50000")
          #expect(none.isEmpty)
          let (part, middle) = try await get(["Range": "bytes=100-199"])
          #expect(part.status == 206)
          #expect(part.headers["Content-Range"] == "bytes 100-199/50000")
          #expect(middle == Array(bytes[100..<200]))
          #expect(try await get(["Range": "bytes=50000-"]).0.status == 416)
          #expect(try await get(["If-None-Match": etag]).0.status == 304)
          #expect(try await get(["Range": "bytes=0-1", "If-Range": "\"other\""]).0.status == 200)
          #expect(try await get(["Range": "bytes=0-1", "If-Range": etag]).0.status == 206)
          #expect(try await get(["If-Match": "\"other\""]).0.status == 412)
        }
      }
    }

    @Test("a file is uploaded with its length")
    func upload() async throws {
      let bytes = PatternChunks.bytes(0..<90_000)
      try await Self.withFile(bytes) { path in
        try await withServer { request in
          let body = (try? await request.body.collect(upTo: 1 << 20)) ?? []
          return HTTPResponse(
            headers: ["X-Length": request.headers["Content-Length"] ?? ""], body: body)
        } _: { _, base in
          let client = try HTTPClient()
          let file = try HTTPFile(path: path)
          let response = try await client.send(
            HTTPClientRequest(.put, base, body: .file(file.part(10..<80_000))))
          #expect(response.headers["X-Length"] == "79990")
          #expect(try await response.bytes() == Array(bytes[10..<80_000]))
        }
      }
    }

    @Test("a file that is none is an error with its number")
    func missing() {
      #expect(throws: HTTPError.file(path: "/nowhere", code: 2, text: "No such file or directory"))
      {
        try HTTPFile(path: "/nowhere")
      }
      #expect(throws: HTTPError.self) { try HTTPFile(path: "/") }
    }
  }
}
