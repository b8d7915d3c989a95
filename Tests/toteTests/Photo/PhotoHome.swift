import Core
import Foundation
import Glibc
import Photos
import TestSupport
import Testing

@testable import tote

/// The corpus of tricky pictures.
enum PhotoCorpus {
  static let folder = SourceTests.root.appendingPathComponent("Tests/PhotosTests/Corpus").path
  static let names: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
    .filter { $0.hasSuffix(".jpg") }.sorted()

  static func path(_ name: String) -> String { folder + "/" + name }

  static func bytes(_ name: String) throws -> [UInt8] {
    try Array(Data(contentsOf: URL(fileURLWithPath: path(name))))
  }
}

/// Runs a test body with a private home without any store, and a folder for files.
func withPhotoHome(_ body: (StoreHome) async throws -> Void) async throws {
  try await withTemporaryDirectory { path in
    guard mkdir(path + "/stores", 0o700) == 0, mkdir(path + "/files", 0o700) == 0 else {
      throw SupportError.badSetup("no folders in \(path)")
    }
    try await body(StoreHome(path: path))
  }
}

extension StoreHome {
  /// The folder for files.
  var files: String { path + "/files" }

  /// Copies a picture of the corpus to a file and gives its path.
  @discardableResult
  func copy(_ name: String, to file: String) throws -> String {
    let target = files + "/" + file
    try FileManager.default.createDirectory(
      atPath: (target as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(PhotoCorpus.bytes(name)).write(to: URL(fileURLWithPath: target))
    return target
  }

  /// The rows of `photo add … --jsonl`.
  @discardableResult
  func add(_ words: String...) async throws -> (ran: Ran, rows: [JSON]) {
    let ran = try await tote(words: ["photo", "add", "--user", "ann", "--jsonl"] + words)
    let rows = try ran.output.split(separator: "\n").map { try JSON(parsing: String($0)) }
    return (ran, rows)
  }

  /// The photos of `photo stream --json`.
  func stream(_ words: String...) async throws -> [JSON] {
    let ran = try await tote(words: ["photo", "stream", "--json"] + words)
    #expect(ran.status == 0, "\(ran.errors)")
    return try ran.json["photos"]?.arrayValue ?? []
  }
}

extension JSON {
  /// The text under a key.
  func text(_ key: String) -> String? { self[key]?.stringValue }
}
